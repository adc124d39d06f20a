//! What the tests share: seeded randomness, and directories that are removed.
// Each test binary uses some of it.
#![allow(dead_code, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

pub(crate) mod child;
pub(crate) mod database;
#[cfg(unix)]
pub(crate) mod disk;
pub(crate) mod stream;
pub(crate) mod witness;
pub(crate) mod workload;

use tempfile::TempDir;

/// A splitmix generator: a seed replays a run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Seeded by `SORTKEY_SEED`, and printed, so that a failure can be repeated.
    pub(crate) fn from_environment() -> Random {
        let seed = number_from_environment("SORTKEY_SEED", 1);
        println!("SORTKEY_SEED={seed}");
        Random(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }
}

pub(crate) fn number_from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A directory in memory, where there is one: these tests do not measure the disk, and fsync often.
pub(crate) fn scratch() -> TempDir {
    let memory = std::path::Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}
