//! Writing the files of an export: a table as it was, laid out as AWS does it.
//!
//! ```text
//! PREFIX/AWSDynamoDB/LABEL/
//!   _started                  empty
//!   data/NAME.json.gz         lines of {"Item":{...}}; NAME.json.gz.encrypted if exports are encrypted
//!   manifest-files.json       a line for each of them: items, checksums, key
//!   manifest-files.md5
//!   manifest-summary.json     what was exported
//!   manifest-summary.md5
//! ```
//!
//! Encrypted data files have the format of `sortkey_storage::EncryptedWriter`, under a key that is made for the export and
//! sealed by the keyring. Each is bound to the part of its key from the label on: the export may be moved as a whole, but its
//! files cannot be renamed, swapped or taken from another export.
//!
//! An export that a restart interrupts begins anew and writes the same files again: the table keeps its history until it is
//! done.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use sortkey_api::ApiError;
use sortkey_api::shapes::transfer::ItemLine;
use sortkey_storage::{Batch, DataKey, EncryptedWriter, Lock, Published};
use sortkey_value::Item;
use xxhash_rust::xxh3::xxh3_128;

use super::bucket::{Bucket, EXPORTS, prefix_parts};
use super::copying::{chunk, release};
use super::export::Export;
use super::manifest::{self, DataFile, Md5Writer};
use super::{Failure, STEPS_PER_REPORT, Status, Stop};
use crate::engine::Shared;
use crate::{catalog, layout};

/// Bytes of lines after which a new file is begun.
const FILE_BYTES: u64 = 256 * 1024 * 1024;

/// How the names of encrypted files end.
const ENCRYPTED: &str = ".encrypted";

/// Writes the files of an export.
pub(super) fn run(shared: &Arc<Shared>, mut export: Export) -> Result<(), ApiError> {
    (export.item_count, export.size_bytes) = (0, 0);
    export.status = match write(shared, &mut export) {
        Ok(()) => Status::Completed,
        Err(Stop::Store(error)) => return Err(error),
        Err(Stop::Files(failure)) => Status::Failed(failure),
    };
    finish(shared, export)
}

fn write(shared: &Arc<Shared>, export: &mut Export) -> Result<(), Stop> {
    let bucket = Bucket::named(shared, &export.request.bucket).map_err(Failure::unreachable)?;
    let prefix = export.request.prefix.clone().unwrap_or_default();
    let label = export.label.clone();
    let mut parts = prefix_parts(&prefix).map_err(Failure::unreachable)?;
    parts.extend([EXPORTS, &label]);
    let directory = bucket.directory(&parts)?;
    Bucket::create(&directory, "_started")?;
    parts.push("data");
    let files = write_data(shared, export, &bucket.directory(&parts)?)?;
    export.ended_ms = Some(shared.now_ms());
    manifest::write(shared, export, &directory, &files)?;
    Ok(())
}

/// Writes all items, in as many files as it takes; at least one, so that there is something to read.
fn write_data(shared: &Arc<Shared>, export: &mut Export, directory: &Path) -> Result<Vec<DataFile>, Stop> {
    let data_key = data_key(shared)?;
    let mut files = Vec::new();
    let mut after: Option<Vec<u8>> = None;
    loop {
        let ending = if data_key.is_some() { ENCRYPTED } else { "" };
        let name = format!("data/{}.json.gz{ending}", file_name(&export.label, files.len()));
        let place = format!("{}/{name}", export.label);
        let mut file = Lines::create(directory, &place, data_key.as_ref())?;
        let mut steps: usize = 0;
        let is_end = loop {
            let view = Arc::clone(&shared.committer.view());
            let chunk = chunk(&view, export.table_id, export.moment, after.as_deref())?;
            drop(view);
            let Some((last, _)) = chunk.last() else { break true };
            after = Some(last.to_vec());
            for (_, item) in chunk {
                export.item_count += 1;
                export.size_bytes += i64::try_from(item.size_bytes()).unwrap_or(i64::MAX);
                file.write(item)?;
            }
            steps += 1;
            if steps.is_multiple_of(STEPS_PER_REPORT) {
                report(shared, export)?;
            }
            if file.bytes >= FILE_BYTES {
                break false;
            }
        };
        files.push(file.finish(export.key(&name))?);
        if is_end {
            return Ok(files);
        }
    }
}

