//! The scrub finds every bit that is not what was written, before its data is needed.
//!
//! `SORTKEY_SCRUB_FLIPS=1000` sets how many bits are flipped, `SORTKEY_SEED` the run.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod support;

use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use sortkey_storage::Store;
use sortkey_storage_fjall::{FjallStore, Options, scrub};
use support::database::Database;
use support::{Random, number_from_environment, scratch};

fn fill(path: &Path) {
    let database = Database::open(path).unwrap();
    let table = json!({
        "TableName": "table", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "N"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]
    });
    database.call("CreateTable", &table).unwrap();
    put(&database, 0..60);
}

/// More items, in files of their own.
fn fill_more(path: &Path) {
    put(&Database::open(path).unwrap(), 60..90);
}

fn put(database: &Database, numbers: std::ops::Range<u64>) {
    for number in numbers {
        // Some are kept apart from the tables.
        let long = "x".repeat(if number % 3 == 0 { 20_000 } else { 500 });
        let item = json!({"pk": {"N": number.to_string()}, "long": {"S": long}});
        database.call("PutItem", &json!({"TableName": "table", "Item": item})).unwrap();
    }
    database.store.reclaim().unwrap();
}

/// Every file that contains something, without what is written anew by whoever opens the database: who has it, and how far it
/// got, twice.
fn contents(path: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap().path();
            let name = entry.file_name().unwrap().to_string_lossy().into_owned();
            if entry.is_dir() {
                folders.push(entry);
            } else if !["LOCK", "PROGRESS", "RESERVE", "SESSION"].contains(&&*name) {
                found.push(entry.strip_prefix(path).unwrap().to_owned());
            }
        }
    }
    // Empty space that was allocated ahead contains nothing.
    found.retain(|file| std::fs::read(path.join(file)).unwrap().iter().any(|byte| *byte != 0));
    found.sort();
    found
}

/// How much of a file was written.
fn written(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)
}

#[test]
fn every_flipped_bit_is_found() {
    let flips = number_from_environment("SORTKEY_SCRUB_FLIPS", 60);
    let mut random = Random::from_environment();
    let directory = scratch();
    let path = directory.path().join("database");
    fill(&path);
    assert_eq!(scrub(&path).unwrap(), []);
    assert_eq!(scrub(&path).unwrap(), []);
    let files = contents(&path);
    for part in ["tables", "blobs", ".jnl", "current", "FORMAT", "SUMS", "version"] {
        assert!(files.iter().any(|file| file.to_string_lossy().contains(part)), "{part}: {files:?}");
    }
    for flip in 0..flips {
        let file = &files[random.below(files.len() as u64) as usize];
        let good = std::fs::read(path.join(file)).unwrap();
        let mut bad = good.clone();
        let bit = random.below(written(&bad) as u64 * 8);
        bad[bit as usize / 8] ^= 1 << (bit % 8);
        std::fs::write(path.join(file), &bad).unwrap();
        let found: Vec<PathBuf> = scrub(&path).unwrap().into_iter().map(|damage| damage.path).collect();
        // A damaged name of a manifest may be that of one which is not there.
        let named = if file.ends_with("current") { &found[..] } else { std::slice::from_ref(file) };
        assert!(!found.is_empty() && found == named, "flip {flip}: bit {bit} of {file:?}: {found:?}");
        std::fs::write(path.join(file), &good).unwrap();
    }
    assert_eq!(scrub(&path).unwrap(), []);
}

// `sortkey verify` called a damaged directory sound if it could not note the checksums of new files: a full disk, a directory that
// is only read.
#[test]
fn damage_is_found_where_nothing_can_be_written() {
    let directory = scratch();
    let path = directory.path().join("database");
    fill(&path);
    assert_eq!(scrub(&path).unwrap(), []);
    let noted = std::fs::read(path.join("SUMS")).unwrap();
    // New files, so that there is something to note.
    fill_more(&path);
    std::fs::create_dir(path.join("SUMS.new")).unwrap();
    assert_eq!(scrub(&path).unwrap(), []);
    assert_eq!(std::fs::read(path.join("SUMS")).unwrap(), noted, "it could not be written");
    for part in ["blobs", "FORMAT"] {
        let files = contents(&path);
        let file = files.iter().find(|file| file.to_string_lossy().contains(part)).unwrap();
        let good = std::fs::read(path.join(file)).unwrap();
        let mut bad = good.clone();
        bad[good.len() / 2] ^= 1;
        std::fs::write(path.join(file), bad).unwrap();
        let found: Vec<PathBuf> = scrub(&path).unwrap().into_iter().map(|damage| damage.path).collect();
        assert_eq!(found, std::slice::from_ref(file), "{part}");
        std::fs::write(path.join(file), good).unwrap();
    }
}

#[test]
fn the_background_reports_damage_that_nobody_read() {
    let directory = scratch();
    let path = directory.path().join("database");
    fill(&path);
    assert_eq!(scrub(&path).unwrap(), []);
    let files = contents(&path);
    let blob = files.iter().find(|file| file.to_string_lossy().contains("blobs")).unwrap();
    let mut bytes = std::fs::read(path.join(blob)).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(path.join(blob), bytes).unwrap();
    let options = Options { scrub_interval: Some(Duration::from_millis(200)), ..Options::default() };
    let store = FjallStore::open(&path, options).unwrap();
    while store.notices().is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let notices = store.notices();
    assert!(notices[0].contains("is damaged"), "{notices:?}");
}

// Tables and large values have their names while they are being written: a file that was noted too early was damaged ever after.
// A journal is written while it is read, sealed, and removed when everything in it is in tables.
#[test]
fn commits_under_way_are_not_taken_for_damage() {
    let directory = scratch();
    let path = directory.path().join("database");
    fill(&path);
    let options = Options { scrub_interval: Some(Duration::from_millis(4)), ..Options::default() };
    let store = FjallStore::open(&path, options).unwrap();
    let database = Database::start(store);
    for number in 0..300 {
        let long = "y".repeat(if number % 7 == 0 { 200_000 } else { 2_000 });
        let item = json!({"pk": {"N": number.to_string()}, "long": {"S": long}});
        database.call("PutItem", &json!({"TableName": "table", "Item": item})).unwrap();
        if number % 100 == 50 {
            database.store.reclaim().unwrap();
        }
        assert_eq!(database.store.notices(), Vec::<String>::new());
    }
}

#[test]
fn a_damaged_journal_is_reported_while_its_commits_are_in_memory() {
    let directory = scratch();
    let path = directory.path().join("database");
    fill(&path);
    let options = Options { scrub_interval: Some(Duration::from_millis(200)), ..Options::default() };
    let store = FjallStore::open(&path, options).unwrap();
    let database = Database::start(store);
    let item = json!({"pk": {"N": "7"}, "long": {"S": "needle"}});
    database.call("PutItem", &json!({"TableName": "table", "Item": item})).unwrap();
    let (journal, at) = contents(&path)
        .into_iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "jnl"))
        .find_map(|file| {
            let bytes = std::fs::read(path.join(&file)).unwrap();
            Some((file, bytes.windows(6).rposition(|window| window == b"needle")?))
        })
        .unwrap();
    let mut file = std::fs::OpenOptions::new().write(true).open(path.join(&journal)).unwrap();
    file.seek(SeekFrom::Start(at as u64)).unwrap();
    file.write_all(b"N").unwrap();
    while database.store.notices().is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let notice = &database.store.notices()[0];
    assert!(notice.starts_with(&*journal.to_string_lossy()) && notice.contains("make a backup"), "{notice}");
}
