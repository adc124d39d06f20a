//! The store keeps the contract of its seam, comes back after a restart, and refuses what it should.
#![allow(clippy::unwrap_used)]

use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use sortkey_storage::{Change, Commit, Order, Snapshot, StorageError, Store};
use sortkey_storage_fjall::{Durability, FjallStore, OpenError, Options};

fn options() -> Options {
    Options { cache_bytes: 8 << 20, ..Options::default() }
}

fn open(path: &Path) -> Arc<FjallStore> {
    FjallStore::open(path, options()).unwrap()
}

fn put(key: &[u8], value: &[u8]) -> Change {
    Change::Put(key.into(), value.into())
}

/// Commits with the next version, a thousand milliseconds after the last.
fn commit(store: &FjallStore, changes: Vec<Change>) {
    let (version, time_ms) = store.last_commit();
    store.commit(Commit { changes, version: version + 1, time_ms: time_ms + 1_000 }).unwrap();
}

fn all(snapshot: &dyn Snapshot) -> Vec<(Vec<u8>, Vec<u8>)> {
    snapshot
        .range(Bound::Unbounded, Bound::Unbounded, Order::Ascending)
        .map(|entry| entry.map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap())
        .collect()
}

#[test]
fn keeps_the_contract() {
    let directory = tempfile::tempdir().unwrap();
    let number = std::cell::Cell::new(0);
    sortkey_storage::contract::check(|| {
        number.set(number.get() + 1);
        let path = directory.path().join(number.get().to_string());
        Box::new(Arc::into_inner(open(&path)).unwrap())
    });
}

#[test]
fn everything_comes_back_after_a_restart() {
    for durability in [Durability::Fsync, Durability::Os] {
        let directory = tempfile::tempdir().unwrap();
        let open = || FjallStore::open(directory.path(), Options { durability, ..options() }).unwrap();
        let store = open();
        commit(&store, vec![put(b"a", b"1"), put(b"b", b""), put(b"", b"empty key")]);
        commit(&store, vec![put(b"a", b"2"), Change::Delete((*b"b").into()), put(b"c", &[7; 100_000])]);
        let (before, last) = (all(&*store.snapshot()), store.last_commit());
        assert_eq!(last, (2, 2_000));
        drop(store);
        let store = open();
        assert_eq!(store.last_commit(), last);
        assert_eq!(all(&*store.snapshot()), before);
        commit(&store, vec![put(b"d", b"4")]);
        store.reopen().unwrap();
        assert_eq!(store.last_commit(), (3, 3_000));
        assert_eq!(all(&*store.snapshot()).len(), 4);
    }
}

#[test]
fn versions_may_skip() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    store.commit(Commit { changes: vec![put(b"a", b"1")], version: 64, time_ms: 5 }).unwrap();
    store.commit(Commit { changes: vec![put(b"a", b"2")], version: 70, time_ms: 5 }).unwrap();
    store.reopen().unwrap();
    assert_eq!(store.last_commit(), (70, 5));
}

#[test]
fn one_store_at_a_time_has_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let refused = FjallStore::open(directory.path(), options()).err().unwrap();
    assert!(matches!(refused, OpenError::InUse { .. }), "{refused}");
    let snapshot = store.snapshot();
    drop(store);
    assert!(FjallStore::open(directory.path(), options()).is_err(), "a snapshot still needs the directory");
    drop(snapshot);
    open(directory.path());
}

// Fjall's empty lock file, lost in a copy, kept a database from being opened: "No such file or directory".
#[test]
fn a_lost_lock_file_is_made_again() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    commit(&store, vec![put(b"a", b"1")]);
    drop(store);
    std::fs::remove_file(directory.path().join("fjall/lock")).unwrap();
    let store = FjallStore::open_read_only(directory.path(), options()).unwrap();
    assert_eq!(store.snapshot().get(b"a").unwrap().as_deref(), Some(&b"1"[..]));
    drop(store);
    open(directory.path());
}

// An empty or missing table was "Invalid argument" or "Storage(Unrecoverable)", and for readers in a temporary directory.
#[test]
fn damage_is_named_where_it_is() {
    for is_missing in [true, false] {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path());
        commit(&store, vec![put(b"a", b"1")]);
        drop(store);
        let table = directory.path().join("fjall/keyspaces/0/tables/0");
        if is_missing { std::fs::remove_file(table) } else { std::fs::write(table, b"") }.unwrap();
        let path = directory.path().display().to_string();
        for result in [FjallStore::open(&path, options()), FjallStore::open_read_only(&path, options())] {
            let refused = result.err().unwrap();
            assert!(matches!(refused, OpenError::Damaged { .. }), "{refused}");
            let said = refused.to_string();
            assert!(said.starts_with(&path) && said.contains("is missing or"), "{said}");
        }
    }
}

