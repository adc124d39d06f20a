//! The contract of every store, as checks that a store's own tests call with a way to open an empty one.
//!
//! The checks panic when a store breaks the contract; they are meant for tests only.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use crate::store::{Change, Commit, Order, Snapshot, Store};

/// Runs all checks.
pub fn check(open: impl Fn() -> Box<dyn Store>) {
    an_empty_store_is_empty(&*open());
    the_later_change_of_a_key_wins(&*open());
    snapshots_do_not_change(&*open());
    ranges_respect_their_bounds(&*open());
    a_store_agrees_with_a_sorted_map(&*open());
}

fn put(key: &[u8], value: &[u8]) -> Change {
    Change::Put(key.into(), value.into())
}

fn commit(store: &dyn Store, changes: Vec<Change>) -> Arc<dyn Snapshot> {
    let (version, time_ms) = store.last_commit();
    let snapshot = store.commit(Commit { changes, version: version + 1, time_ms: time_ms + 1 }).unwrap();
    assert_eq!(store.last_commit(), (version + 1, time_ms + 1), "the last commit is remembered");
    snapshot
}

fn keys(snapshot: &dyn Snapshot, low: Bound<&[u8]>, high: Bound<&[u8]>, order: Order) -> Vec<Vec<u8>> {
    snapshot.range(low, high, order).map(|entry| entry.unwrap().0.to_vec()).collect()
}

fn an_empty_store_is_empty(store: &dyn Store) {
    assert_eq!(store.last_commit().0, 0);
    assert!(store.snapshot().get(b"any").unwrap().is_none());
    assert!(keys(&*store.snapshot(), Bound::Unbounded, Bound::Unbounded, Order::Ascending).is_empty());
}

fn the_later_change_of_a_key_wins(store: &dyn Store) {
    let snapshot = commit(
        store,
        vec![put(b"k", b"1"), put(b"k", b"2"), put(b"gone", b""), Change::Delete((*b"gone").into())],
    );
    assert_eq!(snapshot.get(b"k").unwrap().as_deref(), Some(b"2".as_slice()));
    assert!(snapshot.get(b"gone").unwrap().is_none());
}

fn snapshots_do_not_change(store: &dyn Store) {
    let before = commit(store, vec![put(b"a", b"1"), put(b"b", b"1")]);
    let mut lazily = before.range(Bound::Unbounded, Bound::Unbounded, Order::Ascending);
    let after = commit(store, vec![put(b"a", b"2"), Change::Delete((*b"b").into()), put(b"c", b"2")]);
    assert_eq!(lazily.by_ref().map(|entry| entry.unwrap().1[0]).collect::<Vec<_>>(), b"11");
    assert_eq!(before.get(b"a").unwrap().as_deref(), Some(b"1".as_slice()));
    assert_eq!(after.get(b"a").unwrap().as_deref(), Some(b"2".as_slice()));
    assert_eq!(keys(&*after, Bound::Unbounded, Bound::Unbounded, Order::Ascending), [b"a", b"c"]);
    assert_eq!(keys(&*store.snapshot(), Bound::Unbounded, Bound::Unbounded, Order::Descending), [b"c", b"a"]);
}

fn ranges_respect_their_bounds(store: &dyn Store) {
    use Bound::{Excluded, Included, Unbounded};
    let snapshot = commit(store, (b'a'..=b'e').map(|key| put(&[key], b"")).collect());
    for (low, high, expected) in [
        (Included(b"b".as_slice()), Included(b"d".as_slice()), "bcd"),
        (Excluded(b"b"), Included(b"d"), "cd"),
        (Included(b"b"), Excluded(b"d"), "bc"),
        (Excluded(b"b"), Excluded(b"d"), "c"),
        (Excluded(b"bb"), Unbounded, "cde"),
        (Unbounded, Excluded(b"bb"), "ab"),
        (Included(b"c"), Included(b"c"), "c"),
        (Excluded(b"c"), Excluded(b"c"), ""),
        (Included(b"d"), Included(b"b"), ""),
        (Included(b"x"), Unbounded, ""),
    ] {
        let ascending = keys(&*snapshot, low, high, Order::Ascending).concat();
        assert_eq!(String::from_utf8(ascending).unwrap(), expected, "{low:?} {high:?}");
        let mut descending = keys(&*snapshot, low, high, Order::Descending).concat();
        descending.reverse();
        assert_eq!(String::from_utf8(descending).unwrap(), expected, "{low:?} {high:?}, descending");
    }
}

fn a_store_agrees_with_a_sorted_map(store: &dyn Store) {
    let mut model: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
    let mut random = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = move || {
        // A xorshift generator: the same operations in every run.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    for round in 0..200u64 {
        let mut changes = Vec::new();
        for _ in 0..next() % 8 {
            let key = (next() % 500).to_be_bytes()[6..].to_vec();
            if next() % 3 == 0 {
                changes.push(Change::Delete(key.as_slice().into()));
                model.remove(&key);
            } else {
                changes.push(put(&key, &round.to_be_bytes()));
                model.insert(key, round.to_be_bytes().to_vec());
            }
        }
        let snapshot = commit(store, changes);
        let low = (next() % 500).to_be_bytes()[6..].to_vec();
        let found: Vec<_> = snapshot
            .range(Bound::Included(&low), Bound::Unbounded, Order::Ascending)
            .take(20)
            .map(|entry| entry.unwrap())
            .map(|(key, value)| (key.to_vec(), value.to_vec()))
            .collect();
        let expected: Vec<_> =
            model.range(low..).take(20).map(|(key, value)| (key.clone(), value.clone())).collect();
        assert_eq!(found, expected, "round {round}");
    }
}
