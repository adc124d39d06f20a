//! A directory of the first format, as this version wrote it, is kept in `golden/format-1`: every later version must
//! open it, or report that it cannot. It contains what the writers of the other tests do in their first steps, in tables,
//! in a file of large values and in the journal.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use std::path::{Path, PathBuf};

use support::database::Database;
use support::witness::Witness;
use support::workload::{self, WRITERS};

const SEED: u64 = 22;
const STEPS: u64 = 8;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/format-1")
}

#[test]
fn a_directory_of_format_1_opens() {
    let directory = support::scratch();
    let path = directory.path().join("database");
    if std::env::var_os("SORTKEY_UPDATE").is_some() {
        write();
    }
    copy(&golden(), &path);
    let mut witness = Witness::new(SEED);
    for writer in 0..WRITERS {
        (1..=STEPS).for_each(|step| witness.hear(&format!("done {writer} {step}")));
    }
    // The clock is held at the time of that run: streams and tokens are forgotten in time.
    let database = Database::open_as_of_last_commit(&path).unwrap();
    witness.check(&database);
}

/// Writes the directory anew: `SORTKEY_UPDATE=1 cargo test --test golden`. Only for a new format.
fn write() {
    let path = golden();
    let _ = std::fs::remove_dir_all(&path);
    let mut database = Database::open(&path).unwrap();
    workload::prepare(&database);
    for step in 1..=STEPS {
        for writer in 0..WRITERS {
            workload::perform(&database, writer, step, &workload::step(SEED, writer, step)).unwrap();
        }
        if step == STEPS / 2 {
            database.store.reclaim().unwrap();
            // A journal that was opened again has no space allocated ahead.
            database = database.reopen();
        }
    }
    drop(database);
    assert!(
        path.join("fjall/keyspaces/1/blobs").read_dir().unwrap().next().is_some(),
        "a large value is kept apart"
    );
    // The lock names a process of no interest.
    std::fs::write(path.join("LOCK"), "").unwrap();
    std::fs::write(path.join("fjall/lock"), "").unwrap();
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
