//! The directory as a whole: created once, opened often, never mistaken for an empty one.
//!
//! ```text
//! FORMAT     what this directory is (format.rs)
//! LOCK       who has it (lock.rs)
//! PROGRESS   how far it got (progress.rs)
//! SESSION    that it is open, and commits are not synced (session.rs)
//! KEY        the data key, if values are encrypted (key_file.rs)
//! RESERVE    space for when the disk is full (reserve.rs)
//! SUMS       checksums of fjall's files (scrub.rs)
//! fjall/     fjall's own files
//! ```

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::OpenError;
use crate::format::{self, State};
use crate::journal::{self, Reading};
use crate::lock::{self, DirectoryLock};
use crate::manifest;
use crate::private;
use crate::progress::Progress;

/// A directory that is ours, as it was found.
pub(crate) enum Found {
    /// Nothing was ever committed in it.
    New,
    /// It has been in use; its journals were read.
    Existing(Reading, Progress),
}

/// Takes a directory, creating it if need be, and looks at what it contains.
pub(crate) fn take(path: &Path, patience: Duration) -> Result<(DirectoryLock, Found), OpenError> {
    private::create_directory(path).map_err(OpenError::io(path))?;
    // The lock is a file of ours; what else lies there is looked at before it is created.
    let is_empty = is_empty(path)?;
    let state = format::read(path)?;
    if state.is_none() && !is_empty {
        return Err(OpenError::NotADatabase { path: path.to_owned() });
    }
    private::close(path).map_err(OpenError::io(path))?;
    let lock = DirectoryLock::acquire(path, patience)?;
    // Another process may have created the database while this one waited.
    match format::read(path)? {
        Some(State::Ready) => {
            let (reading, progress) = inspect(path)?;
            Ok((lock, Found::Existing(reading, progress)))
        }
        None | Some(State::Creating) => {
            // The process that began to create it never committed anything.
            format::write(path, State::Creating, false)?;
            match std::fs::remove_dir_all(fjall(path)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    Err(OpenError::io(fjall(path))(error))
                }
                _ => Ok((lock, Found::New)),
            }
        }
    }
}

/// The directory of fjall's files.
pub(crate) fn fjall(path: &Path) -> PathBuf {
    path.join("fjall")
}

/// Makes the names in a new directory durable, its own included. Fjall does not do so for all of its own.
pub(crate) fn sync_new(path: &Path) -> Result<(), OpenError> {
    let keyspaces = fjall(path).join("keyspaces");
    let directories = [Some(&*keyspaces), Some(&*fjall(path)), Some(path), path.parent()].map(|directory| {
        // The parent of a relative name is the empty one.
        directory.map(|directory| {
            if directory.as_os_str().is_empty() { Path::new(".") } else { directory }.to_owned()
        })
    });
    let mut directories = directories.into_iter().flatten();
    directories.try_for_each(|directory| sync(&directory).map_err(OpenError::io(&directory)))
}

/// Makes the names in a directory durable.
pub(crate) fn sync(path: &Path) -> std::io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

/// Whether a directory contains nothing but what somebody leaves behind who is stopped before it is his: a lock file, and a
/// description that never got its name.
fn is_empty(path: &Path) -> Result<bool, OpenError> {
    let left_behind = [lock::FILE, format::NEW_FILE];
    for entry in std::fs::read_dir(path).map_err(OpenError::io(path))? {
        let name = entry.map_err(OpenError::io(path))?.file_name();
        if !left_behind.iter().any(|left| name == *left) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Looks at what a directory contains without writing anything.
pub(crate) fn look(path: &Path) -> Result<Reading, OpenError> {
    match format::read(path)? {
        Some(State::Ready) => {}
        _ => return Err(OpenError::NotADatabase { path: path.to_owned() }),
    }
    let fjall = fjall(path);
    manifest::check(&fjall)?;
    journal::read(&fjall, &Progress::reached_in(path)?)
}

fn inspect(path: &Path) -> Result<(Reading, Progress), OpenError> {
    let fjall = fjall(path);
    let progress = Progress::open(path)?;
    manifest::check(&fjall)?;
    let reading = journal::read(&fjall, &progress.reached())?;
    Ok((reading, progress))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_stopped_at_the_very_beginning_begins_again() {
        for left in [&[][..], &[lock::FILE], &[lock::FILE, format::NEW_FILE]] {
            let directory = tempfile::tempdir().unwrap();
            left.iter().for_each(|name| std::fs::write(directory.path().join(name), b"half").unwrap());
            let found = take(directory.path(), Duration::ZERO).unwrap().1;
            assert!(matches!(found, Found::New), "{left:?}");
            assert_eq!(format::read(directory.path()).unwrap(), Some(State::Creating));
        }
    }

    #[test]
    fn what_is_not_ours_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("thesis.txt"), b"years of work").unwrap();
        let refused = take(directory.path(), Duration::ZERO).err();
        assert!(matches!(refused, Some(OpenError::NotADatabase { .. })), "{refused:?}");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    // A directory that was refused because it is no database had lost the rights of others, with all that it contained.
    #[cfg(unix)]
    #[test]
    fn what_is_not_ours_keeps_its_rights() {
        use std::os::unix::fs::PermissionsExt;

        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("index.html");
        std::fs::write(&file, b"for everybody").unwrap();
        let open = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        open(directory.path(), 0o755);
        open(&file, 0o644);
        assert!(take(directory.path(), Duration::ZERO).is_err());
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(directory.path()), mode(&file)), (0o755, 0o644));
    }
}
