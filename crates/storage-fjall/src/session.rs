//! The file SESSION: marks a store as open whose commits are only handed to the operating system.
//!
//! It is written and synced when such a store is opened, and removed when it has been closed and everything was synced.
//! A file left over from an earlier boot means that the machine went down meanwhile, and that acknowledged commits
//! may be missing. Without it, the loss could not be distinguished from a database that never had them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::directory;
use crate::private;

const FILE: &str = "SESSION";

/// A store that is open.
#[derive(Debug)]
pub(crate) struct Session {
    path: PathBuf,
}

impl Session {
    /// Records durably that a store is open.
    pub(crate) fn begin(directory: &Path) -> io::Result<Session> {
        let path = directory.join(FILE);
        let mut file = private::file().write(true).create(true).truncate(true).open(&path)?;
        writeln!(file, "boot {}", boot_id())?;
        file.sync_all()?;
        directory::sync(directory)?;
        Ok(Session { path })
    }

    /// Removes the record, once everything has been synced.
    pub(crate) fn end(self) -> io::Result<()> {
        std::fs::remove_file(&self.path)?;
        self.path.parent().map_or(Ok(()), directory::sync)
    }
}

/// Whether the machine went down while the store was open.
pub(crate) fn was_cut_off(directory: &Path) -> io::Result<bool> {
    match std::fs::read_to_string(directory.join(FILE)) {
        Ok(text) => Ok(text.trim() != format!("boot {}", boot_id())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Forgets a session that is over.
pub(crate) fn forget(directory: &Path) -> io::Result<()> {
    match std::fs::remove_file(directory.join(FILE)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Identifies the current boot of the machine. On systems without such an identifier, every start of the process counts
/// as a new boot: a report too many is better than one too few.
fn boot_id() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    match id.trim() {
        "" => format!("process {}", std::process::id()),
        id => id.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_of_another_start_was_cut_off() {
        let directory = tempfile::tempdir().unwrap();
        assert!(!was_cut_off(directory.path()).unwrap());
        let session = Session::begin(directory.path()).unwrap();
        // The process crashed, the machine did not: nothing is lost.
        assert!(!was_cut_off(directory.path()).unwrap());
        std::fs::write(directory.path().join(FILE), "boot 4711\n").unwrap();
        assert!(was_cut_off(directory.path()).unwrap());
        session.end().unwrap();
        assert!(!was_cut_off(directory.path()).unwrap());
    }
}
