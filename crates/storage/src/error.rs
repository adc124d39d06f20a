//! The errors of stores and of the committer.

use thiserror::Error;

/// A store could not do what it was asked.
#[derive(Clone, Debug, Error)]
pub enum StorageError {
    /// Reading or writing failed.
    #[error("the store failed: {0}")]
    Failed(String),
    /// Bytes that were read are not what was written.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// An earlier failure of the journal stopped all writes until the store is opened anew; reads go on.
    #[error("the store takes no writes since a commit failed: {0}")]
    ReadOnly(String),
    /// The snapshot belongs to a store that has been closed in order to recover it.
    #[error("the store is being opened anew after a failure; nothing was changed, try again")]
    Reopening,
    /// The code that prepared a write panicked; its batch was not committed.
    #[error("a write was abandoned: {0}")]
    Abandoned(String),
    /// The key of what is encrypted cannot be had.
    #[error("{0}")]
    Locked(String),
    /// The owner of the store has closed it.
    #[error("the store is closed")]
    Closed,
}
