//! Reads a backup and believes nothing that is not proved.

use std::io::{self, Read};

use thiserror::Error;

use super::{
    CHUNK, CHUNK_HEADER_BYTES, END, END_BYTES, FORMAT, HEADER_BYTES, LARGEST_CHUNK_BYTES, MAGIC, Summary,
    checksum,
};
use crate::batch::Stamp;
use crate::store::{Entry, Key, Value};

/// Why a backup is not one that can be used.
#[derive(Debug, Error)]
pub enum ReadError {
    /// It does not begin like one.
    #[error("this is not a backup that sortkey made")]
    NotABackup,
    /// It was written in a format that this version does not know.
    #[error(
        "the backup has format {0}, but this version of sortkey reads format {FORMAT}; use the version that wrote it, or a newer one"
    )]
    UnknownFormat(u32),
    /// It ends too early.
    #[error("the backup is cut off after {0} entries")]
    CutOff(u64),
    /// What is there is not what was written.
    #[error("the backup is damaged after {entries} entries: {what}")]
    Damaged {
        /// What was read before.
        entries: u64,
        /// How one can tell.
        what: &'static str,
    },
    /// It cannot be read.
    #[error("the backup cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// Begins to read a backup.
pub fn read<R: Read>(mut source: R) -> Result<Reading<R>, ReadError> {
    let mut header = [0; HEADER_BYTES];
    source.read_exact(&mut header).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => ReadError::NotABackup,
        _ => ReadError::Io(error),
    })?;
    let (fields, seal) = header.split_at(HEADER_BYTES - 8);
    let seal = number(seal);
    if fields[..8] != MAGIC {
        return Err(ReadError::NotABackup);
    }
    if checksum(0, [fields, &[]]) != seal {
        return Err(ReadError::Damaged { entries: 0, what: "its beginning has a wrong checksum" });
    }
    let format = length(&fields[8..12]);
    if format != FORMAT as usize {
        return Err(ReadError::UnknownFormat(format as u32));
    }
    let stamp = Stamp { version: number(&fields[12..20]), time_ms: number(&fields[20..28]) };
    Ok(Reading { source, stamp, checksum: seal, summary: Summary::default(), is_over: false })
}

/// The chunks of a backup, each a list of entries. Only after the last `Ok` of all of them is the backup known to be
/// whole.
pub struct Reading<R> {
    source: R,
    stamp: Stamp,
    checksum: u64,
    summary: Summary,
    is_over: bool,
}

impl<R: Read> Reading<R> {
    /// The version and the time of the snapshot's last commit.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// How much was read so far.
    pub fn summary(&self) -> Summary {
        self.summary
    }

    fn next_chunk(&mut self) -> Result<Option<Vec<Entry>>, ReadError> {
        match self.take(1)?[..] {
            [CHUNK] => self.chunk().map(Some),
            [END] => self.end().map(|()| None),
            _ => Err(self.damaged("no chunk begins where one should")),
        }
    }

    fn chunk(&mut self) -> Result<Vec<Entry>, ReadError> {
        let header = self.take(CHUNK_HEADER_BYTES - 1)?;
        let (raw_bytes, stored_bytes) = (length(&header[..4]), length(&header[4..8]));
        if raw_bytes > LARGEST_CHUNK_BYTES || stored_bytes > LARGEST_CHUNK_BYTES {
            return Err(self.damaged("a chunk has an impossible size"));
        }
        let stored = self.take(stored_bytes)?;
        let sum = checksum(self.checksum, [&[&[CHUNK], &header[..8]].concat(), &stored]);
        if sum != number(&header[8..]) {
            return Err(self.damaged("a chunk has a wrong checksum"));
        }
        self.checksum = sum;
        let raw = lz4_flex::block::decompress(&stored, raw_bytes)
            .map_err(|_| self.damaged("a chunk cannot be decompressed"))?;
        let entries =
            entries(&raw).ok_or_else(|| self.damaged("a chunk contains something else than entries"))?;
        self.summary.chunks += 1;
        self.summary.entries += entries.len() as u64;
        self.summary.bytes +=
            entries.iter().map(|(key, value)| (key.len() + value.len()) as u64).sum::<u64>();
        Ok(entries)
    }

    fn end(&mut self) -> Result<(), ReadError> {
        let end = self.take(END_BYTES - 1)?;
        if checksum(self.checksum, [&[&[END], &end[..16]].concat(), &[]]) != number(&end[16..]) {
            return Err(self.damaged("its end has a wrong checksum"));
        }
        if (number(&end[..8]), number(&end[8..16])) != (self.summary.entries, self.summary.chunks) {
            return Err(self.damaged("it contains more or less than its end says"));
        }
        if self.source.read(&mut [0])? > 0 {
            return Err(self.damaged("something follows its end"));
        }
        Ok(())
    }

    fn take(&mut self, bytes: usize) -> Result<Vec<u8>, ReadError> {
        let mut taken = vec![0; bytes];
        self.source.read_exact(&mut taken).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => ReadError::CutOff(self.summary.entries),
            _ => ReadError::Io(error),
        })?;
        Ok(taken)
    }

    fn damaged(&self, what: &'static str) -> ReadError {
        ReadError::Damaged { entries: self.summary.entries, what }
    }
}

impl<R: Read> Iterator for Reading<R> {
    type Item = Result<Vec<Entry>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let next = self.next_chunk();
        self.is_over = !matches!(next, Ok(Some(_)));
        next.transpose()
    }
}

fn entries(mut raw: &[u8]) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    while !raw.is_empty() {
        let (lengths, rest) = raw.split_at_checked(8)?;
        let (key, rest) = rest.split_at_checked(length(&lengths[..4]))?;
        let (value, rest) = rest.split_at_checked(length(&lengths[4..]))?;
        entries.push((Key::from(key), Value::from(value)));
        raw = rest;
    }
    Some(entries)
}

/// Four bytes as a number; anything else counts as 0.
fn length(bytes: &[u8]) -> usize {
    bytes.try_into().map_or(0, u32::from_be_bytes) as usize
}

/// Eight bytes as a number; anything else counts as 0.
fn number(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_be_bytes)
}
