//! Fills a new directory from a backup. Nobody sees the directory before it is complete: it is filled under another
//! name beside its place, and renamed.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sortkey_storage::backup::{ReadError, Reading, Summary};
use sortkey_storage::{Change, Commit, Stamp, StorageError, Store};
use thiserror::Error;

use crate::directory;
use crate::error::OpenError;
use crate::options::Options;
use crate::store::FjallStore;

/// Why a backup was not restored. Nothing is left behind.
#[derive(Debug, Error)]
pub enum RestoreError {
    /// There is something at the place already.
    #[error("{} is not empty", .0.display())]
    NotEmpty(PathBuf),
    /// The backup is no good.
    #[error(transparent)]
    Backup(#[from] ReadError),
    /// The directory cannot be made.
    #[error(transparent)]
    Directory(#[from] OpenError),
    /// The backup was readable, but its contents could not be written.
    #[error(transparent)]
    Store(#[from] StorageError),
}

/// A directory that is being filled; removed again, unless it is finished.
pub struct Restoring {
    /// Open until it is finished.
    store: Option<Arc<FjallStore>>,
    stamp: Stamp,
    options: Options,
    temporary: PathBuf,
    target: PathBuf,
}

impl Restoring {
    /// Begins beside a place where there is nothing, or an empty directory.
    pub fn begin(target: impl AsRef<Path>, options: Options) -> Result<Restoring, RestoreError> {
        let target = target.as_ref().to_owned();
        let is_taken = match std::fs::read_dir(&target) {
            Ok(mut entries) => entries.next().is_some(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
            Err(error) => return Err(OpenError::io(&target)(error).into()),
        };
        if is_taken {
            return Err(RestoreError::NotEmpty(target));
        }
        let mut name = target.file_name().unwrap_or_default().to_owned();
        name.push(".restoring");
        let temporary = target.with_file_name(name);
        // The remains of an interrupted restore are opened before they are removed: that restore may still be
        // running.
        if FjallStore::exists(&temporary) {
            match FjallStore::open(&temporary, options.clone()) {
                // Nobody has it: its key is only looked at by those who do.
                Ok(_)
                | Err(
                    OpenError::KeyNeeded { .. } | OpenError::WrongKey { .. } | OpenError::NotEncrypted { .. },
                ) => {}
                Err(error) => return Err(error.into()),
            }
            std::fs::remove_dir_all(&temporary).map_err(OpenError::io(&temporary))?;
        }
        let store = Some(FjallStore::open(&temporary, options.clone())?);
        Ok(Restoring { store, stamp: Stamp::default(), options, temporary, target })
    }

    /// Writes the contents of a backup into the store, and calls `progress` from time to time.
    pub fn fill<R: Read>(
        &mut self,
        mut backup: Reading<R>,
        mut progress: impl FnMut(Summary),
    ) -> Result<Summary, RestoreError> {
        let stamp = backup.stamp();
        while let Some(entries) = backup.next() {
            let changes = entries?.into_iter().map(|(key, value)| Change::Put(key, value)).collect();
            // The last commit has the version and the time of the backup, so the ones before may have them too.
            let commit = Commit { changes, version: stamp.version, time_ms: stamp.time_ms };
            self.store().commit(commit)?;
            self.stamp = stamp;
            progress(backup.summary());
        }
        Ok(backup.summary())
    }

    /// The contents so far, for inspection.
    pub fn store(&self) -> &FjallStore {
        self.store.as_ref().expect("the store is open until it is finished, which consumes it")
    }

    /// Gives the directory its place.
    pub fn finish(mut self) -> Result<(), RestoreError> {
        self.store = None;
        // Opening proves what was written down when it was closed.
        let opened = FjallStore::open(&self.temporary, self.options.clone())?;
        let (version, time_ms) = opened.last_commit();
        if (Stamp { version, time_ms }) != self.stamp {
            let reason = format!("it ends with commit {version} instead of {}", self.stamp.version);
            return Err(OpenError::damaged(&self.temporary, reason).into());
        }
        drop(opened);
        let place = || -> std::io::Result<()> {
            if self.target.exists() {
                std::fs::remove_dir(&self.target)?;
            }
            std::fs::rename(&self.temporary, &self.target)?;
            match self.target.parent() {
                Some(parent) if !parent.as_os_str().is_empty() => directory::sync(parent),
                _ => directory::sync(Path::new(".")),
            }
        };
        place().map_err(OpenError::io(&self.target))?;
        Ok(())
    }
}

impl Drop for Restoring {
    fn drop(&mut self) {
        self.store = None;
        // Gone already if it was finished.
        match std::fs::remove_dir_all(&self.temporary) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                tracing::warn!(%error, directory = %self.temporary.display(), "a directory could not be removed");
            }
            _ => {}
        }
    }
}