/// The key of an encrypted export. An export that cannot be encrypted fails: its files must not be readable instead.
fn data_key(shared: &Shared) -> Result<Option<DataKey>, Stop> {
    if !shared.settings.encrypt_exports {
        return Ok(None);
    }
    let unencrypted = |why: String| Failure::new("KeyringUnavailable", why);
    let sealer = shared.settings.key_sealer.as_ref().ok_or_else(|| {
        unencrypted(
            "exports are to be encrypted, but there is no keyring: start the server with one".to_owned(),
        )
    })?;
    Ok(Some(sealer.generate().map_err(|error| unencrypted(error.to_string()))?))
}

/// The name of a file: it looks random, and is the same when the export is repeated.
fn file_name(label: &str, number: usize) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let hash = xxh3_128(format!("{label}/{number}").as_bytes());
    (0..26).map(|at| LETTERS[(hash >> (5 * at)) as usize % LETTERS.len()] as char).collect()
}

/// A file of items.
struct Lines {
    out: GzEncoder<Output>,
    /// One line, reused.
    line: Vec<u8>,
    items: u64,
    bytes: u64,
}

impl Lines {
    /// A file in a directory; its place ends with its name.
    fn create(directory: &Path, place: &str, key: Option<&DataKey>) -> io::Result<Lines> {
        let name = place.rsplit('/').next().unwrap_or(place);
        let file = Md5Writer::new(Bucket::create(directory, name)?);
        let out = match key {
            None => Output::Plain(file),
            Some(key) => Output::Encrypted(Box::new(EncryptedWriter::new(file, key, place)?)),
        };
        let out = GzEncoder::new(out, Compression::default());
        Ok(Lines { out, line: Vec::new(), items: 0, bytes: 0 })
    }

    fn write(&mut self, item: Item) -> io::Result<()> {
        self.line.clear();
        sortkey_api::encode(&ItemLine { item: item.into() }, &mut self.line);
        self.line.push(b'\n');
        self.items += 1;
        self.bytes += self.line.len() as u64;
        self.out.write_all(&self.line)
    }

    fn finish(self, key: String) -> io::Result<DataFile> {
        let md5 = self.out.finish()?.finish()?;
        Ok(DataFile { key, items: self.items, md5 })
    }
}

/// The destination of compressed lines.
enum Output {
    Plain(Md5Writer),
    Encrypted(Box<EncryptedWriter<Md5Writer>>),
}

impl Output {
    /// Completes the file and gives its checksum.
    fn finish(self) -> io::Result<[u8; 16]> {
        match self {
            Output::Plain(file) => file.finish(),
            Output::Encrypted(file) => file.finish()?.finish(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Plain(file) => file.write(bytes),
            Output::Encrypted(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Plain(file) => file.flush(),
            Output::Encrypted(file) => file.flush(),
        }
    }
}

/// Lets those who ask see how far it is. Once the database is closed this fails, and with it the export.
fn report(shared: &Arc<Shared>, export: &Export) -> Result<(), ApiError> {
    let (key, value) = (layout::export(&export.label), export.to_value());
    let report = move |_: &Arc<Shared>, view: &Published| {
        let mut batch = Batch::new();
        if catalog::entry::<Export>(view, &key)?.is_some() {
            batch.put(key, value);
        }
        Ok((batch, ()))
    };
    shared.write(vec![Lock::exclusive(layout::export(&export.label))], report).wait()
}

fn finish(shared: &Arc<Shared>, mut export: Export) -> Result<(), ApiError> {
    let (key, name) = (layout::export(&export.label), Arc::clone(&export.table_name));
    let locks = vec![Lock::exclusive(key.clone()), Lock::exclusive(layout::table(&name))];
    let finish = move |shared: &Arc<Shared>, view: &Published| {
        let mut batch = Batch::new();
        if catalog::entry::<Export>(view, &key)?.is_some() {
            export.ended_ms.get_or_insert(shared.now_ms());
            batch.put(key, export.to_value());
            release(shared, view, &name, export.table_id, &export.arn(shared), &mut batch)?;
        }
        Ok((batch, ()))
    };
    shared.write(locks, finish).wait()?;
    shared.wake_background();
    Ok(())
}
