//! Reads the journals of a store that is open, in pieces, without the memory for a whole one.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{Batch, Fault, next_batch};
use crate::error::OpenError;
use crate::options::Durability;
use crate::progress::Reached;
use crate::record::{MAGIC, RECORD_BYTES, Record};

const CHUNK_BYTES: usize = 256 * 1024;
/// No value is that long, so nothing follows so many zeros.
const EMPTY_BYTES: usize = 1024 * 1024;

/// What reading came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Everything that was acknowledged is there.
    Sound,
    /// It was to stop early.
    Interrupted,
    /// A file is not what was written.
    Damaged(PathBuf, String),
}

/// The journals of fjall's directory, oldest first.
pub(crate) fn journals(directory: &Path) -> io::Result<Vec<PathBuf>> {
    super::journals(directory).map_err(|error| match error {
        OpenError::Io { source, .. } => source,
        other => io::Error::other(other.to_string()),
    })
}

/// Reads all journals. `reached` is what was acknowledged before. `pace` is called with the number of bytes read, and
/// stops by returning false.
pub(crate) fn read(
    directory: &Path,
    reached: &Reached,
    pace: &mut dyn FnMut(usize) -> bool,
) -> io::Result<Stop> {
    let paths = journals(directory)?;
    let mut before: Option<Batch> = None;
    for (index, path) in paths.iter().enumerate() {
        let mut pieces = match File::open(path) {
            Ok(file) => Pieces { file, bytes: Vec::new(), at: 0, dropped: 0, is_whole: false },
            // Everything in it is in tables by now.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let end = loop {
            match pieces.next(before.as_ref(), pace)? {
                Piece::Batch(batch) => before = Some(batch),
                Piece::Interrupted => return Ok(Stop::Interrupted),
                Piece::End(end) => break end,
            }
        };
        let is_newest = index + 1 == paths.len();
        let last = before.as_ref().map(|batch| batch.record);
        let reason = match end {
            End::Nothing => missing(last.as_ref(), reached).filter(|_| is_newest),
            End::Broken(reason) => Some(reason.to_owned()),
            End::Unreadable(reason) if !is_newest || pieces.contain_acknowledged(last.as_ref(), reached) => {
                Some(reason.to_owned())
            }
            End::Unreadable(_) => None,
        };
        if let Some(reason) = reason {
            let at = pieces.dropped + pieces.at as u64;
            return Ok(Stop::Damaged(path.clone(), format!("at byte {at}, {reason}")));
        }
    }
    Ok(Stop::Sound)
}

/// Why an end without anything behind it is too early. A commit that was only handed to the operating system may have been lost
/// before the store was opened, which was reported then.
fn missing(last: Option<&Record>, reached: &Reached) -> Option<String> {
    let last = last.filter(|last| last.version < reached.record.version)?;
    (reached.record.durability == Durability::Fsync).then(|| {
        let reached = reached.record.version;
        format!("the journal ends with commit {}, but commit {reached} was acknowledged", last.version)
    })
}

enum Piece {
    Batch(Batch),
    End(End),
    Interrupted,
}

/// What follows the last readable commit of a journal.
enum End {
    Nothing,
    Unreadable(&'static str),
    Broken(&'static str),
}

/// A journal, of which only the piece is in memory that is being read.
struct Pieces {
    file: File,
    bytes: Vec<u8>,
    /// Where reading goes on in them.
    at: usize,
    /// Bytes before those in memory.
    dropped: u64,
    is_whole: bool,
}

impl Pieces {
    fn next(&mut self, before: Option<&Batch>, pace: &mut dyn FnMut(usize) -> bool) -> io::Result<Piece> {
        loop {
            let end = match next_batch(&self.bytes, self.at, before) {
                Ok(Some(batch)) => {
                    self.at = batch.end;
                    return Ok(Piece::Batch(batch));
                }
                Ok(None) => End::Nothing,
                Err(Fault::Unreadable(reason)) => End::Unreadable(reason),
                Err(Fault::Broken(reason)) => End::Broken(reason),
            };
            if self.at == self.bytes.len() && self.is_whole {
                return Ok(Piece::End(End::Nothing));
            }
            if matches!(end, End::Broken(_)) || self.is_whole || self.ends_with_nothing(&end) {
                return Ok(Piece::End(end));
            }
            if matches!(end, End::Nothing) {
                // Space that was allocated ahead, so far.
                self.at = self.bytes.len();
            }
            let read = self.more()?;
            if !pace(read) {
                return Ok(Piece::Interrupted);
            }
        }
    }

    /// Reads as much as there is in memory already, so that a large batch is not looked at many times.
    fn more(&mut self) -> io::Result<usize> {
        self.bytes.drain(..self.at);
        self.dropped += std::mem::take(&mut self.at) as u64;
        let wanted = CHUNK_BYTES.max(self.bytes.len()) as u64;
        let read = (&mut self.file).take(wanted).read_to_end(&mut self.bytes)?;
        self.is_whole = read == 0;
        Ok(read)
    }

    /// Whether a commit that cannot be read is followed by space that was allocated ahead, which need not be read.
    fn ends_with_nothing(&self, end: &End) -> bool {
        let rest = &self.bytes[self.at..];
        let tail = &rest[rest.len().saturating_sub(EMPTY_BYTES)..];
        matches!(end, End::Unreadable(_)) && tail.len() == EMPTY_BYTES && tail.iter().all(|byte| *byte == 0)
    }

    /// Whether a commit that was acknowledged lies in what cannot be read; another one is being written.
    fn contain_acknowledged(&self, last: Option<&Record>, reached: &Reached) -> bool {
        let is_behind = last.is_some_and(|last| last.version < reached.record.version);
        let is_old = |record: Record| record.version <= reached.record.version;
        is_behind
            || self.bytes[self.at..]
                .windows(RECORD_BYTES)
                .filter(|window| window.starts_with(&MAGIC))
                .filter_map(Record::from_bytes)
                .any(is_old)
    }
}
