//! Power failure: a shim below the process writes down what reaches the files and when they are synced; from that
//! the disk is built as it could look at any moment, with unsynced pieces missing or torn. From each of them
//! the database opens and contains every write that had been acknowledged by then, and no half of any.
//!
//! `SORTKEY_POWER_FAILURES=500` sets how many moments, `SORTKEY_SEED` the run. The short form is twenty-five.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)]

mod support;

use std::path::Path;
use std::time::Duration;

use support::database::Database;
use support::disk::{self, Disk, Event};
use support::witness::Witness;
use support::{Random, child, number_from_environment, scratch, workload};

/// Events until a new database has its first table, and some more.
const EARLY: u64 = 200;

#[test]
fn nothing_acknowledged_is_lost_when_the_power_fails() {
    let failures = number_from_environment("SORTKEY_POWER_FAILURES", 25);
    let mut random = Random::from_environment();
    let directory = scratch();
    let Some(shim) = disk::build_shim(directory.path()) else {
        sortkey_testkit::leave_out("no C compiler, or not Linux: power failures are not tried");
        return;
    };
    let mut tried = 0;
    let mut acknowledged = 0;
    // A new database now and then.
    for run in 0.. {
        if tried >= failures {
            break;
        }
        let seed = random.next();
        let root = directory.path().join(format!("root{run}"));
        std::fs::create_dir(&root).unwrap();
        let time = Duration::from_millis(400 + random.below(800));
        let log = record(&shim, &root, seed, time, random.below(4) == 0);
        let events = disk::events(&log);
        assert!(events.iter().any(|event| matches!(event, Event::Synced { .. })), "the shim sees the files");
        // Every fifth is among the first events: the beginning of a database is its most delicate time.
        let all = events.len() as u64 + 1;
        let mut moments: Vec<u64> =
            (0..25).map(|at| random.below(if at % 5 == 0 { all.min(EARLY) } else { all })).collect();
        moments.sort_unstable();
        let (mut disk, mut witness, mut at) = (Disk::new(&root), Witness::new(seed), 0);
        for moment in moments {
            for event in &events[at..moment as usize] {
                disk.apply(event);
                if let Event::Said(text) = event {
                    text.lines().for_each(|line| witness.hear(line));
                }
            }
            at = moment as usize;
            let after = directory.path().join("after");
            disk.fail(&mut random, &after);
            check(
                &after.join("database"),
                &witness,
                &format!("run {run}, event {moment} of {}", events.len()),
            );
            std::fs::remove_dir_all(&after).unwrap();
            tried += 1;
        }
        acknowledged += witness.done;
        std::fs::remove_dir_all(&root).unwrap();
    }
    println!("{tried} power failures, {acknowledged} acknowledged steps, nothing lost");
}

/// Lets writers run for a while, and returns what the shim wrote down.
fn record(shim: &Path, root: &Path, seed: u64, time: Duration, has_bulk: bool) -> Vec<u8> {
    let log = root.with_extension("log");
    let steps = Witness::new(seed).next_steps();
    let database = root.join("database");
    let (mut process, mut pipe) = child::spawn("writers", &database, seed, &steps, |command| {
        disk::use_shim(command, shim, root, &log, Path::new("/nowhere"));
        if has_bulk {
            child::with_bulk(command, 1);
        }
    });
    let ready = child::lines(&mut pipe).find(|line| line == "ready\n");
    assert!(ready.is_some(), "the writers start");
    // The pipe must not fill up, and its end must be seen.
    let reader = std::thread::spawn(move || child::lines(&mut pipe).count());
    std::thread::sleep(time);
    process.kill().unwrap();
    process.wait().unwrap();
    reader.join().unwrap();
    let bytes = std::fs::read(&log).unwrap();
    std::fs::remove_file(&log).unwrap();
    bytes
}

fn check(path: &Path, witness: &Witness, place: &str) {
    std::fs::create_dir_all(path).unwrap();
    let mut witness = witness.clone();
    // The result of recovery must itself last.
    for round in ["first", "second"] {
        let opened = Database::open(path);
        let database = opened.unwrap_or_else(|error| panic!("{place}, {round} start: {error}"));
        workload::prepare(&database);
        println!("{place}, {round} start: {} steps done", witness.done);
        witness.check(&database);
    }
}

/// Not a test: what the process does whose power fails.
#[test]
fn writers() {
    child::play(|database| {
        // Tables are written and merged all the time.
        let store = std::sync::Arc::downgrade(&database.store);
        std::thread::spawn(move || {
            while let Some(store) = store.upgrade() {
                let _ = store.reclaim();
                drop(store);
                std::thread::sleep(Duration::from_millis(50));
            }
        });
    });
}
