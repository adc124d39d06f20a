//! On disk: what was begun before a restart is completed after it, and history survives.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use sortkey_storage::Store;
use sortkey_storage_fjall::{Durability, FjallStore, Options};

use crate::support::{Database, START_MS};
use crate::{available, back_up, items, put, restore, switch_recovery};

/// The database in a directory, at a time.
fn open(path: &Path, time_ms: u64) -> (Arc<FjallStore>, Database) {
    let options = Options { durability: Durability::Os, cache_bytes: 1 << 20, ..Options::default() };
    let store = FjallStore::open(path, options).unwrap();
    let database = Database::with(Arc::clone(&store) as Arc<dyn Store>);
    database.engine.stop_clock_at(time_ms);
    (store, database)
}

#[test]
fn history_and_backups_survive_restarts() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    let arn = {
        let (_store, database) = open(&path, START_MS);
        database.create_table("table", false, json!({}));
        switch_recovery(&database, "table", true);
        put(&database, "table", "a", "first");
        database.engine.stop_clock_at(START_MS + 10_000);
        put(&database, "table", "a", "second");
        put(&database, "table", "b", "second");
        let arn = back_up(&database, "table", "backup");
        put(&database, "table", "a", "third");
        arn
    };
    {
        let (_store, database) = open(&path, START_MS + 20_000);
        available(&database, &arn);
        database.ok("RestoreTableFromBackup", json!({"TargetTableName": "backed-up", "BackupArn": arn}));
        let body = json!({
            "SourceTableName": "table", "TargetTableName": "earlier", "RestoreDateTime": START_MS / 1000 + 5
        });
        database.ok("RestoreTableToPointInTime", body);
    }
    let (store, database) = open(&path, START_MS + 30_000);
    let value = |table: &str| {
        database.settled(table);
        let items = items(&database, table, None);
        items.into_values().map(|item| item["v"]["S"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(value("table"), ["third", "second"]);
    assert_eq!(value("backed-up"), ["second", "second"]);
    assert_eq!(value("earlier"), ["first"]);
    restore(&database, &arn, "again");
    assert_eq!(value("again"), ["second", "second"]);
    assert_eq!(sortkey_engine::verify(&*store).problems, []);
}
