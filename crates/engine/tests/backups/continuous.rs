//! Continuous backups: what they keep, for how long, and what a deleted table leaves behind.

use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use sortkey_engine::{Engine, Settings};
use sortkey_storage::{MemoryStore, Order, Store};

use crate::support::{Database, START_MS};
use crate::{items, put, restore, switch_recovery};

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

fn database() -> (Arc<MemoryStore>, Database) {
    let store = Arc::new(MemoryStore::new());
    let database = Database::with(Arc::clone(&store) as Arc<dyn Store>);
    database.create_table("table", false, json!({}));
    (store, database)
}

/// Entries of a space (see `layout.rs`): 0C is the log of changes, 0D the history.
fn entries(store: &MemoryStore, space: u8) -> usize {
    store.snapshot().range(Bound::Included(&[space]), Bound::Excluded(&[space + 1]), Order::Ascending).count()
}

/// Waits until the background has forgotten all but so many changes.
fn wait_for_changes(store: &MemoryStore, left: usize) {
    while (entries(store, 0x0C), entries(store, 0x0D)) != (left, left) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(sortkey_engine::verify(store).problems, []);
}

#[test]
fn history_is_kept_while_it_is_on() {
    let (store, database) = database();
    put(&database, "table", "a", "1");
    assert_eq!(entries(&store, 0x0D), 0);
    switch_recovery(&database, "table", true);
    put(&database, "table", "a", "2");
    put(&database, "table", "a", "2");
    put(&database, "table", "b", "1");
    // The second of the same writes changed nothing.
    wait_for_changes(&store, 2);
    switch_recovery(&database, "table", false);
    wait_for_changes(&store, 0);
}

#[test]
fn history_is_forgotten_after_the_period() {
    let (store, database) = database();
    let recovery = json!({"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 2});
    let body = json!({"TableName": "table", "PointInTimeRecoverySpecification": recovery});
    database.ok("UpdateContinuousBackups", body);
    for day in 0..5 {
        database.engine.stop_clock_at(START_MS + day * DAY_MS);
        put(&database, "table", "a", &day.to_string());
    }
    // The window is the last two days, both ends included.
    wait_for_changes(&store, 3);
    let described = database.ok("DescribeContinuousBackups", json!({"TableName": "table"}));
    let described = &described["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"];
    assert_eq!(described["EarliestRestorableDateTime"], json!((START_MS + 2 * DAY_MS) / 1000));
    assert_eq!(described["LatestRestorableDateTime"], json!((START_MS + 4 * DAY_MS) / 1000));
}

#[test]
fn a_deleted_table_leaves_a_backup_for_35_days() {
    let (store, database) = database();
    let index = crate::support::create_index("by-v", "v");
    let mut update = index.clone();
    update["TableName"] = json!("table");
    database.ok("UpdateTable", update);
    database.settled("table");
    switch_recovery(&database, "table", true);
    for number in 0..20 {
        put(&database, "table", &format!("key-{number}"), "v");
    }
    let before = items(&database, "table", None);
    database.ok("DeleteTable", json!({"TableName": "table"}));
    assert_eq!(database.ok("ListBackups", json!({}))["BackupSummaries"], json!([]));
    let listed = database.ok("ListBackups", json!({"BackupType": "SYSTEM", "TableName": "table"}));
    let backup = &listed["BackupSummaries"][0];
    assert_eq!(backup["BackupName"], "table$DeletedTableBackup");
    assert_eq!(backup["BackupExpiryDateTime"], json!((START_MS + 35 * DAY_MS) / 1000));
    // The name is free again.
    database.create_table("table", false, json!({}));
    put(&database, "table", "other", "table");
    restore(&database, backup["BackupArn"].as_str().unwrap(), "restored");
    assert_eq!(items(&database, "restored", None), before);
    assert_eq!(items(&database, "restored", Some("by-v")), before);
    wait_for_changes(&store, 0);
    database.engine.stop_clock_at(START_MS + 35 * DAY_MS);
    while database.ok("ListBackups", json!({"BackupType": "ALL"}))["BackupSummaries"] != json!([]) {
        std::thread::sleep(Duration::from_millis(1));
    }
    // The rest is the other table's item and the restored ones.
    while entries(&store, 0x02) != 21 {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(sortkey_engine::verify(&*store).problems, []);
}

#[test]
fn a_reset_leaves_nothing() {
    let store = Arc::new(MemoryStore::new());
    let engine = Engine::open(Arc::clone(&store) as Arc<dyn Store>, Settings::default());
    let database = Database { engine };
    database.create_table("table", false, json!({}));
    switch_recovery(&database, "table", true);
    put(&database, "table", "a", "1");
    let arn = crate::back_up(&database, "table", "backup");
    database.ok("CreateBackup", json!({"TableName": "table", "BackupName": "another"}));
    crate::available(&database, &arn);
    database.ok("RestoreTableFromBackup", json!({"TargetTableName": "restored", "BackupArn": arn}));
    database.engine.reset().unwrap();
    for space in (0x01..=0x11).filter(|space| *space != 0x09) {
        assert_eq!(entries(&store, space), 0, "space {space}");
    }
}
