//! How fast the durable store is here: `cargo run --release -p sortkey-storage-fjall --example speed -- DIR`.
//!
//! Fills DIR with a million values of 400 bytes through the committer, 64 writers at a time, each write waiting for
//! its fsync; reads them; stops without closing, as `kill -9` would; and opens DIR again. Stalls are shown as
//! the slowest commit of the run, and the log shows which steps of slow commits took long.
#![allow(clippy::print_stdout, clippy::expect_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sortkey_storage::{Batch, Clock, Committer, Lock, Published, Store, SystemClock, Write};
use sortkey_storage_fjall::{Durability, FjallStore, Options};

const VALUE_BYTES: usize = 400;
const WRITERS: u64 = 64;

fn main() {
    tracing_subscriber::fmt().init();
    let arguments: Vec<String> = std::env::args().collect();
    let path = arguments.get(1).expect("the first argument is a directory");
    let number = |name: &str, default: u64| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1)?.parse().ok()).unwrap_or(default)
    };
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let (count, seconds) = (number("--count", 1_000_000), number("--seconds", 5));
    let value_bytes = number("--value", VALUE_BYTES as u64) as usize;
    let options = Options {
        durability: if has("--os") { Durability::Os } else { Durability::Fsync },
        cache_bytes: number("--cache-mb", 256) << 20,
        ..Options::default()
    };

    let began = Instant::now();
    let store = FjallStore::open(path, options).expect("the directory can be opened");
    println!("opened commit {} in {:?}", store.last_commit().0, began.elapsed());
    let committer = Committer::new(Arc::clone(&store) as Arc<dyn Store>, Arc::new(SystemClock));

    if store.last_commit().0 < count {
        let (elapsed, slowest) = write(&committer, WRITERS, count, Duration::MAX, value_bytes);
        report("fill, 64 writers", count, elapsed, slowest);
    }
    for writers in [1, 8, WRITERS] {
        let within = Duration::from_secs(seconds);
        let before = committer.view().stamp.version;
        let (elapsed, slowest) = write(&committer, writers, u64::MAX, within, value_bytes);
        let written = committer.view().stamp.version - before;
        report(&format!("put, {writers} writers"), written, elapsed, slowest);
    }
    for round in ["get, first round", "get, second round"] {
        let (elapsed, slowest) = read(&committer, count);
        report(round, 200_000, elapsed, slowest);
    }
    println!("{} MB on disk, {} MB of memory", store.disk_bytes().unwrap_or(0) >> 20, memory_kb() >> 10);
    // No goodbye: the next start finds what a killed process leaves behind.
    std::process::exit(0);
}

/// Writes `count` values, or as many as fit into a time; returns how long it took and the slowest write.
fn write(
    committer: &Committer,
    writers: u64,
    count: u64,
    within: Duration,
    value_bytes: usize,
) -> (Duration, Duration) {
    let next = AtomicU64::new(0);
    let slowest = AtomicU64::new(0);
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..writers {
            scope.spawn(|| {
                while began.elapsed() < within {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    let start = Instant::now();
                    let key = key(number);
                    let put = move |_: &Published| {
                        let mut batch = Batch::new();
                        batch.put(key.into(), value(number, value_bytes).into());
                        Write { batch, answer: () }
                    };
                    committer.write(vec![Lock::exclusive(key)], put).wait().expect("the disk works");
                    slowest.fetch_max(start.elapsed().as_micros() as u64, Ordering::Relaxed);
                }
            });
        }
    });
    (began.elapsed(), Duration::from_micros(slowest.into_inner()))
}

/// Reads 200,000 values in an order that looks random.
fn read(committer: &Committer, count: u64) -> (Duration, Duration) {
    let (began, mut slowest) = (Instant::now(), Duration::ZERO);
    for number in 0..200_000u64 {
        let start = Instant::now();
        let number = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) % count;
        let found = committer.view().snapshot.get(&key(number)).expect("the disk works");
        assert!(found.is_some(), "value {number} is there");
        slowest = slowest.max(start.elapsed());
    }
    (began.elapsed(), slowest)
}

/// Keys in the order of their hashes, as items of a table are.
fn key(number: u64) -> [u8; 16] {
    let hash = number.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    let mut key = [0; 16];
    key[..8].copy_from_slice(&hash.to_be_bytes());
    key[8..].copy_from_slice(&number.to_be_bytes());
    key
}

/// Bytes that do not compress.
fn value(seed: u64, bytes: usize) -> Vec<u8> {
    let mut state = seed ^ SystemClock.now_ms();
    std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    })
    .take(bytes)
    .collect()
}

fn report(what: &str, count: u64, elapsed: Duration, slowest: Duration) {
    let rate = count as f64 / elapsed.as_secs_f64();
    println!("{what:20} {rate:9.0} per second, slowest {slowest:?}");
}

/// Resident memory, where the system reports it.
fn memory_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
