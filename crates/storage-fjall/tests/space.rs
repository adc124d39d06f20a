//! Disk space comes back when items are deleted and when a table is dropped, without anybody asking for it.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use support::database::Database;
use support::scratch;

const ITEMS: usize = 1_500;
const ITEM_BYTES: usize = 20_000;

#[test]
fn what_was_deleted_or_dropped_gives_its_space_back() {
    let directory = scratch();
    let database = Database::open(directory.path()).unwrap();
    create(&database, "alive");
    for (table, is_dropped) in [("deleted", false), ("dropped", true)] {
        create(&database, table);
        for number in 0..ITEMS {
            let item = json!({ "id": key(number), "text": { "S": "x".repeat(ITEM_BYTES) } });
            database.call("PutItem", &json!({ "TableName": table, "Item": item })).unwrap();
        }
        let most = (ITEMS * ITEM_BYTES / 2) as u64;
        wait_until(&database, "it is written", || occupied(directory.path()) > most);
        let full = occupied(directory.path());
        if is_dropped {
            database.call("DeleteTable", &json!({ "TableName": table })).unwrap();
        } else {
            for number in 0..ITEMS {
                let input = json!({ "TableName": table, "Key": { "id": key(number) } });
                database.call("DeleteItem", &input).unwrap();
            }
        }
        wait_until(&database, "it is given back", || occupied(directory.path()) < full / 4);
    }
}

fn key(number: usize) -> serde_json::Value {
    json!({ "S": number.to_string() })
}

fn create(database: &Database, table: &str) {
    let input = json!({
        "TableName": table,
        "AttributeDefinitions": [{ "AttributeName": "id", "AttributeType": "S" }],
        "KeySchema": [{ "AttributeName": "id", "KeyType": "HASH" }],
        "BillingMode": "PAY_PER_REQUEST",
    });
    database.call("CreateTable", &input).unwrap();
}

/// Waits, with a commit now and then: old files go when later commits have replaced the snapshot that still needed them.
fn wait_until(database: &Database, what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(120);
    for number in 0.. {
        if condition() {
            return;
        }
        assert!(Instant::now() < deadline, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(50));
        let item = json!({ "id": key(0), "number": { "N": number.to_string() } });
        database.call("PutItem", &json!({ "TableName": "alive", "Item": item })).unwrap();
    }
}

/// Bytes of all tables and files of large values; journals are used again and again.
fn occupied(path: &Path) -> u64 {
    let tree = path.join("fjall/keyspaces/1");
    ["tables", "blobs"]
        .iter()
        .filter_map(|kind| std::fs::read_dir(tree.join(kind)).ok())
        .flat_map(|files| files.map(|file| file.unwrap().metadata().map_or(0, |file| file.len())))
        .sum()
}
