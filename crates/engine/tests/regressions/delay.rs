//! Global indexes that lag behind on purpose.

use std::time::Duration;

use serde_json::json;

use crate::support::{Database, create_index};

fn put(database: &Database, key: &str) {
    let item = json!({"pk": {"S": key}, "kind": {"S": "book"}});
    database.ok("PutItem", json!({"TableName": "table", "Item": item}));
}

fn indexed(database: &Database) -> u64 {
    let page = database.ok("Scan", json!({"TableName": "table", "IndexName": "by-kind", "Select": "COUNT"}));
    page["Count"].as_u64().unwrap()
}

/// A delayed index is read from an older state. One that had just become ACTIVE was read from a state in which it was
/// still being filled, and so was never seen complete before the delay was over.
#[test]
fn a_delayed_index_is_never_older_than_itself() {
    let database = Database::new();
    database.create_table("table", false, json!({}));
    database.engine.set_gsi_delay(Duration::from_secs(10));
    put(&database, "one");
    put(&database, "two");
    let mut index = create_index("by-kind", "kind");
    index["TableName"] = json!("table");
    database.ok("UpdateTable", index);
    database.settled("table");
    assert_eq!(indexed(&database), 2);
    // From here on it can lag behind.
    database.engine.advance_clock(10_000);
    assert_eq!(indexed(&database), 2);
    put(&database, "three");
    assert_eq!(indexed(&database), 2);
    assert_eq!(database.ok("Scan", json!({"TableName": "table"}))["Count"], 3);
    database.engine.advance_clock(9_999);
    assert_eq!(indexed(&database), 2);
    database.engine.advance_clock(1);
    assert_eq!(indexed(&database), 3);
}
