//! A relay as its users meet it: a load of webhooks, receivers that behave and misbehave, a server that is killed again and
//! again, workers in processes of their own, accounts elsewhere.
//!
//! `bench/relay.sh kills` runs the first of these tests with 200,000 events and 100 kills.
#![cfg(unix)]
#![expect(clippy::panic, reason = "a test that cannot go on says why")]

#[path = "relay/accounts.rs"]
mod accounts;
#[path = "relay/elsewhere.rs"]
mod elsewhere;
#[path = "relay/guide.rs"]
mod guide;
#[path = "../../../bench/relay/src/http.rs"]
mod http;
#[path = "relay/idle.rs"]
mod idle;
#[path = "../../../bench/relay/src/kills.rs"]
#[allow(dead_code, reason = "the measurements print all of the outcome")]
mod kills;
#[path = "relay/letters.rs"]
mod letters;
#[path = "../../../bench/relay/src/receiver.rs"]
#[allow(dead_code, reason = "the measurements use the rest")]
mod receiver;
#[path = "../../../bench/relay/src/relay.rs"]
#[allow(dead_code, reason = "the measurements use the rest")]
mod relay;

use std::path::PathBuf;

use relay::{Place, design, free_port};

/// The paths and addresses of a test's relay.
fn place(folder: &tempfile::TempDir) -> Place {
    Place {
        binary: PathBuf::from(env!("CARGO_BIN_EXE_sortkey")),
        design: design(),
        data: folder.path().join("data"),
        port: free_port(),
        arguments: Vec::new(),
    }
}

// F-46: counters stayed 0, the outcome of an event was not derived from its deliveries, and nothing delivered anything.
#[test]
fn what_was_accepted_is_delivered_although_the_server_is_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let outcome = kills::run(&place(&folder), 300, 3);
    assert!(outcome.deliveries >= 290, "{outcome:?}");
}
