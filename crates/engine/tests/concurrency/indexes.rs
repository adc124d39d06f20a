//! Indexes that come and go while their table is written and read.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use sortkey_api::ErrorKind;

use crate::support::{Database, create_index};
use crate::{databases, on_threads};

fn put(database: &Database, key: &str, kind: &str) {
    let item = json!({"pk": {"S": key}, "kind": {"S": kind}});
    database.ok("PutItem", json!({"TableName": "table", "Item": item}));
}

fn add_index(database: &Database) {
    let mut index = create_index("by-kind", "kind");
    index["TableName"] = json!("table");
    database.ok("UpdateTable", index);
}

fn drop_index(database: &Database) {
    let drop = json!([{"Delete": {"IndexName": "by-kind"}}]);
    database.ok("UpdateTable", json!({"TableName": "table", "GlobalSecondaryIndexUpdates": drop}));
}

/// The keys of a kind in the index.
fn of_kind(database: &Database, kind: &str) -> Vec<String> {
    let body = json!({
        "TableName": "table",
        "IndexName": "by-kind",
        "KeyConditionExpression": "kind = :kind",
        "ExpressionAttributeValues": {":kind": {"S": kind}}
    });
    let items = database.ok("Query", body)["Items"].take();
    items.as_array().unwrap().iter().map(|item| item["pk"]["S"].as_str().unwrap().to_owned()).collect()
}

/// An index in state ACTIVE has everything that was written before it, while it was filled, and after.
#[test]
fn an_active_index_is_complete() {
    const WRITERS: usize = 4;
    const STILL: usize = 600;
    for database in databases() {
        database.create_table("table", false, json!({}));
        for number in 0..STILL {
            put(&database, &format!("still{number}"), "still");
        }
        let active = AtomicBool::new(false);
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (database, active, done) = (&database, &active, &done);
                // Nobody else writes this item, so the writer can compute its place in the index.
                scope.spawn(move || {
                    let key = format!("moving{writer}");
                    for round in 0.. {
                        if done.load(Ordering::SeqCst) {
                            return;
                        }
                        let was_active = active.load(Ordering::SeqCst);
                        let kinds = [format!("kind{}", round % 3), format!("kind{}", (round + 1) % 3)];
                        put(database, &key, &kinds[0]);
                        if was_active {
                            assert!(of_kind(database, &kinds[0]).contains(&key));
                            assert!(!of_kind(database, &kinds[1]).contains(&key));
                        }
                        database.ok("DeleteItem", json!({"TableName": "table", "Key": {"pk": {"S": key}}}));
                        if was_active {
                            assert!(!of_kind(database, &kinds[0]).contains(&key));
                        }
                    }
                });
            }
            add_index(&database);
            database.settled("table");
            active.store(true, Ordering::SeqCst);
            for _ in 0..20 {
                assert_eq!(of_kind(&database, "still").len(), STILL);
            }
            done.store(true, Ordering::SeqCst);
        });
        let table = database.settled("table");
        assert_eq!(table["ItemCount"], STILL);
        let index = &table["GlobalSecondaryIndexes"][0];
        assert_eq!(
            (&index["ItemCount"], &index["IndexSizeBytes"]),
            (&table["ItemCount"], &table["TableSizeBytes"])
        );
    }
}

/// A query found its index in one state and read another: while a dropped index was cleared away it could return
/// what was left of it.
#[test]
fn an_index_is_read_whole_or_not_at_all() {
    const ITEMS: usize = 500;
    let database = Database::new();
    database.create_table("table", false, json!({}));
    for number in 0..ITEMS {
        put(&database, &format!("item{number}"), "kind");
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..30 {
                add_index(&database);
                database.settled("table");
                drop_index(&database);
            }
            done.store(true, Ordering::SeqCst);
        });
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    let body = json!({"TableName": "table", "IndexName": "by-kind", "Select": "COUNT"});
                    match database.call("Scan", &body) {
                        Ok(page) => assert_eq!(page["Count"], ITEMS),
                        Err(error) => assert_eq!(error.kind, ErrorKind::ValidationException, "{error}"),
                    }
                }
            });
        }
    });
}

/// Tables are dropped and created under their readers and writers, which get an error that there is no table, and never see what
/// an earlier one contained.
#[test]
fn tables_come_and_go() {
    for database in databases() {
        database.create_table("table", false, json!({}));
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..20 {
                    database.ok("DeleteTable", json!({"TableName": "table"}));
                    database.create_table("table", false, json!({}));
                }
                done.store(true, Ordering::SeqCst);
            });
            on_threads(4, |thread| {
                let key = json!({"pk": {"S": thread.to_string()}});
                let requests: [(&str, Value); 3] = [
                    ("PutItem", json!({"TableName": "table", "Item": key})),
                    ("DeleteItem", json!({"TableName": "table", "Key": key})),
                    ("Scan", json!({"TableName": "table"})),
                ];
                while !done.load(Ordering::SeqCst) {
                    for (operation, body) in &requests {
                        if let Err(error) = database.call(operation, body) {
                            assert_eq!(error.kind, ErrorKind::ResourceNotFoundException, "{error}");
                        }
                    }
                }
            });
        });
        let table = database.settled("table");
        let items = database.ok("Scan", json!({"TableName": "table"}));
        assert_eq!(table["ItemCount"], items["Count"]);
    }
}
