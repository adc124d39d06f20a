//! The file RESERVE: space that is set aside, so that a full disk can be emptied.
//!
//! Deleting needs space before it makes any: the deletion is written to the journal, and tables are written anew without
//! what was deleted. When the disk is full the reserve is given up. Until there is space again the store takes only
//! commits that delete; then the reserve is set aside anew.

use std::io::{self, Write};
use std::path::Path;

use sortkey_storage::{Change, StorageError};

use crate::private;

const FILE: &str = "RESERVE";
const CHUNK_BYTES: usize = 1 << 20;
/// The limit for writes in a commit that deletes: totals, stream records, the history of deleted items.
const WRITTEN_BYTES: usize = 1 << 20;

/// Sets space aside, if there is none yet. A reserve that was cut short by a crash counts as it is.
pub(crate) fn set_aside(directory: &Path, bytes: u64) -> io::Result<()> {
    let path = directory.join(FILE);
    if bytes == 0 || path.exists() {
        return Ok(());
    }
    let mut file = private::file().write(true).create_new(true).open(&path)?;
    // Zeros could be compressed away by the file system.
    let chunk: Vec<u8> = (0..CHUNK_BYTES).map(|at| ((at * 131) >> 3) as u8).collect();
    let mut left = usize::try_from(bytes).unwrap_or(usize::MAX);
    let mut fill = || -> io::Result<()> {
        while left > 0 {
            let length = left.min(CHUNK_BYTES);
            file.write_all(&chunk[..length])?;
            left -= length;
        }
        file.sync_all()
    };
    fill().inspect_err(|_| give_up(directory).map_or((), drop))
}

/// Frees the reserved space; returns whether there was any.
pub(crate) fn give_up(directory: &Path) -> io::Result<bool> {
    match std::fs::remove_file(directory.join(FILE)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether the cause of an error is a lack of space.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// Whether a commit is taken while there is no space: one that deletes something, and writes little besides.
pub(crate) fn admits(changes: &[Change]) -> Result<(), StorageError> {
    let is_deleting = changes.iter().any(|change| matches!(change, Change::Delete(_)));
    let written = |change: &Change| match change {
        Change::Put(key, value) => key.len() + value.len(),
        Change::Delete(_) => 0,
    };
    if is_deleting && changes.iter().map(written).sum::<usize>() <= WRITTEN_BYTES {
        return Ok(());
    }
    Err(StorageError::ReadOnly(NO_SPACE.into()))
}

/// The error text while there is no space.
pub(crate) const NO_SPACE: &str = "the disk is full; only deletes are taken until there is space: delete items or tables, or make room on the disk";
