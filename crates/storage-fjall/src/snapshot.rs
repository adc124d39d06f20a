//! The store as it was right after a commit.

use std::ops::Bound;
use std::sync::Arc;

use fjall::{Readable, UserKey, UserValue};
use sortkey_storage::{Entry, Order, Snapshot, StorageError, Value};

use crate::seal::{self, ENTRY};
use crate::store::{Opened, failed};

/// A snapshot keeps the directory open, and taken, for as long as it lives.
pub(crate) struct FjallSnapshot {
    snapshot: fjall::Snapshot,
    opened: Arc<Opened>,
}

impl FjallSnapshot {
    /// What is committed now. Only to be called while no commit is under way.
    pub(crate) fn now(opened: &Arc<Opened>) -> FjallSnapshot {
        FjallSnapshot { snapshot: opened.database.snapshot(), opened: Arc::clone(opened) }
    }

    /// A number that fjall's sequence numbers of all commits in it are below, and those of all others are not.
    pub(crate) fn sequence(&self) -> u64 {
        self.snapshot.seqno()
    }

    /// A value as fjall keeps it, under the key that fjall knows.
    pub(crate) fn get_stored(&self, stored_key: &[u8]) -> fjall::Result<Option<UserValue>> {
        self.snapshot.get(&self.opened.keyspace, stored_key)
    }
}

impl Snapshot for FjallSnapshot {
    fn get(&self, key: &[u8]) -> Result<Option<Value>, StorageError> {
        let sealed = self.get_stored(&seal::entry_key(key)).map_err(failed)?;
        sealed.map(|sealed| seal::open(key, &sealed)).transpose()
    }

    fn range<'a>(
        &'a self,
        low: Bound<&[u8]>,
        high: Bound<&[u8]>,
        order: Order,
    ) -> Box<dyn Iterator<Item = Result<Entry, StorageError>> + 'a> {
        if is_empty(low, high) {
            return Box::new(std::iter::empty());
        }
        let low = match low {
            Bound::Unbounded => Bound::Included(vec![ENTRY]),
            bound => bound.map(seal::entry_key),
        };
        let high = match high {
            Bound::Unbounded => Bound::Excluded(vec![ENTRY + 1]),
            bound => bound.map(seal::entry_key),
        };
        let entries = self.snapshot.range::<Vec<u8>, _>(&self.opened.keyspace, (low, high));
        let open = |guard: fjall::Guard| entry(guard.into_inner());
        match order {
            Order::Ascending => Box::new(entries.map(open)),
            Order::Descending => Box::new(entries.rev().map(open)),
        }
    }
}

fn entry(read: fjall::Result<(UserKey, UserValue)>) -> Result<Entry, StorageError> {
    let (stored_key, sealed) = read.map_err(failed)?;
    let key = stored_key.get(1..).unwrap_or_default();
    Ok((key.into(), seal::open(key, &sealed)?))
}

/// Whether a range ends before it begins.
fn is_empty(low: Bound<&[u8]>, high: Bound<&[u8]>) -> bool {
    match (low, high) {
        (Bound::Included(low), Bound::Included(high)) => low > high,
        (Bound::Included(low) | Bound::Excluded(low), Bound::Included(high) | Bound::Excluded(high)) => {
            low >= high
        }
        _ => false,
    }
}