#[test]
fn what_was_read_before_the_store_was_reopened_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    commit(&store, vec![put(b"a", b"1"), put(b"b", b"2")]);
    let before = store.snapshot();
    let mut entries = before.range(Bound::Unbounded, Bound::Unbounded, Order::Ascending);
    assert!(entries.next().unwrap().is_ok());
    // An iterator that nobody moves is waited for, and then the store stays as it is.
    store.reopen().unwrap_err();
    assert!(entries.next().unwrap().is_ok());
    drop(entries);
    commit(&store, vec![put(b"a", b"3")]);
    store.reopen().unwrap();
    assert!(matches!(before.get(b"a"), Err(StorageError::Reopening)));
    let mut entries = before.range(Bound::Unbounded, Bound::Unbounded, Order::Ascending);
    assert!(matches!(entries.next(), Some(Err(StorageError::Reopening))));
    assert!(entries.next().is_none());
    assert_eq!(store.snapshot().get(b"a").unwrap().as_deref(), Some(&b"3"[..]));
}

#[test]
fn a_directory_with_other_things_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("thesis.txt"), "years of work").unwrap();
    let refused = FjallStore::open(directory.path(), options()).err().unwrap();
    assert!(matches!(refused, OpenError::NotADatabase { .. }), "{refused}");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn a_database_never_starts_empty_because_a_file_is_missing() {
    for missing in [
        "FORMAT",
        "PROGRESS",
        "fjall",
        "fjall/version",
        "fjall/0.jnl",
        "fjall/keyspaces",
        "fjall/keyspaces/0/current",
        "fjall/keyspaces/1/current",
        "fjall/keyspaces/1",
    ] {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path());
        commit(&store, vec![put(b"a", b"1")]);
        drop(store);
        let path = directory.path().join(missing);
        if path.is_dir() {
            std::fs::remove_dir_all(&path).unwrap();
        } else {
            std::fs::remove_file(&path).unwrap();
        }
        for attempt in ["first", "second"] {
            let refused = FjallStore::open(directory.path(), options()).err();
            assert!(refused.is_some(), "{missing} is missing, {attempt} attempt");
        }
    }
}

#[test]
fn a_creation_that_was_interrupted_begins_anew() {
    let directory = tempfile::tempdir().unwrap();
    let whole = tempfile::tempdir().unwrap();
    drop(open(whole.path()));
    // According to FORMAT, nothing was ever committed; everything else in the directory is a leftover.
    let mut format = std::fs::read(whole.path().join("FORMAT")).unwrap();
    format[15] = 0;
    let checksum = xxhash_rust::xxh3::xxh3_64(&format[..16]);
    format[16..].copy_from_slice(&checksum.to_be_bytes());
    std::fs::write(directory.path().join("FORMAT"), format).unwrap();
    std::fs::create_dir_all(directory.path().join("fjall/keyspaces/7")).unwrap();
    let store = open(directory.path());
    commit(&store, vec![put(b"a", b"1")]);
    store.reopen().unwrap();
    assert_eq!(all(&*store.snapshot()).len(), 1);
}

#[test]
fn commits_survive_many_restarts_and_flushes() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let mut expected = 0u32;
    for _ in 0..4 {
        for _ in 0..3 {
            let changes = (0..8).map(|_| {
                expected += 1;
                put(&expected.to_be_bytes(), &vec![expected as u8; 400_000])
            });
            commit(&store, changes.collect());
        }
        store.reopen().unwrap();
    }
    let entries = all(&*store.snapshot());
    assert_eq!(entries.len(), expected as usize);
    for (key, value) in entries {
        assert!(value.len() == 400_000 && value.iter().all(|byte| *byte == key[3]));
    }
}

#[test]
fn removed_keys_give_their_space_back() {
    for (count, value_bytes) in [(10_000, 4_000), (1_200, 40_000)] {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path());
        let keys: Vec<[u8; 4]> = (0..count).map(u32::to_be_bytes).collect();
        for chunk in keys.chunks(100) {
            commit(&store, chunk.iter().map(|key| put(key, &vec![key[3]; value_bytes])).collect());
        }
        store.reclaim().unwrap();
        let full = tables(directory.path());
        assert!(full >= 40_000_000, "{full}");
        for chunk in keys.chunks(100) {
            commit(&store, chunk.iter().map(|key| Change::Delete(key.as_slice().into())).collect());
        }
        // Nobody asks for it: the removals are counted. Old tables go when later commits have replaced the snapshot.
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while tables(directory.path()) > full / 10 {
            let left = tables(directory.path());
            assert!(std::time::Instant::now() < deadline, "{value_bytes}: {left} bytes are left of {full}");
            std::thread::sleep(std::time::Duration::from_millis(50));
            commit(&store, vec![put(b"alive", b"")]);
        }
        assert_eq!(all(&*store.snapshot()).len(), 1);
    }
}

/// Bytes of all tables.
fn tables(directory: &Path) -> u64 {
    let tree = directory.join("fjall/keyspaces/1");
    ["tables", "blobs"]
        .iter()
        .filter_map(|kind| std::fs::read_dir(tree.join(kind)).ok())
        .flat_map(|files| files.map(|file| file.unwrap().metadata().map_or(0, |file| file.len())))
        .sum()
}
