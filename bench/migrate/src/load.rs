//! A whole migration with writers of both designs and readers at work: what is lost, and what the application feels of it.

use std::path::Path;
use std::time::Duration;

use sortkey_engine::Engine;
use sortkey_migrate::{Extent, Rate};
use sortkey_storage_fjall::{FjallStore, Options};

use crate::carried::{Load, carried_over, world};

/// The rate that `sortkey migrate plan` proposes.
const RATE: Rate = Rate::Units(1_000);
const NAP: Duration = Duration::from_secs(5);
/// Each waits for the disk.
const WRITERS: usize = 8;

pub fn run(directory: Option<&Path>, items: usize) {
    let settings = sortkey_engine::Settings::default();
    let engine = match directory {
        Some(directory) => {
            let store = FjallStore::open(directory.to_owned(), Options::default()).expect("a directory");
            Engine::open(store, settings)
        }
        None => Engine::memory(settings),
    };
    let rate = match std::env::var("SORTKEY_MIGRATE_RATE") {
        Ok(text) => text.parse().ok(),
        Err(_) => Some(RATE),
    };
    let outcome = carried_over(
        &world(engine),
        &Load { items, writers: WRITERS, rate, nap: NAP, extent: Extent::Sample(5_000) },
    );
    println!("{outcome}");
    assert!(outcome.is_right());
}
