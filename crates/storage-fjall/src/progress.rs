//! The file PROGRESS: the newest acknowledged commit, written beside the journal without waiting for the device.
//!
//! Fjall takes the first thing in its journal that it cannot read for the end, and cuts the rest off. This file
//! distinguishes an end that was never acknowledged from one that was: the journal must reach at least to the commit
//! that is recorded here. It is written after the commit is durable, so after a power failure it may be behind, but
//! never ahead (except for commits that were only handed to the operating system, which their record notes).
//!
//! ```text
//! offset size
//!      0   74  slot A
//!   4096   74  slot B; the slots are written in turns, so that one is always whole
//!
//! offset size  of a slot
//!      0   57  the commit record (see record.rs)
//!     57    8  a number that fjall's sequence number of that batch is below
//!     65    1  1: a commit failed after this one, and the system may think written what is not
//!     66    8  xxh3-64 of bytes 0 to 65
//! ```

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use crate::error::OpenError;
use crate::record::{RECORD_BYTES, Record};

const FILE: &str = "PROGRESS";
/// Slots lie in sectors of their own: a sector is written as a whole or not at all.
const SLOT_AT: [u64; 2] = [0, 4096];
const SLOT_BYTES: usize = RECORD_BYTES + 8 + 1 + 8;
const CHECKED_BYTES: usize = SLOT_BYTES - 8;

/// The newest commit that this file records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reached {
    pub(crate) record: Record,
    /// Fjall's sequence number of the record's batch is below it.
    pub(crate) ceiling: u64,
    /// A commit failed after this one. The journal as the system shows it need not be on the device, and the
    /// system will not write it again (see `journal::rewrite`).
    pub(crate) is_suspect: bool,
}

/// Keeps the file.
#[derive(Debug)]
pub(crate) struct Progress {
    file: File,
    reached: Reached,
    next_slot: usize,
    is_writable: bool,
}

impl Progress {
    /// Starts at nothing.
    pub(crate) fn create(directory: &Path) -> Result<Progress, OpenError> {
        let create = || -> std::io::Result<Progress> {
            let path = directory.join(FILE);
            let mut file =
                crate::private::file().read(true).write(true).create(true).truncate(true).open(path)?;
            for at in SLOT_AT {
                file.seek(SeekFrom::Start(at))?;
                file.write_all(&encode(Reached::default()))?;
            }
            file.sync_all()?;
            crate::directory::sync(directory)?;
            Ok(Progress { file, reached: Reached::default(), next_slot: 0, is_writable: true })
        };
        create().map_err(OpenError::io(directory.join(FILE)))
    }

    /// Reads how far the store got.
    pub(crate) fn open(directory: &Path) -> Result<Progress, OpenError> {
        Progress::open_as(directory, true)
    }

    /// Reads how far a store got that cannot be written.
    pub(crate) fn reached_in(directory: &Path) -> Result<Reached, OpenError> {
        Ok(Progress::open_as(directory, false)?.reached)
    }

    fn open_as(directory: &Path, is_writable: bool) -> Result<Progress, OpenError> {
        let path = directory.join(FILE);
        let opened = OpenOptions::new().read(true).write(is_writable).open(&path);
        let mut file = match opened {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(OpenError::damaged(path, "the file is missing"));
            }
            opened => opened.map_err(OpenError::io(&path))?,
        };
        let mut slots = [None; 2];
        for (slot, at) in slots.iter_mut().zip(SLOT_AT) {
            let mut bytes = [0; SLOT_BYTES];
            let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut bytes));
            match read {
                Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {}
                read => *slot = read.map(|()| decode(&bytes)).map_err(OpenError::io(&path))?,
            }
        }
        let newest = (0..2).filter(|&slot| slots[slot].is_some()).max_by_key(|&slot| {
            slots[slot].map(|reached: Reached| (reached.record.version, reached.is_suspect))
        });
        match newest.and_then(|slot| Some((slot, slots[slot]?))) {
            Some((slot, reached)) => Ok(Progress { file, reached, next_slot: 1 - slot, is_writable }),
            None => Err(OpenError::damaged(path, "neither of its two slots is readable")),
        }
    }

    pub(crate) fn reached(&self) -> Reached {
        self.reached
    }

    /// Writes down that a commit is durable.
    pub(crate) fn advance(&mut self, record: Record, ceiling: u64) -> std::io::Result<()> {
        self.write(Reached { record, ceiling, is_suspect: false })
    }

    /// Writes down that a commit failed. Goes no further than the system's memory, which forgets it together with
    /// what it warns of.
    pub(crate) fn suspect(&mut self) -> std::io::Result<()> {
        self.write(Reached { is_suspect: true, ..self.reached })
    }

    fn write(&mut self, reached: Reached) -> std::io::Result<()> {
        self.file.seek(SeekFrom::Start(SLOT_AT[self.next_slot]))?;
        self.file.write_all(&encode(reached))?;
        self.next_slot = 1 - self.next_slot;
        self.reached = reached;
        Ok(())
    }
}

