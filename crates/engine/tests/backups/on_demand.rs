//! Backups that somebody asks for.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sortkey_storage::{MemoryStore, Store};

use crate::support::{Database, START_MS, SlowStore};
use crate::{available, back_up, items, put, restore};

#[test]
fn a_backup_can_be_restored_after_everything_changed() {
    let store = Arc::new(MemoryStore::new());
    let database = Database::with(Arc::clone(&store) as Arc<dyn Store>);
    database.create_table("table", false, json!({"Tags": [{"Key": "a", "Value": "b"}]}));
    for number in 0..10 {
        put(&database, "table", &format!("key-{number}"), "before");
    }
    let before = items(&database, "table", None);
    let arn = back_up(&database, "table", "first");
    let described = available(&database, &arn);
    let label = arn.strip_prefix("arn:aws:dynamodb:us-east-1:000000000000:table/table/backup/").unwrap();
    assert!(label.starts_with("01800000000000-") && label.len() == 23, "{label}");
    assert_eq!(described["BackupDetails"]["BackupType"], "USER");
    assert_eq!(described["BackupDetails"]["BackupCreationDateTime"], json!(START_MS / 1000));
    assert_eq!(described["SourceTableDetails"]["ItemCount"], 10);
    assert_eq!(
        described["SourceTableDetails"]["TableSizeBytes"],
        described["BackupDetails"]["BackupSizeBytes"]
    );
    put(&database, "table", "key-3", "after");
    database.ok("DeleteItem", json!({"TableName": "table", "Key": {"pk": {"S": "key-4"}}}));
    database.ok("DeleteTable", json!({"TableName": "table"}));
    let restored = restore(&database, &arn, "restored");
    assert_eq!(items(&database, "restored", None), before);
    assert_eq!(restored["ItemCount"], 10);
    let summary = &restored["RestoreSummary"];
    assert_eq!(summary["SourceBackupArn"], arn.as_str());
    assert_eq!(summary["SourceTableArn"], "arn:aws:dynamodb:us-east-1:000000000000:table/table");
    assert_eq!(summary["RestoreInProgress"], false);
    let tags = database.ok("ListTagsOfResource", json!({"ResourceArn": restored["TableArn"]}));
    assert_eq!(tags["Tags"], json!([]));
    assert_eq!(sortkey_engine::verify(&*store).problems, []);
    let deleted = database.ok("DeleteBackup", json!({"BackupArn": arn}));
    assert_eq!(deleted["BackupDescription"]["BackupDetails"]["BackupStatus"], "DELETED");
    let gone = format!("Backup not found: {arn}");
    assert_eq!(
        database.refused("DescribeBackup", json!({"BackupArn": arn})),
        ("BackupNotFoundException", gone)
    );
    assert_eq!(items(&database, "restored", None), before);
}

/// A backup shows the moment at which it was requested, despite writes while it is copied.
#[test]
fn a_backup_is_of_one_moment() {
    let store = SlowStore::new(Duration::from_millis(2));
    let database = Database::with(Arc::clone(&store) as Arc<dyn Store>);
    let before = fill(&database);
    let arn = back_up(&database, "table", "busy");
    for number in (0..600).step_by(7) {
        put(&database, "table", &format!("key-{number}"), "changed");
        put(&database, "table", &format!("new-{number}"), "added");
        let key = json!({"pk": {"S": format!("key-{}", number + 1)}});
        database.ok("DeleteItem", json!({"TableName": "table", "Key": key}));
    }
    available(&database, &arn);
    restore(&database, &arn, "restored");
    assert_eq!(items(&database, "restored", None), before);
}

/// A crash at any moment: the copy goes on where it was, and still shows that moment.
#[test]
fn a_backup_survives_a_restart() {
    let store = SlowStore::new(Duration::from_millis(2));
    let database = Database::with(Arc::clone(&store) as Arc<dyn Store>);
    let before = fill(&database);
    let arn = back_up(&database, "table", "interrupted");
    put(&database, "table", "key-5", "changed");
    let describe = || database.ok("DescribeBackup", json!({"BackupArn": arn}))["BackupDescription"].take();
    while describe()["BackupDetails"]["BackupSizeBytes"] == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let crashed = Arc::new(store.fork());
    let database = Database::with(Arc::clone(&crashed) as Arc<dyn Store>);
    put(&database, "table", "key-590", "changed");
    available(&database, &arn);
    restore(&database, &arn, "restored");
    assert_eq!(items(&database, "restored", None), before);
    assert_eq!(sortkey_engine::verify(&*crashed).problems, []);
}

