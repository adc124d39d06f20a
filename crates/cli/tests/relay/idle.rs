//! A relay with nothing to do does nothing.

use std::time::Duration;

use crate::relay::{Account, Relay, attempt, event_id, signed};

/// How many changes the tables have seen.
fn changes(port: u16) -> u64 {
    let (status, page) = attempt(port, "", "GET", "/metrics", b"").expect("an answer");
    assert_eq!(status, 200);
    let page = String::from_utf8(page).expect("text");
    let lines = page.lines().filter(|line| line.starts_with("sortkey_history_changes"));
    let counts: Vec<f64> = lines.filter_map(|line| line.rsplit(' ').next()?.parse().ok()).collect();
    assert!(!counts.is_empty(), "{page}");
    counts.iter().sum::<f64>() as u64
}

/// Workers stored their position in the stream whenever it moved. That is a change of the table that they follow, so it moved
/// the position again: an idle relay made thousands of writes a second.
#[test]
fn an_idle_relay_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = crate::place(&folder);
    let _relay = Relay::start(&place);
    let account = Account::new(place.port, "idle");
    let source = account.source("one");
    let body = b"{}";
    let path = format!("/in/{source}");
    let mut wire = crate::http::Wire::connect(place.port).expect("a connection");
    let (status, answer) = wire.ask("POST", &path, &signed(body, "1"), body).expect("an answer");
    assert_eq!(status, 202, "{}", event_id(&answer));
    // The event is dealt with, and the positions are stored.
    std::thread::sleep(Duration::from_secs(3));
    let before = changes(place.port);
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(changes(place.port), before);
}
