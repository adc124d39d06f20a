//! Shared by the tests.
// Each test binary uses some of it.
#![allow(dead_code, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

pub(crate) mod child;
pub(crate) mod database;
#[cfg(unix)]
pub(crate) mod disk;
pub(crate) mod stream;
pub(crate) mod witness;
pub(crate) mod workload;

pub(crate) use sortkey_testkit::{Random, number_from_environment};
use tempfile::TempDir;

/// A directory in memory, where there is one: these tests do not measure the disk, and fsync often.
pub(crate) fn scratch() -> TempDir {
    let memory = std::path::Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}
