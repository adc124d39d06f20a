//! Writes a backup, piece by piece, so that whoever sends it somewhere sets the pace.

use std::ops::Bound;
use std::sync::Arc;

use super::{
    CHUNK, CHUNK_BYTES, CHUNK_HEADER_BYTES, END, END_BYTES, FORMAT, HEADER_BYTES, MAGIC, Summary, checksum,
};
use crate::batch::Stamp;
use crate::error::StorageError;
use crate::store::{Order, Snapshot};

/// The bytes of a backup. Between two pieces it holds the snapshot and no iterator, so that it may take its time.
pub struct Pieces {
    snapshot: Arc<dyn Snapshot>,
    stamp: Stamp,
    next: Next,
    checksum: u64,
    summary: Summary,
}

enum Next {
    Header,
    ChunkAfter(Bound<Vec<u8>>),
    End,
    Nothing,
}

impl Pieces {
    /// A backup of a snapshot, which was published with this stamp.
    pub fn new(snapshot: Arc<dyn Snapshot>, stamp: Stamp) -> Pieces {
        Pieces { snapshot, stamp, next: Next::Header, checksum: 0, summary: Summary::default() }
    }

    /// How much has been written so far.
    pub fn summary(&self) -> Summary {
        self.summary
    }

    fn header(&mut self) -> Vec<u8> {
        let mut header = Vec::with_capacity(HEADER_BYTES);
        header.extend_from_slice(&MAGIC);
        header.extend_from_slice(&FORMAT.to_be_bytes());
        header.extend_from_slice(&self.stamp.version.to_be_bytes());
        header.extend_from_slice(&self.stamp.time_ms.to_be_bytes());
        self.seal(header, &[])
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
        let compressed = lz4_flex::block::compress(&entries);
        let mut chunk = Vec::with_capacity(CHUNK_HEADER_BYTES + compressed.len());
        chunk.push(CHUNK);
        // Both are little more than a chunk and an entry.
        for length in [entries.len(), compressed.len()] {
            chunk.extend_from_slice(&(length as u32).to_be_bytes());
        }
        self.summary.chunks += 1;
        let mut chunk = self.seal(chunk, &compressed);
        chunk.extend_from_slice(&compressed);
        self.next = Next::ChunkAfter(Bound::Excluded(last));
        Ok(Some(chunk))
    }

    fn end(&mut self) -> Vec<u8> {
        let mut end = Vec::with_capacity(END_BYTES);
        end.push(END);
        end.extend_from_slice(&self.summary.entries.to_be_bytes());
        end.extend_from_slice(&self.summary.chunks.to_be_bytes());
        self.seal(end, &[])
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
                self.next = Next::ChunkAfter(Bound::Unbounded);
                Some(Ok(self.header()))
            }
            Next::ChunkAfter(after) => match self.chunk(after) {
                Ok(Some(chunk)) => Some(Ok(chunk)),
                Ok(None) => {
                    self.next = Next::End;
                    self.next()
                }
                Err(error) => Some(Err(error)),
            },
            Next::End => Some(Ok(self.end())),
            Next::Nothing => None,
        }
    }
}
