//! A disk that fails: fsync errors, no space, writes that are cut short. No write is acknowledged after the failure,
//! reads go on, the store reports why it takes no writes, and it heals by itself once the disk is well, by being closed
//! and opened.
//! Nothing that was acknowledged before or after is lost, not even by a power failure later on: after a failed fsync
//! the system shows bytes that it will never write (see `journal::rewrite`).
//!
//! `SORTKEY_DISK_FAULTS=30` sets how often each, `SORTKEY_SEED` the run. The short form is once each.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)]

mod support;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value as Json, json};
use sortkey_api::ErrorKind;
use sortkey_storage::Store;
use support::database::Database;
use support::disk::{self, Disk, Event};
use support::witness::Witness;
use support::workload::{self, TABLE, say};
use support::{Random, child, number_from_environment, scratch};

const FAULT: &str = "SORTKEY_SHIM_FAULT";

#[test]
fn nothing_acknowledged_is_lost_when_the_disk_fails() {
    let rounds = number_from_environment("SORTKEY_DISK_FAULTS", 1);
    let mut random = Random::from_environment();
    let directory = scratch();
    let Some(shim) = disk::build_shim(directory.path()) else {
        sortkey_testkit::leave_out("no C compiler, or not Linux: failing disks are not tried");
        return;
    };
    for round in 0..rounds {
        for fault in ["fsync", "space", "short"] {
            let seed = random.next();
            let root = directory.path().join(format!("{fault}{round}"));
            std::fs::create_dir(&root).unwrap();
            let place = format!("round {round}, {fault}, seed {seed}");
            println!("{place}");
            let (witness, log) = suffer(&shim, &root, seed, fault, &mut random);
            check(&root.join("database"), witness);
            fail_power_afterwards(&root, &directory.path().join("after"), &log, seed, &mut random);
            std::fs::remove_dir_all(&root).unwrap();
        }
    }
}

/// Runs writers through a fault and its end; returns the answers that they got, and the shim's log.
fn suffer(shim: &Path, root: &Path, seed: u64, fault: &str, random: &mut Random) -> (Witness, Vec<u8>) {
    let (log, fault_file) = (root.with_extension("log"), root.with_extension("fault"));
    let mut witness = Witness::new(seed);
    let path = root.join("database");
    let (mut process, mut pipe) = child::spawn("writers", &path, seed, &witness.next_steps(), |command| {
        disk::use_shim(command, shim, root, &log, &fault_file);
    });
    let trouble = Duration::from_millis(30 + random.below(200));
    let (mut failed, mut lasting) = (0, false);
    for line in child::lines(&mut pipe) {
        match line.split_whitespace().next() {
            Some("ready") => {
                let (fault, fault_file) = (fault.to_owned(), fault_file.clone());
                std::thread::spawn(move || {
                    std::thread::sleep(trouble);
                    std::fs::write(fault_file, fault).unwrap();
                });
            }
            Some("failed") => failed += 1,
            Some("refused") => {
                assert!(line.contains("takes no writes since a commit failed"), "{line}");
                std::fs::remove_file(&fault_file).unwrap();
            }
            Some("healed") => lasting = true,
            Some("closed") => panic!("{line}"),
            _ => witness.hear(&line),
        }
    }
    assert!(process.wait().unwrap().success(), "the writers end in peace");
    assert!(failed == workload::WRITERS && lasting, "{failed} writers failed, healed: {lasting}");
    let bytes = std::fs::read(&log).unwrap();
    (witness, bytes)
}

fn check(path: &Path, mut witness: Witness) {
    let database = Database::open(path).unwrap();
    assert!(marker(&database).is_some(), "what was written after healing is there");
    database.call("DeleteItem", &json!({ "TableName": TABLE, "Key": marker_key() })).unwrap();
    witness.check(&database);
}

/// The power fails some time after the disk has recovered.
fn fail_power_afterwards(root: &Path, after: &Path, log: &[u8], seed: u64, random: &mut Random) {
    let events = disk::events(log);
    let said = |word: &'static str| move |event: &Event<'_>| matches!(event, Event::Said(text) if text.starts_with(word));
    let healed = events.iter().position(said("healed")).unwrap();
    let (mut disk, mut witness) = (Disk::new(root), Witness::new(seed));
    for event in &events[..=healed] {
        disk.apply(event);
        if let Event::Said(text) = event {
            text.lines().for_each(|line| witness.hear(line));
        }
    }
    disk.fail(random, after);
    check(&after.join("database"), witness);
    std::fs::remove_dir_all(after).unwrap();
}

fn marker_key() -> Json {
    workload::key(&("w0p9".into(), "marker".into()))
}

fn marker(database: &Database) -> Option<Json> {
    let input = json!({ "TableName": TABLE, "Key": marker_key(), "ConsistentRead": true });
    database.call("GetItem", &input).unwrap().get("Item").cloned()
}

/// Not a test: what the process does whose disk fails.
#[test]
fn writers() {
    let Ok(fault) = std::env::var(FAULT).map(PathBuf::from) else { return };
    child::play_then(|database| {
        // All writers have failed by now. Reads go on, writes are refused with a reason.
        let items = database.scan(json!({ "TableName": TABLE }));
        say(&format!("reads {}\n", items.len()));
        let put = json!({ "TableName": TABLE, "Item": marker_item() });
        let refusal = database.call("PutItem", &put).unwrap_err();
        say(&format!("refused {}\n", refusal.message));
        while fault.exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        while let Err(refusal) = database.call("PutItem", &put) {
            assert_eq!(refusal.kind, ErrorKind::InternalServerError, "{refusal}");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(database.store.last_commit().0 > 0);
        say("healed\n");
    });
}

fn marker_item() -> Json {
    let mut item = marker_key();
    item["step"] = json!({ "N": "0" });
    item
}