/// After a clean shutdown, both slots contain exactly the newest commit.
impl Drop for Progress {
    fn drop(&mut self) {
        if !self.is_writable {
            return;
        }
        let closed = self.write(self.reached).and_then(|()| self.file.sync_all());
        if let Err(error) = closed {
            tracing::warn!(%error, "the progress of the store could not be written");
        }
    }
}

fn encode(reached: Reached) -> [u8; SLOT_BYTES] {
    let mut bytes = [0; SLOT_BYTES];
    bytes[..RECORD_BYTES].copy_from_slice(&reached.record.to_bytes());
    bytes[RECORD_BYTES..RECORD_BYTES + 8].copy_from_slice(&reached.ceiling.to_be_bytes());
    bytes[RECORD_BYTES + 8] = u8::from(reached.is_suspect);
    let checksum = xxh3_64(&bytes[..CHECKED_BYTES]);
    bytes[CHECKED_BYTES..].copy_from_slice(&checksum.to_be_bytes());
    bytes
}

fn decode(bytes: &[u8; SLOT_BYTES]) -> Option<Reached> {
    let number = |at: usize| u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
    if number(CHECKED_BYTES) != xxh3_64(&bytes[..CHECKED_BYTES]) {
        return None;
    }
    Some(Reached {
        record: Record::from_bytes(&bytes[..RECORD_BYTES])?,
        ceiling: number(RECORD_BYTES),
        is_suspect: bytes[RECORD_BYTES + 8] != 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(version: u64) -> Record {
        Record { version, ..Record::default() }
    }

    #[test]
    fn the_newest_commit_comes_back() {
        let directory = tempfile::tempdir().unwrap();
        let mut progress = Progress::create(directory.path()).unwrap();
        for version in 1..=5 {
            progress.advance(record(version), version * 10).unwrap();
        }
        // Not closed in peace: the two slots differ.
        std::mem::forget(progress);
        let mut progress = Progress::open(directory.path()).unwrap();
        assert_eq!(progress.reached(), Reached { record: record(5), ceiling: 50, is_suspect: false });
        progress.suspect().unwrap();
        drop(progress);
        assert!(Progress::open(directory.path()).unwrap().reached().is_suspect);
    }

    #[test]
    fn one_slot_may_be_lost_but_not_both() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE);
        let mut progress = Progress::create(directory.path()).unwrap();
        progress.advance(record(7), 1).unwrap();
        drop(progress);
        let whole = std::fs::read(&path).unwrap();
        for at in SLOT_AT {
            for bit in (0..SLOT_BYTES * 8).step_by(17) {
                let mut bytes = whole.clone();
                bytes[at as usize + bit / 8] ^= 1 << (bit % 8);
                std::fs::write(&path, &bytes).unwrap();
                let progress = Progress::open(directory.path()).unwrap();
                assert_eq!(progress.reached().record, record(7), "slot {at}, bit {bit}");
            }
        }
        for bytes in [&[][..], &[0; 8192]] {
            std::fs::write(&path, bytes).unwrap();
            assert!(matches!(Progress::open(directory.path()), Err(OpenError::Damaged { .. })));
        }
    }
}
