//! Each system under clients while its server is killed, with the program that `bench/kills.sh` runs at full size: afterwards nothing
//! that was promised is lost, and nothing is in the database twice.
#![cfg(unix)]

use std::process::Command;

/// A few clients and two kills.
fn survives(system: &str) {
    let script = sortkey_testkit::root().join("bench/kills/run.py");
    let output = Command::new("python3")
        .arg(script)
        .args([system, "--clients", "6", "--kills", "2", "--pause", "1.5"])
        .env("SORTKEY_BIN", env!("CARGO_BIN_EXE_sortkey"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("python3 is installed");
    let shown = String::from_utf8_lossy(&output.stdout);
    let is_whole = output.status.success() && shown.contains("nothing was lost, and nothing was done twice");
    assert!(is_whole, "{shown}\n{}", String::from_utf8_lossy(&output.stderr));
}

sortkey_testkit::each_system!(survives);
