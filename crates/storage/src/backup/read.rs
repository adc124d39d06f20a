//! Reads a backup, and verifies each part before use.

use std::io::{self, Read};

use thiserror::Error;

use super::{
    CHUNK, CHUNK_HEADER_BYTES, ENCRYPTED_FORMAT, END, END_BYTES, FORMAT, HEADER_BYTES, KEY,
    LARGEST_CHUNK_BYTES, MAGIC, PURPOSE, SALT_BYTES, Summary, checksum,
};
use crate::batch::Stamp;
use crate::encryption::{Cipher, DataKey, TAG_BYTES};
use crate::store::{Entry, Key, Value};

/// Why a backup is not one that can be used.
#[derive(Debug, Error)]
pub enum ReadError {
    /// It does not begin like one.
    #[error("this is not a backup that sortkey made")]
    NotABackup,
    /// It was written in a format that this version does not support.
    #[error(
        "the backup has format {0}, but this version of sortkey reads formats {FORMAT} and {ENCRYPTED_FORMAT}; use the version that wrote it, or a newer one"
    )]
    UnknownFormat(u32),
    /// It ends too early.
    #[error("the backup is cut off after {0} entries")]
    CutOff(u64),
    /// The contents differ from what was written.
    #[error("the backup is damaged after {entries} entries: {what}")]
    Damaged {
        /// The number of entries read before the damage.
        entries: u64,
        /// The check that failed.
        what: &'static str,
    },
    /// It is encrypted, and was not unlocked.
    #[error("the backup is encrypted, and no key was given")]
    Locked,
    /// It is encrypted, and what was given is not its key, or what follows was made without it.
    #[error("the backup is encrypted with another key, or was changed after {0} entries")]
    WrongKey(u64),
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
    let format = length(&fields[8..12]) as u32;
    if ![FORMAT, ENCRYPTED_FORMAT].contains(&format) {
        return Err(ReadError::UnknownFormat(format));
    }
    let stamp = Stamp { version: number(&fields[12..20]), time_ms: number(&fields[20..28]) };
    let head = fields.to_vec();
    let mut reading = Reading {
        source,
        stamp,
        head,
        lock: None,
        checksum: seal,
        summary: Summary::default(),
        is_over: false,
    };
    if format == ENCRYPTED_FORMAT {
        reading.lock = Some(reading.key()?);
    }
    Ok(reading)
}

/// The chunks of a backup, each a list of entries. Only after the last `Ok` of all of them is the backup known to be
/// whole.
pub struct Reading<R> {
    source: R,
    stamp: Stamp,
    /// Bytes 0 to 27.
    head: Vec<u8>,
    /// Of an encrypted backup.
    lock: Option<Lock>,
    checksum: u64,
    summary: Summary,
    is_over: bool,
}

struct Lock {
    salt: Vec<u8>,
    sealed: String,
    /// Once it is unlocked.
    cipher: Option<Cipher>,
}

/// The longest sealed key that is read.
const MAX_SEALED_BYTES: usize = 64 << 10;

impl<R: Read> Reading<R> {
    /// The version and the time of the snapshot's last commit.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// How much was read so far.
    pub fn summary(&self) -> Summary {
        self.summary
    }

    /// The sealed key of an encrypted backup, which must be unlocked before its entries can be read.
    pub fn sealed_key(&self) -> Option<&str> {
        self.lock.as_ref().map(|lock| lock.sealed.as_str())
    }

    /// Lets the entries of an encrypted backup be read. Whether the key is the right one is found out with the first of them.
    pub fn unlock(&mut self, key: &DataKey) -> Result<(), ReadError> {
        if let Some(lock) = &mut self.lock {
            let cipher =
                key.derive(PURPOSE, &lock.salt).map_err(|error| io::Error::other(error.to_string()))?;
            lock.cipher = Some(cipher);
        }
        Ok(())
    }

    /// Reads to the end and compares all checksums, without looking at the entries; an encrypted backup need not be unlocked.
    pub fn check(mut self) -> Result<Summary, ReadError> {
        loop {
            match self.next_bytes(1)?[..] {
                [CHUNK] => {
                    let (raw_bytes, _, _) = self.stored()?;
                    self.summary.chunks += 1;
                    self.summary.bytes += raw_bytes as u64;
                }
                [END] => {
                    let end = self.ending()?;
                    self.summary.entries = number(&end[..8]);
                    // Every entry has eight bytes of lengths.
                    self.summary.bytes = self.summary.bytes.saturating_sub(8 * self.summary.entries);
                    self.finish(&end)?;
                    return Ok(self.summary);
                }
                _ => return Err(self.damaged("no chunk begins where one should")),
            }
        }
    }

