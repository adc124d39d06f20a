//! The commit record: the last entry of every batch, always under the same key.
//!
//! It contains the number of the commit and of the one before, so that the journal can be read as a chain
//! (`journal.rs`), and so that version and time go on after a restart.
//!
//! ```text
//! offset size
//!      0    8  "SKCOMMIT"
//!      8    8  version of the commit
//!     16    8  version of the commit before it
//!     24    8  time, milliseconds since 1970
//!     32    8  a number that fjall's sequence number of this batch is not below
//!     40    8  running checksum: xxh3-64 of the one before and of what this batch changed
//!     48    1  0: fsynced before it was acknowledged, 1: handed to the operating system
//!     49    8  xxh3-64 of bytes 0 to 48
//! ```
//!
//! Integers are big-endian.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::options::Durability;

pub(crate) const MAGIC: [u8; 8] = *b"SKCOMMIT";
pub(crate) const RECORD_BYTES: usize = 57;
const CHECKED_BYTES: usize = RECORD_BYTES - 8;

/// The data of one commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) version: u64,
    pub(crate) previous: u64,
    pub(crate) time_ms: u64,
    pub(crate) floor: u64,
    pub(crate) running: u64,
    pub(crate) durability: Durability,
}

impl Record {
    pub(crate) fn to_bytes(self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        let numbers = [self.version, self.previous, self.time_ms, self.floor, self.running];
        for (at, number) in (8..).step_by(8).zip(numbers) {
            bytes[at..at + 8].copy_from_slice(&number.to_be_bytes());
        }
        bytes[48] = u8::from(self.durability == Durability::Os);
        let checksum = xxh3_64(&bytes[..CHECKED_BYTES]);
        bytes[CHECKED_BYTES..].copy_from_slice(&checksum.to_be_bytes());
        bytes
    }

    /// Reads what [`Record::to_bytes`] wrote, and nothing else.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Record> {
        let bytes: &[u8; RECORD_BYTES] = bytes.try_into().ok()?;
        let number = |at: usize| u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
        if bytes[..8] != MAGIC || number(CHECKED_BYTES) != xxh3_64(&bytes[..CHECKED_BYTES]) {
            return None;
        }
        Some(Record {
            version: number(8),
            previous: number(16),
            time_ms: number(24),
            floor: number(32),
            running: number(40),
            durability: if bytes[48] == 0 { Durability::Fsync } else { Durability::Os },
        })
    }
}

/// Computes the running checksum of a batch.
pub(crate) struct Running(Xxh3);

impl Running {
    pub(crate) fn after(running: u64) -> Running {
        let mut hash = Xxh3::new();
        hash.update(&running.to_be_bytes());
        Running(hash)
    }

    /// Adds the seal of a change.
    pub(crate) fn add(&mut self, seal: u32) {
        self.0.update(&seal.to_be_bytes());
    }

    pub(crate) fn finish(&self) -> u64 {
        self.0.digest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_and_flipped_ones_do_not() {
        let record = Record {
            version: 1 << 40,
            previous: 7,
            time_ms: 1_700_000_000_000,
            floor: 99,
            running: u64::MAX,
            durability: Durability::Os,
        };
        let bytes = record.to_bytes();
        assert_eq!(Record::from_bytes(&bytes), Some(record));
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Record::from_bytes(&flipped), None, "bit {bit}");
        }
        assert_eq!(Record::from_bytes(&bytes[1..]), None);
    }
}
