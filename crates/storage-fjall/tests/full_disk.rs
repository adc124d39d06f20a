//! Directories that cannot be written: on a full disk, read-only, or looked at without changing anything.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)]

mod support;

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use serde_json::{Value as Json, json};
use sortkey_storage::Store;
use sortkey_storage_fjall::{Durability, FjallStore, OpenError, Options};
use support::database::Database;
use support::workload::say;
use support::{disk, scratch};

const ROLE: &str = "SORTKEY_FULL_ROLE";
const DIRECTORY: &str = "SORTKEY_FULL_DIRECTORY";
const FAULT: &str = "SORTKEY_SHIM_FAULT";

fn create_table(database: &Database) {
    let table = json!({
        "TableName": "table", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "N"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]
    });
    database.call("CreateTable", &table).unwrap();
}

fn put(database: &Database, number: u64) -> Result<Json, String> {
    let item = json!({"pk": {"N": number.to_string()}, "long": {"S": "x".repeat(20_000)}});
    database.call("PutItem", &json!({"TableName": "table", "Item": item})).map_err(|error| error.to_string())
}

fn delete(database: &Database, number: u64) -> Result<Json, String> {
    let key = json!({"pk": {"N": number.to_string()}});
    database.call("DeleteItem", &json!({"TableName": "table", "Key": key})).map_err(|error| error.to_string())
}

fn count(database: &Database) -> usize {
    database.scan(json!({"TableName": "table"})).len()
}

fn eventually<T>(mut attempt: impl FnMut() -> Result<T, String>) -> T {
    for _ in 0..2_000 {
        match attempt() {
            Ok(done) => return done,
            Err(error) => eprintln!("{error}"),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("it never worked")
}

/// Every file below a directory, with what would betray a change.
fn files(directory: &Path) -> BTreeMap<PathBuf, (u64, i64, i64)> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let about = std::fs::symlink_metadata(&path).unwrap();
        found.insert(path.clone(), (about.len(), about.mtime(), about.mtime_nsec()));
        if about.is_dir() {
            found.extend(files(&path));
        }
    }
    found
}

// F-64: `verify` needed a directory that can be written.
#[test]
fn a_directory_can_be_read_without_changing_it() {
    let directory = scratch();
    let path = directory.path().join("database");
    let database = Database::open(&path).unwrap();
    create_table(&database);
    (0..50).for_each(|number| drop(put(&database, number).unwrap()));
    database.store.reclaim().unwrap();
    put(&database, 50).unwrap();
    let in_use = FjallStore::open_read_only(&path, Options::default()).err();
    assert!(matches!(in_use, Some(OpenError::InUse { .. })), "{in_use:?}");
    drop(database);

    let before = files(&path);
    let store = FjallStore::open_read_only(&path, Options::default()).unwrap();
    // Several may read at once.
    drop(FjallStore::open_read_only(&path, Options::default()).unwrap());
    let report = sortkey_engine::verify(&*store);
    assert_eq!((report.problems.as_slice(), report.tables[0].items), (&[][..], 51));
    let database = Database::start(store);
    let refused = put(&database, 99).unwrap_err();
    assert!(refused.contains("opened for reading"), "{refused}");
    drop(database);
    assert_eq!(files(&path), before);
}

