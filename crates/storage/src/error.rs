//! What can go wrong below the waist.

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
    /// What was read belongs to a store that has been closed to heal it.
    #[error("the store is being opened anew after a failure; nothing was changed, try again")]
    Reopening,
    /// The code that prepared a write panicked; its batch was not committed.
    #[error("a write was abandoned: {0}")]
    Abandoned(String),
    /// The key of what is encrypted cannot be had.
    #[error("{0}")]
    Locked(String),
    /// Whoever had the store has let go of it.
    #[error("the store is closed")]
    Closed,
}