/// A table with more items than are copied in one step.
fn fill(database: &Database) -> crate::Items {
    database.create_table("table", false, json!({}));
    for first in (0..600).step_by(25) {
        let put = |number: i32| {
            let item = json!({"pk": {"S": format!("key-{number}")}, "v": {"S": "before"}});
            json!({"PutRequest": {"Item": item}})
        };
        let batch: Vec<Value> = (first..first + 25).map(put).collect();
        database.ok("BatchWriteItem", json!({"RequestItems": {"table": batch}}));
    }
    items(database, "table", None)
}

#[test]
fn what_is_in_use_cannot_go() {
    let store = SlowStore::new(Duration::ZERO);
    let database = Database::with(Arc::clone(&store) as Arc<dyn Store>);
    database.create_table("table", false, json!({}));
    put(&database, "table", "key", "value");
    let arn = back_up(&database, "table", "backup");
    available(&database, &arn);
    database.ok("RestoreTableFromBackup", json!({"TargetTableName": "restored", "BackupArn": arn}));
    // Whether the restore is still under way is a matter of luck; a table that it has begun cannot be begun again.
    let exists = ("TableAlreadyExistsException", "Table already exists: restored".to_owned());
    let again = json!({"TargetTableName": "restored", "BackupArn": arn});
    assert_eq!(database.refused("RestoreTableFromBackup", again), exists);
    database.settled("restored");
    database.ok("DeleteBackup", json!({"BackupArn": arn}));
}

#[test]
fn lists_are_filtered_and_paged() {
    let database = Database::new();
    let mut arns = Vec::new();
    for (number, table) in ["one", "two", "one", "two", "one"].into_iter().enumerate() {
        if number < 2 {
            database.create_table(table, false, json!({}));
        }
        let arn = back_up(&database, table, &format!("backup-{number}"));
        available(&database, &arn);
        arns.push(arn);
        database.engine.advance_clock(1000);
    }
    let start = START_MS / 1000;
    let pick = |numbers: &[usize]| -> Vec<&str> { numbers.iter().map(|at| arns[*at].as_str()).collect() };
    for (filter, expected) in [
        (json!({}), pick(&[0, 1, 2, 3, 4])),
        (json!({"TableName": "one"}), pick(&[0, 2, 4])),
        (json!({"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/two"}), pick(&[1, 3])),
        (json!({"TableName": "none"}), pick(&[])),
        (json!({"TimeRangeLowerBound": start + 1, "TimeRangeUpperBound": start + 3}), pick(&[1, 2])),
        (json!({"BackupType": "ALL", "TableName": "two"}), pick(&[1, 3])),
        (json!({"BackupType": "SYSTEM"}), pick(&[])),
        (json!({"ExclusiveStartBackupArn": arns[2]}), pick(&[3, 4])),
        (json!({"Limit": 2}), pick(&[0, 1])),
    ] {
        let listed = database.ok("ListBackups", filter.clone());
        let summaries = listed["BackupSummaries"].as_array().unwrap();
        let found: Vec<_> = summaries.iter().map(|summary| summary["BackupArn"].as_str().unwrap()).collect();
        assert_eq!(found, expected, "{filter}");
        let last = filter.get("Limit").map(|_| Value::from(arns[1].as_str()));
        assert_eq!(listed.get("LastEvaluatedBackupArn"), last.as_ref(), "{filter}");
    }
}

#[test]
fn what_is_missing_is_named() {
    let database = Database::new();
    let arn = "arn:aws:dynamodb:us-east-1:000000000000:table/none/backup/01800000000000-01234567";
    for (operation, body, expected) in [
        (
            "CreateBackup",
            json!({"TableName": "none", "BackupName": "abc"}),
            ("TableNotFoundException", "Table not found: none"),
        ),
        (
            "RestoreTableFromBackup",
            json!({"TargetTableName": "other", "BackupArn": arn}),
            ("BackupNotFoundException", &*format!("Backup not found: {arn}")),
        ),
        (
            "DeleteBackup",
            json!({"BackupArn": arn}),
            ("BackupNotFoundException", &*format!("Backup not found: {arn}")),
        ),
        (
            "CreateBackup",
            json!({"TableName": "none", "BackupName": "a b"}),
            (
                "ValidationException",
                "1 validation error detected: Value 'a b' at 'backupName' failed to satisfy constraint: Member must \
                 satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
            ),
        ),
    ] {
        let (kind, message) = database.refused(operation, body);
        assert_eq!((kind, &*message), expected);
    }
}
