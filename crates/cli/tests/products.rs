//! Three systems as their customers meet them: each run starts the system with its companion programs, every one a process of its
//! own, and ends with `done` if everything was as it should be.
//!
//! F-42, F-52, F-53, F-55: suspension, OAuth, limits and second factors of the Core service; F-42, F-43, F-50: suspension,
//! permissions and due work of ListBackup, over HTTP.
#![cfg(unix)]
#![expect(clippy::panic, reason = "a test that cannot go on says why")]

use std::path::Path;
use std::process::Command;

#[test]
fn the_core_service_does_its_work() {
    run("core-service");
}

#[test]
fn listbackup_does_its_work() {
    run("listbackup");
}

#[test]
fn ferryhook_does_its_work() {
    run("ferryhook");
}

fn run(system: &str) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/{system}/run.sh"));
    let output = Command::new("bash")
        .arg(script)
        .env("SORTKEY_BIN", env!("CARGO_BIN_EXE_sortkey"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("bash runs");
    let shown = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() || !shown.ends_with("done\n") {
        panic!("{shown}\n{}", String::from_utf8_lossy(&output.stderr));
    }
}
