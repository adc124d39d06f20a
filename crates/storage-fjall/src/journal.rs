//! Reads fjall's journals before fjall does.
//!
//! Fjall takes whatever it cannot read for the end of a journal and cuts it off there; it does not check the
//! sequence number of a batch; and it refuses a last batch whose middle did not reach the device. Here the journals are
//! read as a chain of commits (see `record.rs`) instead: what breaks the chain is damage, and only an end
//! that was never acknowledged is cut off.
//!
//! A journal as fjall 3.1 writes it, without compression; integers are little-endian:
//!
//! ```text
//! 01 items:u32 sequence:u64                                          start of a batch
//! 02 type:u8 00 keyspace:u64 key:u16 value:u32 value:u32 key value   item; types: 0 put, 1 removal
//! 03 checksum:u64 "FJL" 03                                           end; xxh3-64 of all items of the batch
//! 00 ...                                                             space that was allocated ahead
//! ```

pub(crate) mod again;

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use crate::error::OpenError;
use crate::options::Durability;
use crate::progress::Reached;
use crate::record::{MAGIC, RECORD_BYTES, Record, Running};
use crate::reserve;
use crate::seal::{RECORD_KEY, seal_of, seal_of_removal};

const START: u8 = 1;
const ITEM: u8 = 2;
const END: u8 = 3;
const TRAILER: [u8; 4] = *b"FJL\x03";

/// The contents of the journals.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// The newest commit in them; `None` if all commits are in tables already.
    pub(crate) last: Option<Record>,
    /// How far each of them is readable.
    lengths: Vec<(PathBuf, u64)>,
    /// Whether something behind the last commit is to be cut off.
    pub(crate) has_torn_end: bool,
}

impl Reading {
    /// How much of a journal of this name is readable.
    pub(crate) fn length_of(&self, name: &OsStr) -> Option<u64> {
        let found = self.lengths.iter().find(|(path, _)| path.file_name() == Some(name));
        found.map(|(_, length)| *length)
    }
}

/// Reads all journals of fjall's directory and changes nothing.
pub(crate) fn read(directory: &Path, reached: &Reached) -> Result<Reading, OpenError> {
    let paths = journals(directory)?;
    let mut reading = Reading::default();
    let mut before: Option<Batch> = None;
    for (index, path) in paths.iter().enumerate() {
        let bytes = std::fs::read(path).map_err(OpenError::io(path))?;
        let mut at = 0;
        while at < bytes.len() {
            match next_batch(&bytes, at, before.as_ref()) {
                Ok(Some(batch)) => {
                    at = batch.end;
                    before = Some(batch);
                }
                Ok(None) => break,
                Err(Fault::Broken(reason)) => {
                    return Err(OpenError::damaged(path, format!("at byte {at}, {reason}")));
                }
                Err(Fault::Unreadable(reason)) => {
                    let last = before.as_ref().map(|batch| &batch.record);
                    let is_newest = index + 1 == paths.len();
                    if !is_newest || !may_be_torn(&bytes[at..], last) {
                        let reason = format!("at byte {at}, {reason}, and more follows");
                        return Err(OpenError::damaged(path, reason));
                    }
                    reading.has_torn_end = true;
                    break;
                }
            }
        }
        reading.lengths.push((path.clone(), at as u64));
    }
    reading.last = before.as_ref().map(|batch| batch.record);
    check_end(directory, before.as_ref(), reached)?;
    Ok(reading)
}

/// Refuses journals that end before the newest commit that was acknowledged.
fn check_end(directory: &Path, last: Option<&Batch>, reached: &Reached) -> Result<(), OpenError> {
    let Some(last) = last else { return Ok(()) };
    if last.record.version < reached.record.version && reached.record.durability == Durability::Fsync {
        return Err(OpenError::damaged(
            directory,
            format!(
                "the journal ends with commit {}, but commit {} was acknowledged",
                last.record.version, reached.record.version
            ),
        ));
    }
    if last.record.version == reached.record.version
        && (last.record != reached.record || last.sequence >= reached.ceiling)
    {
        let reason = format!("commit {} in the journal is not the one acknowledged", last.record.version);
        return Err(OpenError::damaged(directory, reason));
    }
    Ok(())
}

/// Cuts off what was never acknowledged.
pub(crate) fn cut(reading: &Reading) -> Result<(), OpenError> {
    let Some((path, length)) = reading.lengths.last().filter(|_| reading.has_torn_end) else { return Ok(()) };
    tracing::info!(journal = %path.display(), length, "cutting off a commit that was never completed");
    let cut = || -> std::io::Result<()> {
        let file = OpenOptions::new().write(true).open(path)?;
        file.set_len(*length)?;
        file.sync_all()
    };
    cut().map_err(OpenError::io(path))
}

/// Writes the journals anew. After a failed fsync the system may hold pages that it takes for written and that are
/// not; what we read and are about to build upon must be on the device.
pub(crate) fn rewrite(reading: &Reading) -> Result<(), OpenError> {
    reading.lengths.iter().try_for_each(|(path, length)| {
        let rewrite = || -> std::io::Result<()> {
            let mut bytes = std::fs::read(path)?;
            bytes.truncate(usize::try_from(*length).unwrap_or(usize::MAX));
            match replace(path, &bytes) {
                Err(error) if reserve::is_full(&error) => overwrite(path, &bytes),
                result => result,
            }
        };
        rewrite().map_err(OpenError::io(path))
    })
}

