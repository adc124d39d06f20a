//! Helpers that the tests of several crates share. It depends on no crate of the workspace,
//! so that every one can use it in its tests.
//!
//! - [`SYSTEMS`], [`each_system!`] and [`design_file`]: the systems in `systems/`, found there, listed nowhere.
//! - [`Random`]: one generator, which a seed replays.
//! - [`leave_out`]: a test that needs a tool which the machine lacks.
//! - [`Client`]: a connection that sends bytes and reads answers, for what well-behaved clients do not send.

mod random;
mod wire;

pub use self::random::{Random, number_from_environment};
pub use self::wire::{Answer, Client};

use std::path::{Path, PathBuf};

include!(concat!(env!("OUT_DIR"), "/systems.rs"));

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Reports that a test is left out because this machine lacks a tool. `SORTKEY_REQUIRE_TOOLS=1`, which continuous integration sets,
/// makes that a failure, so that no test passes there without having run.
#[allow(clippy::print_stderr, reason = "tests that are left out say so")]
pub fn leave_out(why: &str) {
    let is_required = std::env::var("SORTKEY_REQUIRE_TOOLS").is_ok_and(|value| value == "1");
    assert!(!is_required, "{why}");
    eprintln!("{why}: left out");
}

/// The folder of a system.
pub fn system_folder(system: &str) -> PathBuf {
    root().join("systems").join(system)
}

/// The file with the design of a system.
pub fn design_file(system: &str) -> PathBuf {
    system_folder(system).join(format!("{system}.sk"))
}

/// The files of Rust in a folder and below it, in order.
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => found.extend(rust_files(&path)),
            false if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            false => {}
        }
    }
    found.sort();
    found
}
