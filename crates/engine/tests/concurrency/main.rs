//! Many threads on one database, with a store that answers at once and with one whose commits wait for a device.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed unwrap is a failed test")]

mod indexes;
mod requests;
mod single_items;
#[path = "../support/mod.rs"]
mod support;
mod transactions;

use std::sync::Arc;
use std::time::Duration;

use sortkey_storage::MemoryStore;

use support::{Database, SlowStore};

/// How many threads work at once.
const THREADS: usize = 64;

/// A database per kind of store.
fn databases() -> [Database; 2] {
    [Database::with(Arc::new(MemoryStore::new())), Database::with(SlowStore::new(Duration::from_micros(200)))]
}

/// Runs `work` on many threads, each with its number.
fn on_threads(count: usize, work: impl Fn(usize) + Sync) {
    std::thread::scope(|scope| {
        let work = &work;
        for thread in 0..count {
            scope.spawn(move || work(thread));
        }
    });
}
