//! Writes a backup, piece by piece, so that whoever sends it somewhere sets the pace.

use std::ops::Bound;
use std::sync::Arc;

use super::{
    CHUNK, CHUNK_BYTES, CHUNK_HEADER_BYTES, ENCRYPTED_FORMAT, END, END_BYTES, FORMAT, HEADER_BYTES, KEY,
    MAGIC, PURPOSE, SALT_BYTES, Summary, checksum,
};
use crate::batch::Stamp;
use crate::encryption::{Cipher, DataKey, TAG_BYTES, random};
use crate::error::StorageError;
use crate::store::{Order, Snapshot};

/// The bytes of a backup. Between two pieces it holds the snapshot and no iterator, so that it may take its time.
pub struct Pieces {
    snapshot: Arc<dyn Snapshot>,
    stamp: Stamp,
    next: Next,
    checksum: u64,
    summary: Summary,
    /// Bytes 0 to 27.
    head: Vec<u8>,
    /// Of an encrypted backup.
    cipher: Option<Cipher>,
}

enum Next {
    Header,
    Key(DataKey),
    ChunkAfter(Bound<Vec<u8>>),
    End,
    Nothing,
}

impl Pieces {
    /// A backup of a snapshot, which was published with this stamp.
    pub fn new(snapshot: Arc<dyn Snapshot>, stamp: Stamp) -> Pieces {
        let summary = Summary::default();
        Pieces { snapshot, stamp, next: Next::Header, checksum: 0, summary, head: Vec::new(), cipher: None }
    }

    /// How much has been written so far.
    pub fn summary(&self) -> Summary {
        self.summary
    }

    fn header(&mut self, is_encrypted: bool) -> Vec<u8> {
        let mut header = Vec::with_capacity(HEADER_BYTES);
        header.extend_from_slice(&MAGIC);
        header.extend_from_slice(&if is_encrypted { ENCRYPTED_FORMAT } else { FORMAT }.to_be_bytes());
        header.extend_from_slice(&self.stamp.version.to_be_bytes());
        header.extend_from_slice(&self.stamp.time_ms.to_be_bytes());
        self.head.clone_from(&header);
        self.seal(header, &[])
    }

    /// The sealed key, by which those who have the keyring can read the rest.
    fn key(&mut self, key: &DataKey) -> Result<Vec<u8>, StorageError> {
        let salt: [u8; SALT_BYTES] = random()?;
        self.cipher = Some(key.derive(PURPOSE, &salt)?);
        let sealed = key.sealed().as_bytes();
        let length = u32::try_from(sealed.len()).unwrap_or(u32::MAX);
        let mut part = vec![KEY];
        part.extend_from_slice(&salt);
        part.extend_from_slice(&length.to_be_bytes());
        part.extend_from_slice(sealed);
        let sum = checksum(0, [&part, &[]]);
        part.extend_from_slice(&sum.to_be_bytes());
        Ok(part)
    }

    /// The entries after a key, if there are any; the next time, those after the last of them.
    fn chunk(&mut self, after: Bound<Vec<u8>>) -> Result<Option<Vec<u8>>, StorageError> {
        let mut entries = Vec::with_capacity(CHUNK_BYTES + CHUNK_BYTES / 2);
        let mut last = None;
        let low = after.as_ref().map(Vec::as_slice);
        for entry in self.snapshot.range(low, Bound::Unbounded, Order::Ascending) {
            let (key, value) = entry?;
            for length in [key.len(), value.len()] {
                let length = u32::try_from(length)
                    .map_err(|_| StorageError::Failed("an entry is too large for a backup".into()))?;
                entries.extend_from_slice(&length.to_be_bytes());
            }
            entries.extend_from_slice(&key);
            entries.extend_from_slice(&value);
            self.summary.entries += 1;
            self.summary.bytes += (key.len() + value.len()) as u64;
            last = Some(key.to_vec());
            if entries.len() >= CHUNK_BYTES {
                break;
            }
        }
        let Some(last) = last else { return Ok(None) };
        let mut compressed = lz4_flex::block::compress(&entries);
        let stored_bytes = compressed.len() + if self.cipher.is_some() { TAG_BYTES } else { 0 };
        let mut chunk = Vec::with_capacity(CHUNK_HEADER_BYTES + stored_bytes);
        chunk.push(CHUNK);
        // Both are little more than a chunk and an entry.
        for length in [entries.len(), stored_bytes] {
            chunk.extend_from_slice(&(length as u32).to_be_bytes());
        }
        if let Some(cipher) = &self.cipher {
            cipher.seal(self.summary.chunks, &[&self.head[..], &chunk].concat(), 0, &mut compressed)?;
        }
        self.summary.chunks += 1;
        let mut chunk = self.seal(chunk, &compressed);
        chunk.extend_from_slice(&compressed);
        self.next = Next::ChunkAfter(Bound::Excluded(last));
        Ok(Some(chunk))
    }

    fn end(&mut self) -> Result<Vec<u8>, StorageError> {
        let mut end = Vec::with_capacity(END_BYTES + TAG_BYTES);
        end.push(END);
        end.extend_from_slice(&self.summary.entries.to_be_bytes());
        end.extend_from_slice(&self.summary.chunks.to_be_bytes());
        if let Some(cipher) = &self.cipher {
            let place = [&self.head[..], &end].concat();
            let nothing_but_a_tag = end.len();
            cipher.seal(self.summary.chunks, &place, nothing_but_a_tag, &mut end)?;
        }
        Ok(self.seal(end, &[]))
    }

    /// Appends the checksum over a part and what will follow it.
    fn seal(&mut self, mut part: Vec<u8>, following: &[u8]) -> Vec<u8> {
        self.checksum = checksum(self.checksum, [&part, following]);
        part.extend_from_slice(&self.checksum.to_be_bytes());
        part
    }
}

impl Iterator for Pieces {
    type Item = Result<Vec<u8>, StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        match std::mem::replace(&mut self.next, Next::Nothing) {
            Next::Header => {
                let key = self.snapshot.data_key();
                let is_encrypted = key.is_some();
                self.next = key.map_or(Next::ChunkAfter(Bound::Unbounded), Next::Key);
                Some(Ok(self.header(is_encrypted)))
            }
            Next::Key(key) => {
                self.next = Next::ChunkAfter(Bound::Unbounded);
                Some(self.key(&key))
            }
            Next::ChunkAfter(after) => match self.chunk(after) {
                Ok(Some(chunk)) => Some(Ok(chunk)),
                Ok(None) => {
                    self.next = Next::End;
                    self.next()
                }
                Err(error) => Some(Err(error)),
            },
            Next::End => Some(self.end()),
            Next::Nothing => None,
        }
    }
}
