//! Exports: a table as it was, in files that are laid out as AWS lays them out.
//!
//! ```text
//! PREFIX/AWSDynamoDB/LABEL/
//!   _started                  empty
//!   data/NAME.json.gz         lines of {"Item":{...}}
//!   manifest-files.json       a line for each of them: items, checksums, key
//!   manifest-files.md5
//!   manifest-summary.json     what was exported
//!   manifest-summary.md5
//! ```
//!
//! An export that a restart interrupts begins anew and writes the same files again: the table keeps its history until it is
//! done.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use sortkey_api::shapes::transfer::{
    ExportDescription, ExportFormat, ExportStatus, ExportSummary, ExportType, ItemLine, S3SseAlgorithm,
};
use sortkey_api::{ApiError, ErrorKind};
use sortkey_storage::{Batch, Clock, Lock, Published, Value};
use sortkey_value::Item;
use xxhash_rust::xxh3::xxh3_128;

use super::bucket::{Bucket, EXPORTS, prefix_parts};
use super::manifest::{self, DataFile, Md5Writer};
use super::{Failure, Status, Stop, chunk, release};
use crate::describe::timestamp;
use crate::engine::Shared;
use crate::past::Moment;
use crate::{catalog, layout};

/// Bytes of lines after which a new file is begun.
const FILE_BYTES: u64 = 256 * 1024 * 1024;
/// Steps after which those who ask are told how far it is.
const STEPS_PER_REPORT: usize = 16;

/// An export's descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Export {
    /// The end of its ARN.
    pub(crate) label: String,
    pub(crate) table_name: Arc<str>,
    pub(crate) table_id: u32,
    pub(crate) table_uuid: String,
    pub(crate) moment: Moment,
    pub(crate) request: Request,
    pub(crate) started_ms: u64,
    pub(crate) ended_ms: Option<u64>,
    pub(crate) status: Status,
    pub(crate) item_count: i64,
    pub(crate) size_bytes: i64,
}

/// What was asked for; a token stands for one of these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) token: Option<String>,
    pub(crate) time_ms: Option<i64>,
    pub(crate) bucket: String,
    pub(crate) bucket_owner: Option<String>,
    pub(crate) prefix: Option<String>,
    pub(crate) encryption: Option<String>,
    pub(crate) encryption_key: Option<String>,
}

impl Export {
    /// The export that an ARN names.
    pub(crate) fn find(shared: &Shared, view: &Published, arn: &str) -> Result<Export, ApiError> {
        let label = arn.rsplit_once("/export/").map_or("", |(_, label)| label);
        let found = catalog::entry::<Export>(view, &layout::export(label))?;
        found.filter(|export| export.arn(shared) == arn).ok_or_else(|| {
            ApiError::new(ErrorKind::ExportNotFoundException, format!("Export not found: {arn}"))
        })
    }

    pub(crate) fn arn(&self, shared: &Shared) -> String {
        format!("{}/export/{}", shared.table_arn(&self.table_name), self.label)
    }

    pub(crate) fn to_value(&self) -> Value {
        serde_json::to_vec(self).expect("a descriptor has only string keys").into()
    }

    pub(crate) fn summary(&self, shared: &Shared) -> ExportSummary {
        ExportSummary {
            export_arn: Some(self.arn(shared)),
            export_status: Some(self.shown_status()),
            export_type: Some(ExportType::FullExport),
        }
    }

    pub(crate) fn description(&self, shared: &Shared) -> ExportDescription {
        let request = &self.request;
        let is_complete = self.status == Status::Completed;
        let failure = match &self.status {
            Status::Failed(failure) => Some(failure.clone()),
            _ => None,
        };
        ExportDescription {
            export_arn: Some(self.arn(shared)),
            export_status: Some(self.shown_status()),
            start_time: Some(timestamp(self.started_ms)),
            end_time: self.ended_ms.map(timestamp),
            export_manifest: is_complete.then(|| self.key("manifest-summary.json")),
            table_arn: Some(shared.table_arn(&self.table_name)),
            table_id: Some(self.table_uuid.clone()),
            export_time: Some(timestamp(self.moment.time_ms)),
            client_token: request.token.clone(),
            s3_bucket: Some(request.bucket.clone()),
            s3_bucket_owner: request.bucket_owner.clone(),
            s3_prefix: request.prefix.clone(),
            s3_sse_algorithm: Some(S3SseAlgorithm::from(self.encryption())),
            s3_sse_kms_key_id: request.encryption_key.clone(),
            failure_code: failure.as_ref().map(|failure| failure.code.clone()),
            failure_message: failure.map(|failure| failure.message),
            export_format: Some(ExportFormat::DynamodbJson),
            billed_size_bytes: Some(self.size_bytes),
            item_count: Some(self.item_count),
            export_type: Some(ExportType::FullExport),
        }
    }

    /// How the files are said to be encrypted.
    pub(super) fn encryption(&self) -> &str {
        self.request.encryption.as_deref().unwrap_or("AES256")
    }

    /// The key of one of its files.
    pub(super) fn key(&self, file: &str) -> String {
        let prefix = self.request.prefix.as_deref().unwrap_or_default().trim_end_matches('/');
        let separator = if prefix.is_empty() { "" } else { "/" };
        format!("{prefix}{separator}{EXPORTS}/{}/{file}", self.label)
    }

    fn shown_status(&self) -> ExportStatus {
        match self.status {
            Status::InProgress => ExportStatus::InProgress,
            Status::Completed => ExportStatus::Completed,
            Status::Failed(_) => ExportStatus::Failed,
        }
    }
}

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
    export.ended_ms = Some(shared.clock.now_ms());
    manifest::write(shared, export, &directory, &files)?;
    Ok(())
}

/// Writes all items, in as many files as it takes; at least one, so that there is something to read.
fn write_data(shared: &Arc<Shared>, export: &mut Export, directory: &Path) -> Result<Vec<DataFile>, Stop> {
    let mut files = Vec::new();
    let mut after: Option<Vec<u8>> = None;
    loop {
        let name = format!("{}.json.gz", file_name(&export.label, files.len()));
        let mut file = Lines::create(directory, &name)?;
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
        let key = export.key(&format!("data/{name}"));
        files.push(file.finish(key)?);
        if is_end {
            return Ok(files);
        }
    }
}

/// The name of a file: it looks random, and is the same when the export is repeated.
fn file_name(label: &str, number: usize) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let hash = xxh3_128(format!("{label}/{number}").as_bytes());
    (0..26).map(|at| LETTERS[(hash >> (5 * at)) as usize % LETTERS.len()] as char).collect()
}

/// A file of items.
struct Lines {
    out: GzEncoder<Md5Writer>,
    /// One line, reused.
    line: Vec<u8>,
    items: u64,
    bytes: u64,
}

impl Lines {
    fn create(directory: &Path, name: &str) -> io::Result<Lines> {
        let file = Md5Writer::new(Bucket::create(directory, name)?);
        let out = GzEncoder::new(file, Compression::default());
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
            export.ended_ms.get_or_insert(shared.clock.now_ms());
            batch.put(key, export.to_value());
            release(shared, view, &name, export.table_id, &export.arn(shared), &mut batch)?;
        }
        Ok((batch, ()))
    };
    shared.write(locks, finish).wait()?;
    shared.wake_background();
    Ok(())
}
