//! A whole migration with writers of both designs and readers at work: what is lost, and what the application feels of it.

use std::path::Path;
use std::time::Duration;

use sortkey_engine::Engine;
use sortkey_migrate::Rate;
use sortkey_storage_fjall::{FjallStore, Options};

use crate::whole::{Load, carried_over, world};

/// The rate that `sortkey migrate plan` proposes.
const RATE: Rate = Rate::Units(1_000);
const NAP: Duration = Duration::from_secs(5);

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
    let outcome = carried_over(&world(engine), &Load { items, rate, nap: NAP });
    println!("{outcome}");
    assert!(outcome.is_right());
}
