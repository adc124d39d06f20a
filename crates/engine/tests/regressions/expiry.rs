//! Items that expire.

use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sortkey_engine::{Engine, Settings};
use sortkey_storage::{MemoryStore, Order, Store};

use crate::support::{Database, START_MS, SlowStore, create_index};

fn put(database: &Database, key: &str, attribute: &str, second: u64) {
    let item = json!({"pk": {"S": key}, attribute: {"N": second.to_string()}});
    database.ok("PutItem", json!({"TableName": "table", "Item": item}));
}

fn switch(database: &Database, enabled: bool, attribute: &str) {
    let specification = json!({"Enabled": enabled, "AttributeName": attribute});
    database.ok("UpdateTimeToLive", json!({"TableName": "table", "TimeToLiveSpecification": specification}));
}

/// Items from before expiry was switched on are found by a job in the background. "Expire now" looked only at what that
/// job had found so far, which a moment after UpdateTimeToLive is nothing.
#[test]
fn expire_now_finds_items_from_before() {
    let database = Database::with(SlowStore::new(Duration::from_millis(5)));
    database.create_table("table", false, json!({}));
    put(&database, "past", "ttl", START_MS / 1000 - 1);
    put(&database, "now", "ttl", START_MS / 1000);
    switch(&database, true, "ttl");
    assert_eq!(database.engine.expire_now(), Ok(1));
    let left = database.ok("Scan", json!({"TableName": "table"}));
    assert_eq!(left["Items"], json!([{"pk": {"S": "now"}, "ttl": {"N": (START_MS / 1000).to_string()}}]));
}

/// While expiry was off, writes left the entries of the expiry index alone, and nobody ever removed what they left
/// behind: every pass looked at them again.
#[test]
fn entries_from_an_earlier_setting_do_not_stay() {
    let store = Arc::new(MemoryStore::new());
    let database = Database::with(Arc::clone(&store) as Arc<dyn Store>);
    database.create_table("table", false, json!({}));
    switch(&database, true, "ttl");
    assert_eq!(database.engine.expire_now(), Ok(0));
    put(&database, "one", "ttl", START_MS / 1000 + 10);
    put(&database, "two", "ttl", START_MS / 1000 + 10);
    assert_eq!(expiry_entries(&store), 2);
    switch(&database, false, "ttl");
    // Whether they are removed at once by the background or found to be stale later is a matter of luck.
    put(&database, "one", "until", START_MS / 1000 + 10);
    database.ok("DeleteItem", json!({"TableName": "table", "Key": {"pk": {"S": "two"}}}));
    switch(&database, true, "until");
    database.engine.advance_clock(20_000);
    assert_eq!(database.engine.expire_now(), Ok(1));
    assert_eq!(expiry_entries(&store), 0);
    assert_eq!(database.ok("Scan", json!({"TableName": "table"}))["Items"], Value::Array(Vec::new()));
}

/// A replay of recorded calls stops the clock and moves it step by step. The background removed expired items between two steps,
/// sooner on a fast machine than on a slow one, so that the same requests met different items.
#[test]
fn nothing_expires_by_itself_while_the_clock_is_stopped() {
    let settings =
        Settings { seed: 1, expiry_interval: Some(Duration::from_millis(1)), ..Settings::default() };
    let database = Database { engine: Engine::open(Arc::new(MemoryStore::new()), settings) };
    database.engine.stop_clock_at(START_MS);
    database.create_table("table", false, json!({}));
    switch(&database, true, "ttl");
    // Past by both clocks.
    put(&database, "past", "ttl", 1_700_000_000);
    let count = || database.ok("Scan", json!({"TableName": "table"}))["Count"].take();
    for index in ["a", "b"] {
        // The background completes one index after the other: between them it has ended a pass.
        let mut body = create_index(&format!("by-{index}"), index);
        body["TableName"] = json!("table");
        database.ok("UpdateTable", body);
        database.settled("table");
    }
    assert_eq!(count(), 1);
    database.engine.follow_clock();
    while count() != 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Entries of the expiry index lie in space 5 (see `layout.rs`).
fn expiry_entries(store: &MemoryStore) -> usize {
    let snapshot = store.snapshot();
    snapshot.range(Bound::Included(&[5]), Bound::Excluded(&[6]), Order::Ascending).count()
}
