//! The store as it was right after a commit.

use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use fjall::{Readable, UserKey, UserValue};
use sortkey_storage::{DataKey, Entry, Order, Snapshot, StorageError, Value};

use crate::gate::{Gate, Opened, Pass};
use crate::seal::{self, Codec, ENTRY};
use crate::store::failed;

/// A snapshot keeps the directory taken for as long as it lives, unless its store was closed to heal it.
pub(crate) struct FjallSnapshot {
    snapshot: fjall::Snapshot,
    gate: Arc<Gate>,
}

impl FjallSnapshot {
    /// A snapshot of the newest commit. Only to be called while no commit is under way.
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
        let stored_key = seal::entry_key(key);
        patiently(|| {
            let sealed = self.snapshot.get(&opened.keyspace, &stored_key).map_err(failed)?;
            sealed.map(|sealed| opened.codec.open(key, &sealed)).transpose()
        })
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
                let entries = self.snapshot.range::<Vec<u8>, _>(&pass.keyspace, (low.clone(), high.clone()));
                Box::new(Entries {
                    open: Some((entries, pass)),
                    snapshot: self,
                    low,
                    high,
                    order,
                    attempts: 0,
                })
            }
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    }

    fn data_key(&self) -> Option<DataKey> {
        self.gate.pass().ok().and_then(|opened| opened.codec.data_key())
    }
}

/// The entries of a range; the database stays open while it is read, unless it is to be closed.
struct Entries<'a> {
    /// Dropped in this order.
    open: Option<(fjall::Iter, Pass<'a>)>,
    snapshot: &'a FjallSnapshot,
    /// The bounds of the unread part.
    low: Bound<Vec<u8>>,
    high: Bound<Vec<u8>>,
    order: Order,
    /// How often the next entry could not be read.
    attempts: u32,
}

impl Entries<'_> {
    /// Reads on behind an entry that was read, should it become necessary to begin again.
    fn passed(&mut self, key: &[u8]) {
        let behind = Bound::Excluded(seal::entry_key(key));
        match self.order {
            Order::Ascending => self.low = behind,
            Order::Descending => self.high = behind,
        }
        self.attempts = 0;
    }

    /// Restarts the iteration at the unread part; `false` if no attempts are left.
    fn begin_again(&mut self) -> bool {
        self.attempts += 1;
        let Some((entries, pass)) = self.open.as_mut() else { return false };
        if self.attempts > ATTEMPTS {
            return false;
        }
        std::thread::sleep(pause(self.attempts));
        let range = (self.low.clone(), self.high.clone());
        *entries = self.snapshot.snapshot.range::<Vec<u8>, _>(&pass.keyspace, range);
        true
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<Entry, StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (entries, pass) = self.open.as_mut()?;
            if self.snapshot.gate.is_closing() {
                self.open = None;
                return Some(Err(StorageError::Reopening));
            }
            let next = match self.order {
                Order::Ascending => entries.next(),
                Order::Descending => entries.next_back(),
            };
            let read = entry(next?.into_inner(), &pass.codec);
            match &read {
                Ok((key, _)) => self.passed(key),
                Err(_) if self.begin_again() => continue,
                Err(_) => {}
            }
            return Some(read);
        }
    }
}

/// How often something is read again that could not be read. A disk whose faults come and go answers in the end.
const ATTEMPTS: u32 = 6;

/// Half a millisecond at first, twice as long every time.
fn pause(attempt: u32) -> Duration {
    Duration::from_micros(250) * 2u32.saturating_pow(attempt.min(10))
}

/// Tries to read until it works, or for the last time.
fn patiently<T>(mut read: impl FnMut() -> Result<T, StorageError>) -> Result<T, StorageError> {
    let mut attempt = 0;
    loop {
        attempt += 1;
        match read() {
            Err(StorageError::Failed(_) | StorageError::Damaged(_)) if attempt <= ATTEMPTS => {
                std::thread::sleep(pause(attempt));
            }
            read => return read,
        }
    }
}

fn entry(read: fjall::Result<(UserKey, UserValue)>, codec: &Codec) -> Result<Entry, StorageError> {
    let (stored_key, sealed) = read.map_err(failed)?;
    let key = stored_key.get(1..).unwrap_or_default();
    Ok((key.into(), codec.open(key, &sealed)?))
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
