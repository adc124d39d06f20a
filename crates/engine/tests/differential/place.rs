//! The directory or memory with the database of a run, and the faults that can happen to it.

use std::sync::Arc;

use sortkey_engine::{Engine, Settings, verify};
use sortkey_storage::{Clock, Store};
use sortkey_storage_fjall::{Durability, FjallStore, Options};
use tempfile::TempDir;

/// A clock that is held.
struct Held(u64);

impl Clock for Held {
    fn now_ms(&self) -> u64 {
        self.0
    }
}

/// Memory, where databases can be forked, or a directory, where they can be closed and opened again.
pub(crate) enum Place {
    Memory,
    Directory { directory: TempDir, store: Option<Arc<FjallStore>> },
}

impl Place {
    pub(crate) fn directory() -> Place {
        Place::Directory { directory: tempfile::tempdir().expect("a directory"), store: None }
    }

    /// The database that is there, with its clock stopped.
    pub(crate) fn open(&mut self, seed: u64, now_ms: u64) -> Engine {
        // Opened with the machine's clock, a database that was written later than that would run ahead of the model.
        let clock = Arc::new(Held(now_ms));
        let settings = Settings { clock, seed, expiry_interval: None, ..Settings::default() };
        let engine = match self {
            Place::Memory => Engine::memory(settings),
            Place::Directory { directory, store } => {
                let options =
                    Options { durability: Durability::Os, cache_bytes: 1 << 20, ..Options::default() };
                drop(store.take());
                let opened = FjallStore::open(directory.path(), options).expect("the directory is ours");
                *store = Some(Arc::clone(&opened));
                Engine::open(opened as Arc<dyn Store>, settings)
            }
        };
        engine.stop_clock_at(now_ms);
        engine
    }

    /// Inconsistencies of the store, as far as it can be asked.
    pub(crate) fn problems(&self) -> Vec<String> {
        match self {
            Place::Directory { store: Some(store), .. } => {
                verify(&**store).problems.iter().map(ToString::to_string).collect()
            }
            _ => Vec::new(),
        }
    }
}
