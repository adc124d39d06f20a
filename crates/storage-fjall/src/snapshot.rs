//! The store as it was right after a commit.

use std::ops::Bound;
use std::sync::Arc;

use fjall::{Readable, UserKey, UserValue};
use sortkey_storage::{Entry, Order, Snapshot, StorageError, Value};

use crate::gate::{Gate, Opened, Pass};
use crate::seal::{self, ENTRY};
use crate::store::failed;

/// A snapshot keeps the directory taken for as long as it lives, unless its store was closed to heal it.
pub(crate) struct FjallSnapshot {
    snapshot: fjall::Snapshot,
    gate: Arc<Gate>,
}

impl FjallSnapshot {
    /// What is committed now. Only to be called while no commit is under way.
    pub(crate) fn now(gate: &Arc<Gate>, opened: &Opened) -> FjallSnapshot {
        FjallSnapshot { snapshot: opened.database.snapshot(), gate: Arc::clone(gate) }
    }

    /// A number that fjall's sequence numbers of all commits in it are below, and those of all others are not.
    pub(crate) fn sequence(&self) -> u64 {
        self.snapshot.seqno()
    }

    /// The way to the database that it is of.
    pub(crate) fn gate(&self) -> &Gate {
        &self.gate
    }
}

impl Snapshot for FjallSnapshot {
    fn get(&self, key: &[u8]) -> Result<Option<Value>, StorageError> {
        let opened = self.gate.pass()?;
        let sealed = self.snapshot.get(&opened.keyspace, seal::entry_key(key)).map_err(failed)?;
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
        match self.gate.pass() {
            Ok(pass) => {
                let entries = self.snapshot.range::<Vec<u8>, _>(&pass.keyspace, (low, high));
                Box::new(Entries { open: Some((entries, pass)), gate: &self.gate, order })
            }
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    }
}

/// The entries of a range; the database stays open while it is read, unless it is to be closed.
struct Entries<'a> {
    /// Dropped in this order.
    open: Option<(fjall::Iter, Pass<'a>)>,
    gate: &'a Gate,
    order: Order,
}

impl Iterator for Entries<'_> {
    type Item = Result<Entry, StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (entries, _) = self.open.as_mut()?;
        if self.gate.is_closing() {
            self.open = None;
            return Some(Err(StorageError::Reopening));
        }
        let next = match self.order {
            Order::Ascending => entries.next(),
            Order::Descending => entries.next_back(),
        };
        next.map(|guard| entry(guard.into_inner()))
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