/// Writes a file beside another one and lets it take its place.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let new = path.with_extension("new");
    let write = || -> std::io::Result<()> {
        let mut file = crate::private::file().write(true).create(true).truncate(true).open(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&new, path)
    };
    // What was written of it takes space that others need.
    write().inspect_err(|_| std::fs::remove_file(&new).unwrap_or_default())?;
    path.parent().map_or(Ok(()), crate::directory::sync)
}

/// Writes what a file contains over itself, which takes no space. A sector that is interrupted has the same bytes before and
/// after.
fn overwrite(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

/// The journals, oldest first.
fn journals(directory: &Path) -> Result<Vec<PathBuf>, OpenError> {
    let mut found: Vec<(u64, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(OpenError::io(directory))? {
        let path = entry.map_err(OpenError::io(directory))?.path();
        if path.extension().is_some_and(|extension| extension == "jnl") {
            let id = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
            let id = id.ok_or_else(|| OpenError::damaged(&path, "the journal has no number"))?;
            found.push((id, path));
        }
    }
    if found.is_empty() {
        return Err(OpenError::damaged(directory, "there is no journal"));
    }
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// One commit in a journal.
struct Batch {
    record: Record,
    sequence: u64,
    end: usize,
}

/// A problem with a batch.
enum Fault {
    /// It may never have been completed.
    Unreadable(&'static str),
    /// It was completed and is not what was written.
    Broken(&'static str),
}

/// The batch that starts at a byte; `None` if nothing was written from there on.
fn next_batch(bytes: &[u8], at: usize, before: Option<&Batch>) -> Result<Option<Batch>, Fault> {
    let mut reader = Reader { bytes, at };
    if reader.peek() == Some(0) && bytes[at..].iter().all(|byte| *byte == 0) {
        return Ok(None);
    }
    let (items, sequence) = reader.start().ok_or(Fault::Unreadable("no batch starts"))?;
    let items_at = reader.at;
    let mut running = Running::after(before.map_or(0, |batch| batch.record.running));
    let mut record = None;
    for _ in 0..items {
        if record.is_some() {
            return Err(Fault::Unreadable("a commit record is not the last item"));
        }
        let item = reader.item().ok_or(Fault::Unreadable("an item is not readable"))?;
        match (item.is_removal, item.key == RECORD_KEY) {
            (false, true) => record = Some(Record::from_bytes(item.value)),
            (false, false) => running.add(seal_of(item.value)),
            (true, _) => running.add(seal_of_removal(item.key)),
        }
    }
    let checksum = xxh3_64(&bytes[items_at..reader.at]);
    if reader.end().ok_or(Fault::Unreadable("a batch does not end"))? != checksum {
        return Err(Fault::Unreadable("a batch has a wrong checksum"));
    }
    let record = record.flatten().ok_or(Fault::Broken("a batch has no commit record"))?;
    if sequence < record.floor {
        return Err(Fault::Broken("the sequence number of a batch is too low"));
    }
    if let Some(before) = before {
        if record.previous != before.record.version || record.running != running.finish() {
            return Err(Fault::Broken("a commit does not continue the one before it"));
        }
        if before.sequence >= record.floor {
            return Err(Fault::Broken("the sequence number of the batch before is too high"));
        }
    }
    Ok(Some(Batch { record, sequence, end: reader.at }))
}

/// Whether what follows the last readable commit may be one that was never completed: then no other commit follows
/// it, since the next one waits for the device. Commits that do not wait prove nothing.
fn may_be_torn(rest: &[u8], last: Option<&Record>) -> bool {
    let mut own = None;
    rest.windows(RECORD_BYTES)
        .filter(|window| window.starts_with(&MAGIC))
        .filter_map(Record::from_bytes)
        .filter(|record| record.durability == Durability::Fsync)
        .all(|record| {
            let own = *own.get_or_insert(record);
            own == record && last.is_none_or(|last| last.version == record.previous)
        })
}

struct Item<'a> {
    is_removal: bool,
    key: &'a [u8],
    value: &'a [u8],
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn tag(&mut self, tag: u8) -> Option<()> {
        (self.array() == Some([tag])).then_some(())
    }

    /// Number of items and sequence number.
    fn start(&mut self) -> Option<(u32, u64)> {
        self.tag(START)?;
        Some((u32::from_le_bytes(self.array()?), u64::from_le_bytes(self.array()?)))
    }

    fn item(&mut self) -> Option<Item<'a>> {
        self.tag(ITEM)?;
        let is_removal = match self.array()? {
            [0] => false,
            [1] => true,
            _ => return None,
        };
        // Compression, which we switch off, and the keyspace, of which there is one.
        self.tag(0)?;
        self.take(8)?;
        let key_bytes = usize::from(u16::from_le_bytes(self.array()?));
        let value_bytes = u32::from_le_bytes(self.array()?);
        if value_bytes != u32::from_le_bytes(self.array()?) {
            return None;
        }
        let key = self.take(key_bytes)?;
        Some(Item { is_removal, key, value: self.take(value_bytes as usize)? })
    }

    /// The checksum of the batch.
    fn end(&mut self) -> Option<u64> {
        self.tag(END)?;
        let checksum = u64::from_le_bytes(self.array()?);
        (self.array() == Some(TRAILER)).then_some(checksum)
    }
}
