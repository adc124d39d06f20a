//! `kill -9` under load: eight writers put, update, delete, write batches and transactions on a table with an index
//! and a stream; the process is killed at any time, also while it opens; what comes back must contain every
//! acknowledged write, no half of any, an index and a stream that equal the items, and no sequence number twice.
//!
//! `SORTKEY_KILLS=200` sets how often, `SORTKEY_SEED` the run. The short form is twenty kills.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use std::time::{Duration, Instant};

use support::database::Database;
use support::witness::Witness;
use support::{Random, child, number_from_environment, scratch};

#[test]
fn nothing_acknowledged_is_lost_when_the_process_is_killed() {
    let kills = number_from_environment("SORTKEY_KILLS", 20);
    let mut random = Random::from_environment();
    let seed = random.next();
    let directory = scratch();
    let path = directory.path().join("database");
    let mut witness = Witness::new(seed);
    let began = Instant::now();
    for kill in 0..kills {
        let has_bulk = random.below(3) == 0;
        let (mut process, mut pipe) =
            child::spawn("writers", &path, seed, &witness.next_steps(), |command| {
                if has_bulk {
                    child::with_bulk(command, witness.next_bulk);
                }
            });
        // The pipe must not fill up.
        let reader = std::thread::spawn(move || child::lines(&mut pipe).collect::<Vec<_>>());
        // One in five is killed early, probably while it opens the store.
        let patience = if random.below(5) == 0 { random.below(40) } else { 60 + random.below(400) };
        std::thread::sleep(Duration::from_millis(patience));
        process.kill().unwrap();
        process.wait().unwrap();
        for line in reader.join().unwrap() {
            assert!(!line.starts_with("failed") && !line.starts_with("closed"), "kill {kill}: {line}");
            witness.hear(&line);
        }
        let database = Database::open(&path).unwrap();
        support::workload::prepare(&database);
        if kill + 1 < kills {
            witness.check_new(&database);
        } else {
            witness.check(&database);
        }
        if (kill + 1) % 50 == 0 {
            println!("{} kills after {} s", kill + 1, began.elapsed().as_secs());
        }
    }
    println!("{kills} kills, {} acknowledged steps, nothing lost", witness.done);
    assert!(witness.done > 0);
}

/// Not a test: what the killed process does.
#[test]
fn writers() {
    child::play(|_| {});
}
