//! An encrypted store keeps the contract of its seam, shows no value, and opens for its own key only.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sortkey_storage::{Change, Commit, DataKey, StorageError, Store, backup};
use sortkey_storage_fjall::{FjallStore, OpenError, Options, Restoring};

fn key(byte: u8) -> DataKey {
    DataKey::new([byte; 32], &format!("sealed {byte}"))
}

fn options(key: Option<DataKey>) -> Options {
    Options { cache_bytes: 8 << 20, data_key: key, ..Options::default() }
}

fn open(path: &Path) -> Arc<FjallStore> {
    FjallStore::open(path, options(Some(key(7)))).unwrap()
}

fn put(store: &FjallStore, key: &str, value: &str) {
    let (version, time_ms) = store.last_commit();
    let changes = vec![Change::Put(key.as_bytes().into(), value.as_bytes().into())];
    store.commit(Commit { changes, version: version + 1, time_ms: time_ms + 1 }).unwrap();
}

fn get(store: &FjallStore, key: &str) -> Result<Option<String>, StorageError> {
    let found = store.snapshot().get(key.as_bytes())?;
    Ok(found.map(|value| String::from_utf8(value.to_vec()).unwrap()))
}

/// All files below a directory.
fn files(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push((path.clone(), std::fs::read(&path).unwrap())),
        }
    }
    found.sort();
    found
}

fn contains(root: &Path, text: &str) -> bool {
    files(root).iter().any(|(_, bytes)| memchr::memmem::find(bytes, text.as_bytes()).is_some())
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
fn values_are_not_readable_in_journals_tables_and_files_of_large_values() {
    let directory = tempfile::tempdir().unwrap();
    for key in [None, Some(key(7))] {
        let is_plain = key.is_none();
        let path = directory.path().join(if is_plain { "plain" } else { "encrypted" });
        let open = || FjallStore::open(&path, options(key.clone())).unwrap();
        let store = open();
        put(&store, "in a table", "planted-small");
        put(&store, "apart", &"planted-large".repeat(5_000));
        store.reclaim().unwrap();
        drop(store);
        let store = open();
        put(&store, "in the journal", "planted-late");
        assert_eq!(get(&store, "in a table").unwrap().as_deref(), Some("planted-small"));
        assert_eq!(get(&store, "apart").unwrap().unwrap().len(), 65_000);
        drop(store);
        for text in ["planted-small", "planted-large", "planted-late"] {
            assert_eq!(contains(&path, text), is_plain, "{text}");
        }
        assert!(contains(&path, "in a table"), "keys stay readable");
        let store = open();
        assert_eq!(get(&store, "in the journal").unwrap().as_deref(), Some("planted-late"));
    }
}

#[test]
fn it_opens_for_its_own_key_only_and_nothing_is_changed() {
    let directory = tempfile::tempdir().unwrap();
    let (encrypted, plain) = (directory.path().join("encrypted"), directory.path().join("plain"));
    put(&open(&encrypted), "a", "1");
    put(&FjallStore::open(&plain, options(None)).unwrap(), "a", "1");
    // Opening a directory notes the process that has it.
    let state = |path: &Path| -> Vec<(PathBuf, Vec<u8>)> {
        files(path).into_iter().filter(|(path, _)| !path.ends_with("LOCK")).collect()
    };
    let before = [state(&encrypted), state(&plain)];
    for read_only in [false, true] {
        let open = |path: &Path, key: Option<DataKey>| match read_only {
            false => FjallStore::open(path, options(key)).map(drop),
            true => FjallStore::open_read_only(path, options(key)).map(drop),
        };
        assert!(matches!(open(&encrypted, None), Err(OpenError::KeyNeeded { .. })));
        assert!(matches!(open(&encrypted, Some(key(8))), Err(OpenError::WrongKey { .. })));
        assert!(matches!(open(&plain, Some(key(7))), Err(OpenError::NotEncrypted { .. })));
        assert_eq!([state(&encrypted), state(&plain)], before);
    }
    std::fs::remove_file(encrypted.join("KEY")).unwrap();
    assert!(FjallStore::open(&encrypted, options(Some(key(7)))).is_err(), "the sealed key is lost");
    assert!(FjallStore::open(&encrypted, options(None)).is_err());
}

#[test]
fn the_sealed_key_is_replaced_by_another_form_of_the_same_key_only() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    put(&store, "a", "1");
    assert_eq!(FjallStore::sealed_key(directory.path()).unwrap().as_deref(), Some("sealed 7"));
    // Also while the store is open.
    FjallStore::reseal_key(directory.path(), &DataKey::new([7; 32], "sealed anew")).unwrap();
    assert!(FjallStore::reseal_key(directory.path(), &key(8)).is_err());
    assert_eq!(FjallStore::sealed_key(directory.path()).unwrap().as_deref(), Some("sealed anew"));
    put(&store, "b", "2");
    store.reopen().unwrap();
    assert_eq!(get(&store, "a").unwrap().as_deref(), Some("1"));
    assert_eq!(get(&store, "b").unwrap().as_deref(), Some("2"));
}

#[test]
fn a_backup_is_encrypted_and_restored_under_another_key() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("store"));
    put(&store, "a", "planted-value");
    let (version, time_ms) = store.last_commit();
    let stamp = sortkey_storage::Stamp { version, time_ms };
    let pieces = backup::Pieces::new(store.snapshot(), stamp).map(Result::unwrap);
    let bytes = pieces.collect::<Vec<_>>().concat();
    assert!(!bytes.windows(7).any(|window| window == b"planted"));
    let target = directory.path().join("restored");
    let mut reading = backup::read(&bytes[..]).unwrap();
    assert_eq!(reading.sealed_key(), Some("sealed 7"));
    reading.unlock(&key(7)).unwrap();
    // An interrupted restore left a directory behind with a key that is lost.
    drop(FjallStore::open(directory.path().join("restored.restoring"), options(Some(key(9)))).unwrap());
    let mut restoring = Restoring::begin(&target, options(Some(key(8)))).unwrap();
    restoring.fill(reading, |_| {}).unwrap();
    restoring.finish().unwrap();
    let restored = FjallStore::open(&target, options(Some(key(8)))).unwrap();
    assert_eq!(get(&restored, "a").unwrap().as_deref(), Some("planted-value"));
    assert!(!contains(&target, "planted-value"));
}