    fn key(&mut self) -> Result<Lock, ReadError> {
        let start = self.next_bytes(1 + SALT_BYTES + 4)?;
        let sealed_bytes = length(&start[1 + SALT_BYTES..]);
        if start[0] != KEY || sealed_bytes > MAX_SEALED_BYTES {
            return Err(self.damaged("its key is missing"));
        }
        let sealed = self.next_bytes(sealed_bytes)?;
        let sum = self.next_bytes(8)?;
        if checksum(0, [&start, &sealed]) != number(&sum) {
            return Err(self.damaged("its key has a wrong checksum"));
        }
        let sealed = String::from_utf8(sealed).map_err(|_| self.damaged("its key is not readable"))?;
        Ok(Lock { salt: start[1..=SALT_BYTES].to_vec(), sealed, cipher: None })
    }

    fn next_chunk(&mut self) -> Result<Option<Vec<Entry>>, ReadError> {
        match self.next_bytes(1)?[..] {
            [CHUNK] => self.chunk().map(Some),
            [END] => self.end().map(|()| None),
            _ => Err(self.damaged("no chunk begins where one should")),
        }
    }

    fn chunk(&mut self) -> Result<Vec<Entry>, ReadError> {
        let (raw_bytes, start, mut stored) = self.stored()?;
        let compressed = match &self.lock {
            None => &stored[..],
            Some(lock) => {
                let cipher = lock.cipher.as_ref().ok_or(ReadError::Locked)?;
                let place = [&self.head[..], &start].concat();
                let split = stored.len().saturating_sub(TAG_BYTES);
                let (text, tag) = stored.split_at_mut(split);
                if !cipher.open(self.summary.chunks, &place, text, tag) {
                    return Err(ReadError::WrongKey(self.summary.entries));
                }
                &stored[..split]
            }
        };
        let raw = lz4_flex::block::decompress(compressed, raw_bytes)
            .map_err(|_| self.damaged("a chunk cannot be decompressed"))?;
        let entries =
            entries(&raw).ok_or_else(|| self.damaged("a chunk contains something else than entries"))?;
        self.summary.chunks += 1;
        self.summary.entries += entries.len() as u64;
        self.summary.bytes +=
            entries.iter().map(|(key, value)| (key.len() + value.len()) as u64).sum::<u64>();
        Ok(entries)
    }

    /// The size of a chunk's entries, its beginning, and what is stored of them.
    fn stored(&mut self) -> Result<(usize, Vec<u8>, Vec<u8>), ReadError> {
        let header = self.next_bytes(CHUNK_HEADER_BYTES - 1)?;
        let (raw_bytes, stored_bytes) = (length(&header[..4]), length(&header[4..8]));
        if raw_bytes > LARGEST_CHUNK_BYTES || stored_bytes > LARGEST_CHUNK_BYTES {
            return Err(self.damaged("a chunk has an impossible size"));
        }
        let stored = self.next_bytes(stored_bytes)?;
        let start = [&[CHUNK], &header[..8]].concat();
        let sum = checksum(self.checksum, [&start, &stored]);
        if sum != number(&header[8..]) {
            return Err(self.damaged("a chunk has a wrong checksum"));
        }
        self.checksum = sum;
        Ok((raw_bytes, start, stored))
    }

    fn end(&mut self) -> Result<(), ReadError> {
        let end = self.ending()?;
        if let Some(lock) = &self.lock {
            let cipher = lock.cipher.as_ref().ok_or(ReadError::Locked)?;
            let place = [&self.head[..], &[END], &end[..16]].concat();
            if !cipher.open(number(&end[8..16]), &place, &mut [], &end[16..]) {
                return Err(ReadError::WrongKey(self.summary.entries));
            }
        }
        self.finish(&end)
    }

    /// The fields of the end, without its first byte and its checksum.
    fn ending(&mut self) -> Result<Vec<u8>, ReadError> {
        let tag_bytes = if self.lock.is_some() { TAG_BYTES } else { 0 };
        let mut end = self.next_bytes(END_BYTES - 1 + tag_bytes)?;
        let sum = end.split_off(end.len() - 8);
        if checksum(self.checksum, [&[&[END], &end[..]].concat(), &[]]) != number(&sum) {
            return Err(self.damaged("its end has a wrong checksum"));
        }
        Ok(end)
    }

    fn finish(&mut self, end: &[u8]) -> Result<(), ReadError> {
        if (number(&end[..8]), number(&end[8..16])) != (self.summary.entries, self.summary.chunks) {
            return Err(self.damaged("it contains more or less than its end says"));
        }
        if self.source.read(&mut [0])? > 0 {
            return Err(self.damaged("something follows its end"));
        }
        Ok(())
    }

    fn next_bytes(&mut self, bytes: usize) -> Result<Vec<u8>, ReadError> {
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
