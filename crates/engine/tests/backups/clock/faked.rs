//! The machine's own clock, faked below the process by libfaketime, and data on disk.
//!
//! libfaketime reads the time from a file; a run writes it there and stops the clock at whole seconds, so that the model is
//! the same as in memory. The library has to be loaded before the process starts, so the test starts this
//! binary again.

// A long run prints its progress.
#![allow(clippy::print_stderr)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use sortkey_engine::Problem;
use sortkey_storage::{Clock, Store, SystemClock};
use sortkey_storage_fjall::{Durability, FjallStore, Options};

use super::run::{Machine, Run};
use crate::point_in_time::environment;
use crate::support::{Database, START_MS};

const CLOCK_FILE: &str = "FAKETIME_TIMESTAMP_FILE";
const LIBRARIES: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib64/faketime/libfaketimeMT.so.1",
];

// F-62: with the machine's own clock, and data on disk. `SORTKEY_FAKED_CLOCKS=1000` is the long form.
#[test]
fn everything_matches_a_model_while_the_machines_clock_jumps() {
    let Some(library) = LIBRARIES.iter().find(|path| Path::new(path).exists()) else {
        sortkey_testkit::leave_out(
            "no libfaketime on this machine (Debian: libfaketime): its clock is not moved",
        );
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let clock_file = directory.path().join("clock");
    write_clock(&clock_file, START_MS);
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "clock::faked::under_a_faked_clock", "--nocapture", "--test-threads=1", "--quiet"])
        .env("LD_PRELOAD", library)
        .env(CLOCK_FILE, &clock_file)
        .env("FAKETIME_FMT", "%s")
        .env("FAKETIME_NO_CACHE", "1")
        // Waiting goes by the monotonic clock, which no administrator can set.
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
        .status()
        .unwrap();
    assert!(status.success(), "{status}");
}

/// Not a test: what the process with the faked clock does.
#[test]
fn under_a_faked_clock() {
    let Some(clock_file) = std::env::var_os(CLOCK_FILE).map(PathBuf::from) else { return };
    assert_eq!(SystemClock.now_ms(), START_MS, "libfaketime moves the clock");
    let first = environment("SORTKEY_SEED", 1);
    for seed in first..first + environment("SORTKEY_FAKED_CLOCKS", 3) {
        write_clock(&clock_file, START_MS);
        let directory = tempfile::tempdir().unwrap();
        Run::new(seed, OnDisk { path: directory.path().join("data"), clock_file: clock_file.clone() }).run();
        if (seed + 1 - first).is_multiple_of(50) {
            eprintln!("{} seeds", seed + 1 - first);
        }
    }
}

/// Data in a directory, and the clock of the operating system.
struct OnDisk {
    path: PathBuf,
    clock_file: PathBuf,
}

impl OnDisk {
    fn store(&self) -> Arc<FjallStore> {
        // Nothing here takes the power away.
        let options = Options { durability: Durability::Os, cache_bytes: 1 << 20, ..Options::default() };
        FjallStore::open(&self.path, options).unwrap()
    }
}

impl Machine for OnDisk {
    fn open(&self, buckets: &Path) -> Database {
        Database::by_the_machines_clock(self.store(), Some(buckets))
    }

    fn set_clock(&self, database: &Database, clock_ms: u64) {
        write_clock(&self.clock_file, clock_ms);
        assert_eq!(database.engine.clock_ms(), clock_ms, "the clock was moved");
    }

    fn problems(&self, database: Database) -> Vec<Problem> {
        drop(database);
        sortkey_engine::verify(&*(self.store() as Arc<dyn Store>)).problems
    }
}

/// Replaces the file as a whole: any thread may ask for the time meanwhile.
fn write_clock(file: &Path, clock_ms: u64) {
    let next = file.with_extension("next");
    std::fs::write(&next, format!("{}\n", clock_ms / 1000)).unwrap();
    std::fs::rename(next, file).unwrap();
}
