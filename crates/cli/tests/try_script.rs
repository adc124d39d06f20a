//! `./try.sh`, the first command of the README, as a new user runs it.
#![cfg(unix)]

use std::io::Read;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

fn try_sh(port: u16, binary: &Path) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Command::new(root.join("try.sh"))
        .env("PORT", port.to_string())
        .env("ONCE", "1")
        .env("SORTKEY_BIN", binary)
        .env_remove("SORTKEY_ENDPOINT")
        .env_remove("SORTKEY_CALLER")
        .output()
        .expect("the script runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Everything that was sent to a port since it was opened.
fn received(listener: &TcpListener) -> Vec<u8> {
    listener.set_nonblocking(true).expect("a socket");
    let mut all = Vec::new();
    while let Ok((mut stream, _)) = listener.accept() {
        stream.set_nonblocking(false).expect("a socket");
        stream.read_to_end(&mut all).expect("readable");
    }
    all
}

#[test]
fn a_port_of_another_program_is_left_alone() {
    // F-78: `try.sh` went on when its port was taken, and posted an e-mail address and a password to whatever listened there.
    let other = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = other.local_addr().expect("an address").port();
    let output = try_sh(port, Path::new(env!("CARGO_BIN_EXE_sortkey")));
    assert!(!output.status.success());
    let why = text(&output.stderr);
    assert!(why.contains(&format!("port {port} is taken by another program")), "{why}");
    assert!(why.contains("PORT=0"), "{why}");
    assert_eq!(text(&received(&other)), "");
}

#[test]
fn nothing_is_sent_before_our_own_server_says_where_it_is() {
    // F-78: another program may take the port after the check. The replacement for `sortkey` behaves like a
    // server that cannot listen, and records calls.
    let folder = tempfile::tempdir().expect("a folder");
    let binary = folder.path().join("sortkey");
    let script = format!(
        "#!/bin/sh\n\
         if [ \"$1\" = call ]; then echo \"$*\" >>{0}/calls; exit 0; fi\n\
         echo 'error: cannot listen on 127.0.0.1:8000: Address in use' >&2; exit 1\n",
        folder.path().display()
    );
    std::fs::write(&binary, script).expect("written");
    std::fs::set_permissions(&binary, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let output = try_sh(0, &binary);
    assert!(!output.status.success());
    let why = text(&output.stderr);
    assert!(why.contains("Address in use") && why.contains("the server did not start"), "{why}");
    assert!(!folder.path().join("calls").exists());
}

#[test]
fn calls_are_shown_in_order_and_the_next_steps_last() {
    // F-77: the output of the server and of the calls was mixed, with no hint what to do next.
    let output = try_sh(0, Path::new(env!("CARGO_BIN_EXE_sortkey")));
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", text(&output.stderr));
    let order = [
        "$ sortkey up systems/ferryhook",
        "sortkey is listening on http://127.0.0.1:",
        "$ sortkey call users.create",
        "\"email\": \"ada@example.com\"",
        "$ sortkey call sources.create",
        "\"sourceId\": \"src_",
        "$ sortkey call events.create",
        "\"eventId\": \"evt_",
        "$ sortkey call events.listBySource",
        "\"items\": [",
        "What to try next",
        "sortkey init",
    ];
    let mut rest = said.as_str();
    for expected in order {
        let at = rest.find(expected);
        let at = at.unwrap_or_else(|| panic!("{expected:?} is missing or out of order in\n{said}"));
        rest = &rest[at + expected.len()..];
    }
}
