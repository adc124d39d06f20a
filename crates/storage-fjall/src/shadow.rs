//! A copy of a directory's small files, with links to its large ones, to read a store that cannot be written.
//!
//! Fjall writes when it opens its files, which fails in a directory that is read-only or on a full disk. So it opens a
//! shadow elsewhere: journals and manifests are copied, tables and files of large values are symbolic links. Fjall's
//! writes, replacements and deletions there do not touch the original.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::directory;
use crate::journal::Reading;
use crate::private;

/// Directories whose files are never changed once they are written.
const LINKED: [&str; 2] = ["tables", "blobs"];

/// A shadow; removed when dropped.
#[derive(Debug)]
pub(crate) struct Shadow {
    path: PathBuf,
}

impl Shadow {
    /// Makes a shadow of fjall's files. Of the journals it contains what was read, without torn ends.
    pub(crate) fn of(path: &Path, reading: &Reading) -> io::Result<Shadow> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("sortkey-shadow-{}-{number}", std::process::id());
        let shadow = Shadow { path: std::env::temp_dir().join(name) };
        // The remains of an earlier process with the same number are useless.
        match std::fs::remove_dir_all(&shadow.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // In a place that all share, a directory that somebody else made would be theirs to read.
        private::create_new_directory(&shadow.path)?;
        let original = std::fs::canonicalize(directory::fjall(path))?;
        copy(&original, &directory::fjall(&shadow.path), reading)?;
        Ok(shadow)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "a temporary directory could not be removed");
        }
    }
}

fn copy(from: &Path, to: &Path, reading: &Reading) -> io::Result<()> {
    private::create_directory(to)?;
    let is_linked = from.file_name().is_some_and(|name| LINKED.iter().any(|linked| name == *linked));
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy(&from, &to, reading)?;
        } else if is_linked {
            link(&from, &to)?;
        } else {
            let length = reading.length_of(&entry.file_name()).unwrap_or(u64::MAX);
            let mut file = private::file().write(true).create_new(true).open(&to)?;
            io::copy(&mut File::open(&from)?.take(length), &mut file)?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

#[cfg(not(unix))]
fn link(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::copy(from, to).map(drop)
}
