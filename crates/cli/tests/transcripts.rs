//! Transcripts of the command line, run as a reader would run them. `TRYCMD=overwrite` rewrites what has changed; put `[..]` where the
//! environment shows.

use std::net::TcpListener;
use std::process::Command;

/// A port that transcripts find taken: by this test, or by another program.
const TAKEN: &str = "127.0.0.1:47213";

#[test]
fn transcripts() {
    let _taken = TcpListener::bind(TAKEN);
    let keys = tempfile::tempdir().expect("a folder");
    let keyring = keys.path().join("keyring.json");
    // The first command that needs a keyring makes it and prints a note; which one that is depends on the order.
    let binary = env!("CARGO_BIN_EXE_sortkey");
    let made = Command::new(binary).args(["keyring", "create", "--keyring"]).arg(&keyring).output();
    assert!(made.expect("the binary runs").status.success());
    trycmd::TestCases::new().env("SORTKEY_KEYRING", keyring.to_string_lossy()).case("tests/cmd/*.trycmd");
}
