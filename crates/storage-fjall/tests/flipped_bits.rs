//! Flips single bits in the files of a store that was closed in peace. Each flip must be harmless, or be noticed when
//! the store is opened or read. Wrong data, missing data and an empty start are failures.
//!
//! `SORTKEY_FLIPS=2000` sets how many, `SORTKEY_SEED` where. The short form is a hundred.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod support;

use std::collections::BTreeMap;
use std::ops::Bound;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sortkey_storage::{Change, Commit, DataKey, Order, StorageError, Store};
use sortkey_storage_fjall::{FjallStore, Options};
use support::{Random, number_from_environment, scratch};

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

#[test]
fn no_flipped_bit_goes_unnoticed() {
    flip(&Options::default());
}

#[test]
fn no_flipped_bit_of_an_encrypted_store_goes_unnoticed() {
    let data_key = Some(DataKey::new([7; 32], "sealed"));
    flip(&Options { data_key, ..Options::default() });
}

fn flip(options: &Options) {
    let flips = number_from_environment("SORTKEY_FLIPS", 100);
    let mut random = Random::from_environment();
    let directory = scratch();
    let path = directory.path().join("store");
    let model = fill(&path, options, &mut random);
    let files = read_files(&path);
    // An empty file has no bit to flip.
    let candidates: Vec<_> = files.iter().filter(|(_, bytes)| !bytes.is_empty()).collect();
    let (mut at_opening, mut at_reading, mut harmless) = (0, 0, 0);
    for flip in 0..flips {
        let (name, bytes) = candidates[random.below(candidates.len() as u64) as usize];
        let (at, bit) = (random.below(bytes.len() as u64) as usize, random.below(8));
        write_files(&path, &files);
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << bit;
        std::fs::write(path.join(name), flipped).unwrap();
        let place = format!("flip {flip}: bit {bit} of byte {at} of {} in {}", bytes.len(), name.display());
        // A fault that was found must be found again: nothing may be repaired into a silent loss.
        let outcomes = [(); 2].map(|()| {
            catch_unwind(|| examine(&path, options, &model)).unwrap_or_else(|_| panic!("{place}: a panic"))
        });
        match &outcomes {
            [Outcome::Wrong(what), _] | [_, Outcome::Wrong(what)] => panic!("{place}: {what}"),
            [Outcome::NotOpened, _] => at_opening += 1,
            [Outcome::NotRead, _] => at_reading += 1,
            [Outcome::Fine, _] => harmless += 1,
        }
    }
    println!("{flips} flips: {at_opening} noticed at opening, {at_reading} at reading, {harmless} harmless");
    assert_eq!(at_opening + at_reading + harmless, flips);
    assert!(at_opening > 0 && at_reading > 0, "both kinds of files were hit");
}

enum Outcome {
    NotOpened,
    NotRead,
    Fine,
    Wrong(String),
}

/// A store with tables, a journal, large and small values, overwritten and removed ones.
fn fill(path: &Path, options: &Options, random: &mut Random) -> Model {
    let mut model = Model::new();
    let store = FjallStore::open(path, options.clone()).unwrap();
    for round in 0..4 {
        for _ in 0..20 {
            let mut changes = Vec::new();
            for _ in 0..20 {
                let key = random.below(400_u64).to_be_bytes()[6..].to_vec();
                if random.below(4) == 0 {
                    model.remove(&key);
                    changes.push(Change::Delete(key.into()));
                } else {
                    let length = if random.below(100) == 0 { 100_000 } else { random.below(300) };
                    let value = random.bytes(length as usize);
                    changes.push(Change::Put(key.as_slice().into(), value.as_slice().into()));
                    model.insert(key, value);
                }
            }
            let (version, time_ms) = store.last_commit();
            store.commit(Commit { changes, version: version + 1, time_ms: time_ms + 1 }).unwrap();
        }
        if round < 3 {
            // Brings what there is into tables.
            store.reclaim().unwrap();
        }
        // A journal that was opened again has no space allocated ahead, which would only dilute the flips.
        store.reopen().unwrap();
    }
    model
}

/// Opens and reads everything, in both ways there are.
fn examine(path: &Path, options: &Options, model: &Model) -> Outcome {
    let store: Arc<FjallStore> = match FjallStore::open(path, options.clone()) {
        Ok(store) => store,
        Err(_) => return Outcome::NotOpened,
    };
    let snapshot = store.snapshot();
    let mut was_refused = false;
    for (key, value) in model {
        match snapshot.get(key) {
            Ok(Some(found)) if *found == **value => {}
            Ok(found) => {
                return Outcome::Wrong(format!("key {key:?} has {:?} bytes", found.map(|v| v.len())));
            }
            Err(StorageError::Damaged(_) | StorageError::Failed(_)) => was_refused = true,
            Err(error) => return Outcome::Wrong(error.to_string()),
        }
    }
    for order in [Order::Ascending, Order::Descending] {
        let entries: Result<Model, _> = snapshot
            .range(Bound::Unbounded, Bound::Unbounded, order)
            .map(|entry| entry.map(|(key, value)| (key.to_vec(), value.to_vec())))
            .collect();
        match entries {
            Ok(entries) if entries == *model => {}
            Ok(entries) => return Outcome::Wrong(format!("{} of {} entries", entries.len(), model.len())),
            Err(_) => was_refused = true,
        }
    }
    if was_refused { Outcome::NotRead } else { Outcome::Fine }
}

/// All files below a directory, by their relative path.
fn read_files(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let (mut files, mut directories) = (Vec::new(), vec![root.to_owned()]);
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else {
                files.push((path.strip_prefix(root).unwrap().to_owned(), std::fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

fn write_files(root: &Path, files: &[(PathBuf, Vec<u8>)]) {
    std::fs::remove_dir_all(root).unwrap();
    for (name, bytes) in files {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}
