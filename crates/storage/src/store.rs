//! The interface of a store. The memory store and the durable ones implement it, and the tests in
//! [`crate::contract`] define it in detail.

use std::ops::Bound;
use std::sync::Arc;

use crate::{DataKey, StorageError};

/// A key; stores order keys by their bytes.
pub type Key = Arc<[u8]>;
/// A value.
pub type Value = Arc<[u8]>;
/// A key with its value.
pub type Entry = (Key, Value);

/// The direction in which a range is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// From the smallest key on.
    Ascending,
    /// From the largest key on.
    Descending,
}

/// The whole store as it was at one commit.
pub trait Snapshot: Send + Sync {
    /// The value of a key.
    fn get(&self, key: &[u8]) -> Result<Option<Value>, StorageError>;

    /// The entries between two keys; a range that ends before it begins is empty.
    fn range<'a>(
        &'a self,
        low: Bound<&[u8]>,
        high: Bound<&[u8]>,
        order: Order,
    ) -> Box<dyn Iterator<Item = Result<Entry, StorageError>> + 'a>;

    /// The key that copies of it are to be encrypted with, if the store is encrypted.
    fn data_key(&self) -> Option<DataKey> {
        None
    }
}

/// One change of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The key has this value now.
    Put(Key, Value),
    /// The key is gone.
    Delete(Key),
}

/// Changes that become durable and visible in one step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// The changes, in order; a later one of a key wins.
    pub changes: Vec<Change>,
    /// The version of the last batch in it.
    pub version: u64,
    /// When it is committed, in milliseconds since 1970.
    pub time_ms: u64,
}

/// Ordered bytes that survive what the store promises to survive.
pub trait Store: Send + Sync + 'static {
    /// The newest committed state.
    fn snapshot(&self) -> Arc<dyn Snapshot>;

    /// The version and the time of the newest commit, as they were before a restart.
    fn last_commit(&self) -> (u64, u64);

    /// Makes all changes durable, then visible, or none of them. Only the [`crate::Committer`] calls this,
    /// one call at a time; after an error it does not call it again before the store was [reopened](Store::reopen).
    fn commit(&self, commit: Commit) -> Result<Arc<dyn Snapshot>, StorageError>;

    /// Whether a batch with these changes would be taken now. A store that is short of space takes only what makes
    /// space; refusing a batch changes nothing, and later ones are asked about again.
    fn admits(&self, _changes: &[Change]) -> Result<(), StorageError> {
        Ok(())
    }

    /// Why the store takes no writes although nothing failed since it was opened: it could only be opened for reading.
    fn read_only(&self) -> Option<String> {
        None
    }

    /// Conditions that do not stop the store but need an operator's attention.
    fn notices(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether a commit waits for a device, so that it deserves a thread of its own.
    fn waits(&self) -> bool;

    /// After a failed commit: whether the device would take one now. Asking disturbs nobody who reads.
    fn is_well(&self) -> Result<(), StorageError> {
        Err(StorageError::Failed("this store cannot be opened anew".into()))
    }

    /// Closes the store and opens it again, the one way to write on after a commit failed: what that commit left on
    /// the device is unknown, and is found out by reading it. Snapshots from before answer
    /// [`StorageError::Reopening`] from then on. After an error the store may be closed; it can be tried again.
    fn reopen(&self) -> Result<(), StorageError> {
        self.is_well()
    }
}