// F-64: after a restart on a full disk the database could not be opened at all.
#[test]
fn a_database_on_a_full_disk_can_be_read() {
    let Some((directory, shim)) = shim() else { return };
    let path = directory.path().join("root/database");
    let database = Database::open(&path).unwrap();
    create_table(&database);
    (0..50).for_each(|number| drop(put(&database, number).unwrap()));
    drop(database);
    let fault = directory.path().join("fault");
    std::fs::write(&fault, "space").unwrap();
    let output = play("reader", &shim, directory.path());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    for expected in ["reads 50", "No space left on device", "healed 51"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

// F-64: nothing could be deleted to make space.
#[test]
fn deletes_are_taken_on_a_full_disk() {
    let Some((directory, shim)) = shim() else { return };
    let output = play("deleter", &shim, directory.path());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    for expected in ["refused", "only deletes are taken", "deleted 10", "left 90", "written again"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

// F-64: deletes were taken only if the space that is set aside was larger than the journal; otherwise the store closed itself
// to be opened anew, could not, and answered no reads either.
#[test]
fn deletes_are_taken_if_the_journal_is_larger_than_the_reserve() {
    let Some((directory, shim)) = shim() else { return };
    let output = play("cramped", &shim, directory.path());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    for expected in ["deleted 10", "left 190", "written again"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

// F-64: reads stopped when the disk had no space at all, not even what was set aside.
#[test]
fn reads_go_on_without_any_space() {
    let Some((directory, shim)) = shim() else { return };
    let output = play("starved", &shim, directory.path());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("written again"), "{said}");
}

fn shim() -> Option<(tempfile::TempDir, PathBuf)> {
    let directory = scratch();
    std::fs::create_dir(directory.path().join("root")).unwrap();
    let shim = disk::build_shim(directory.path());
    if shim.is_none() {
        sortkey_testkit::leave_out("no C compiler, or not Linux: full disks are not tried");
    }
    Some((directory, shim?))
}

fn play(role: &str, shim: &Path, directory: &Path) -> Output {
    let root = directory.join("root");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "role", "--nocapture", "--test-threads=1", "--quiet"])
        .env(ROLE, role)
        .env(DIRECTORY, root.join("database"));
    disk::use_shim(&mut command, shim, &root, &directory.join("log"), &directory.join("fault"));
    command.output().unwrap()
}

/// A database with 100 items that has set space aside.
fn with_reserve(path: &Path) -> Database {
    let database = Database::open_with_reserve(path, 64 << 10).unwrap();
    create_table(&database);
    (0..50).for_each(|number| drop(put(&database, number).unwrap()));
    database.store.reclaim().unwrap();
    // Enough was written by now that space is set aside.
    (50..100).for_each(|number| drop(put(&database, number).unwrap()));
    eventually(|| match path.join("RESERVE").exists() {
        true => Ok(()),
        false => Err("nothing is set aside yet".to_owned()),
    });
    database
}

/// Not a test: what the process does whose disk is full.
#[test]
fn role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let (path, fault) = (std::env::var(DIRECTORY).unwrap(), std::env::var(FAULT).unwrap());
    match role.as_str() {
        "reader" => {
            let database = Database::open(Path::new(&path)).unwrap();
            say(&format!("reads {}\n", count(&database)));
            assert!(database.engine.failure().is_some(), "it says that it takes no writes");
            say(&format!("refused {}\n", put(&database, 50).unwrap_err()));
            std::fs::remove_file(fault).unwrap();
            eventually(|| put(&database, 50));
            say(&format!("healed {}\n", count(&database)));
        }
        "cramped" => {
            let database = with_reserve(Path::new(&path));
            (100..200).for_each(|number| drop(put(&database, number).unwrap()));
            std::fs::write(&fault, "cramped").unwrap();
            say(&format!("refused {}\n", put(&database, 200).unwrap_err()));
            (0..10).for_each(|number| drop(eventually(|| delete(&database, number))));
            say(&format!("deleted 10\nleft {}\n", count(&database)));
            std::fs::remove_file(&fault).unwrap();
            eventually(|| put(&database, 200));
            say("written again\n");
        }
        "starved" => {
            let database = with_reserve(Path::new(&path));
            std::fs::write(&fault, "space").unwrap();
            say(&format!("refused {}\n", put(&database, 100).unwrap_err()));
            // Long enough for several attempts to heal.
            for _ in 0..40 {
                assert_eq!(count(&database), 100);
                std::thread::sleep(Duration::from_millis(50));
            }
            std::fs::remove_file(&fault).unwrap();
            eventually(|| put(&database, 100));
            say("written again\n");
        }
        _ => {
            let database = with_reserve(Path::new(&path));
            std::fs::write(&fault, "tight").unwrap();
            say(&format!("refused {}\n", put(&database, 100).unwrap_err()));
            (0..10).for_each(|number| drop(eventually(|| delete(&database, number))));
            say("deleted 10\n");
            // A store that is just reopening refuses in other words first.
            let refused = eventually(|| match put(&database, 100) {
                Err(error) if error.contains("only deletes are taken") => Ok(error),
                Err(error) => Err(error),
                Ok(_) => Err("it was written".to_owned()),
            });
            say(&format!("refused {refused}\n"));
            eventually(|| {
                match database.engine.notices().iter().any(|notice| notice.contains("the disk is full")) {
                    true => Ok(()),
                    false => Err("nothing is said of the disk".to_owned()),
                }
            });
            say(&format!("left {}\n", count(&database)));
            std::fs::remove_file(&fault).unwrap();
            eventually(|| put(&database, 100));
            say("written again\n");
            eventually(|| match database.engine.notices().is_empty() {
                true => Ok(()),
                false => Err("the disk is still said to be full".to_owned()),
            });
        }
    }
}

// F-67: files could be read by everybody.
#[test]
fn files_are_for_their_owner() {
    let directory = scratch();
    let path = directory.path().join("database");
    let database = Database::open(&path).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    for name in ["FORMAT", "LOCK", "PROGRESS"] {
        assert_eq!(mode(&path.join(name)), 0o600, "{name}");
    }
    drop(database);
}

// F-67: after a power failure a database without fsync silently opened without its last writes, or empty.
#[test]
fn writes_that_were_never_synced_are_reported_when_the_machine_went_down() {
    let directory = scratch();
    let path = directory.path().join("database");
    let options = || Options { durability: Durability::Os, ..Options::default() };
    let session = path.join("SESSION");

    // A process that crashes, or ends in peace, loses nothing.
    drop(FjallStore::open(&path, options()).unwrap());
    assert!(!session.exists());
    let store = FjallStore::open(&path, options()).unwrap();
    assert_eq!(store.notices(), Vec::<String>::new());
    assert!(session.exists());
    drop(store);

    // The machine was started again in between, and the session had not ended.
    std::fs::write(&session, "boot of another day\n").unwrap();
    let store = FjallStore::open(&path, options()).unwrap();
    let notices = store.notices();
    assert!(
        notices[0].contains("writes that were answered before may be missing; there are none left"),
        "{notices:?}"
    );
    drop(store);
    assert_eq!(FjallStore::open(&path, Options::default()).unwrap().notices(), Vec::<String>::new());
}
