//! Why a directory cannot be opened.

use std::path::PathBuf;

use thiserror::Error;

/// A directory was not opened. Nothing that was committed in it has been changed.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Another process, or another store of this process, has it.
    #[error("{} is in use by {holder}; one process at a time can have it", path.display())]
    InUse {
        /// The directory.
        path: PathBuf,
        /// The process that has it and since when, from its entry in the lock file.
        holder: String,
    },
    /// It contains something, but not a database.
    #[error("{} is not empty and contains no sortkey database (it has no file FORMAT)", path.display())]
    NotADatabase {
        /// The directory.
        path: PathBuf,
    },
    /// It was written in a format that this version does not support.
    #[error("{} has format {found}, but this version of sortkey reads formats {} and {}; use the version that wrote \
             it, or a newer one", path.display(), crate::format::VERSION, crate::format::ENCRYPTED_VERSION)]
    UnknownFormat {
        /// The directory.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// It is encrypted.
    #[error("{} is encrypted, and no key was given; it is left as it is", path.display())]
    KeyNeeded {
        /// The directory.
        path: PathBuf,
    },
    /// It is encrypted with another key.
    #[error("{} is encrypted with another key; it is left as it is", path.display())]
    WrongKey {
        /// The directory.
        path: PathBuf,
    },
    /// It is not encrypted, and a key was given.
    #[error("{} is not encrypted, and a database is encrypted when it is made; it is left as it is", path.display())]
    NotEncrypted {
        /// The directory.
        path: PathBuf,
    },
    /// The contents differ from what was written.
    #[error("{} is damaged: {reason}; it is left as it is", path.display())]
    Damaged {
        /// The file or directory.
        path: PathBuf,
        /// The check that failed.
        reason: String,
    },
    /// A file system operation failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The error of the file system.
        source: std::io::Error,
    },
}

impl OpenError {
    pub(crate) fn damaged(path: impl Into<PathBuf>, reason: impl Into<String>) -> OpenError {
        OpenError::Damaged { path: path.into(), reason: reason.into() }
    }

    /// Turns an I/O error into one that names its file.
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> OpenError {
        move |source| OpenError::Io { path: path.into(), source }
    }
}
