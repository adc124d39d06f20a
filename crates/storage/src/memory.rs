//! The memory store: a persistent ordered map. A snapshot, and a fork of the whole database, is one reference.

use std::ops::Bound;
use std::sync::Arc;

use imbl::OrdMap;
use parking_lot::Mutex;

use crate::StorageError;
use crate::store::{Change, Commit, Entry, Key, Order, Snapshot, Store, Value};

/// A store that survives nothing and costs little.
#[derive(Default)]
pub struct MemoryStore {
    newest: Mutex<Newest>,
}

#[derive(Clone, Default)]
struct Newest {
    map: OrdMap<Key, Value>,
    version: u64,
    time_ms: u64,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }

    /// A second store that starts with what this one contains; from then on neither sees the other.
    pub fn fork(&self) -> MemoryStore {
        MemoryStore { newest: Mutex::new(self.newest.lock().clone()) }
    }
}

impl Store for MemoryStore {
    fn snapshot(&self) -> Arc<dyn Snapshot> {
        Arc::new(MemorySnapshot { map: self.newest.lock().map.clone() })
    }

    fn last_commit(&self) -> (u64, u64) {
        let newest = self.newest.lock();
        (newest.version, newest.time_ms)
    }

    fn commit(&self, commit: Commit) -> Result<Arc<dyn Snapshot>, StorageError> {
        let mut newest = self.newest.lock();
        for change in commit.changes {
            match change {
                Change::Put(key, value) => drop(newest.map.insert(key, value)),
                Change::Delete(key) => drop(newest.map.remove(&key)),
            }
        }
        newest.version = commit.version;
        newest.time_ms = commit.time_ms;
        Ok(Arc::new(MemorySnapshot { map: newest.map.clone() }))
    }

    fn waits(&self) -> bool {
        false
    }
}

struct MemorySnapshot {
    map: OrdMap<Key, Value>,
}

impl Snapshot for MemorySnapshot {
    fn get(&self, key: &[u8]) -> Result<Option<Value>, StorageError> {
        Ok(self.map.get(key).cloned())
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
        let entries = self.map.range::<_, [u8]>((low, high));
        let own = |(key, value): (&Key, &Value)| Ok((Arc::clone(key), Arc::clone(value)));
        match order {
            Order::Ascending => Box::new(entries.map(own)),
            Order::Descending => Box::new(entries.rev().map(own)),
        }
    }
}

/// Whether a range ends before it begins, which ordered maps tend to answer with a panic.
fn is_empty(low: Bound<&[u8]>, high: Bound<&[u8]>) -> bool {
    match (low, high) {
        (Bound::Included(low), Bound::Included(high)) => low > high,
        (Bound::Included(low) | Bound::Excluded(low), Bound::Included(high) | Bound::Excluded(high)) => {
            low >= high
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_contract() {
        crate::contract::check(|| Box::new(MemoryStore::new()));
    }

    #[test]
    fn forks_do_not_see_each_other() {
        let put = |store: &MemoryStore, key: &[u8]| {
            let changes = vec![Change::Put(key.into(), [1].into())];
            store.commit(Commit { changes, version: 1, time_ms: 1 }).unwrap();
        };
        let left = MemoryStore::new();
        put(&left, b"both");
        let right = left.fork();
        put(&left, b"left");
        put(&right, b"right");
        let has = |store: &MemoryStore, key: &[u8]| store.snapshot().get(key).unwrap().is_some();
        assert!(has(&left, b"both") && has(&right, b"both"));
        assert!(has(&left, b"left") && !has(&right, b"left"));
        assert!(!has(&left, b"right") && has(&right, b"right"));
    }
}
