//! The way to an open database, which can be shut: whoever holds a snapshot does not keep the database open.
//!
//! Reading goes through the gate, for as long as one call or one iterator lasts. A store that heals shuts it: iterators
//! under way end with an error, snapshots answer errors from then on, and the database is closed once the last of them
//! is out. Fjall deletes files when the last reader of an old table is gone, so a database must be closed to the last
//! reader before its directory is opened again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fjall::{Database, Keyspace};
use parking_lot::{RwLock, RwLockReadGuard};
use sortkey_storage::StorageError;

use crate::lock::{DirectoryLock, ReadLock};
use crate::seal::Codec;
use crate::shadow::Shadow;

/// Everything that must be closed together. Fields are dropped in this order: fjall first, then the lock on the
/// directory.
pub(crate) struct Opened {
    pub(crate) keyspace: Keyspace,
    pub(crate) database: Database,
    pub(crate) codec: Codec,
    pub(crate) _hold: Hold,
}

/// The lock that keeps other processes out, and for a reader also its shadow, which is removed when dropped.
#[expect(dead_code, reason = "they are held, not used")]
pub(crate) enum Hold {
    Write(DirectoryLock),
    Read(Shadow, ReadLock),
}

/// An open database, or what is left of it.
pub(crate) struct Gate {
    opened: RwLock<Option<Opened>>,
    is_closing: AtomicBool,
}

/// Leave to use the database, until dropped.
pub(crate) type Pass<'a> = parking_lot::MappedRwLockReadGuard<'a, Opened>;

impl Gate {
    pub(crate) fn new(opened: Opened) -> Gate {
        Gate { opened: RwLock::new(Some(opened)), is_closing: AtomicBool::new(false) }
    }

    /// Lets a reader in, unless the gate is shut.
    pub(crate) fn pass(&self) -> Result<Pass<'_>, StorageError> {
        if self.is_closing() {
            return Err(StorageError::Reopening);
        }
        // A reader may already hold a pass for an iterator; a waiting writer, which closes the gate, must not block
        // it.
        let opened = self.opened.read_recursive();
        RwLockReadGuard::try_map(opened, Option::as_ref).map_err(|_| StorageError::Reopening)
    }

    /// Whether readers under way should leave.
    pub(crate) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Relaxed)
    }

    /// Closes the database as soon as all readers are out. If that takes too long, everything stays as it was.
    pub(crate) fn shut(&self, patience: Duration) -> bool {
        self.is_closing.store(true, Ordering::Relaxed);
        let Some(mut opened) = self.opened.try_write_for(patience) else {
            self.is_closing.store(false, Ordering::Relaxed);
            return false;
        };
        *opened = None;
        true
    }
}
