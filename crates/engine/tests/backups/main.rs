//! Backups and restores, exports and imports: what they show is what was there.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed unwrap is a failed test")]

mod clock;
mod continuous;
mod durable;
mod encrypted;
mod exports;
mod imports;
mod on_demand;
mod overrides;
mod point_in_time;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use support::Database;

/// The items of a table, by their keys.
type Items = BTreeMap<String, Value>;

/// All items of a table, or of one of its indexes.
fn items(database: &Database, table: &str, index: Option<&str>) -> Items {
    let mut items = Items::new();
    let mut request = json!({"TableName": table});
    if let Some(index) = index {
        request["IndexName"] = json!(index);
    }
    loop {
        let page = database.ok("Scan", request.clone());
        for item in page["Items"].as_array().unwrap() {
            items.insert(format!("{} {}", item["pk"], item["sk"]), item.clone());
        }
        match page.get("LastEvaluatedKey") {
            Some(key) => request["ExclusiveStartKey"] = key.clone(),
            None => return items,
        }
    }
}

fn put(database: &Database, table: &str, key: &str, value: &str) {
    let item = json!({"pk": {"S": key}, "v": {"S": value}});
    database.ok("PutItem", json!({"TableName": table, "Item": item}));
}

/// Starts a backup and gives its ARN.
fn back_up(database: &Database, table: &str, name: &str) -> String {
    let created = database.ok("CreateBackup", json!({"TableName": table, "BackupName": name}));
    created["BackupDetails"]["BackupArn"].as_str().unwrap().to_owned()
}

/// Waits until a backup is complete, and gives its description.
fn available(database: &Database, arn: &str) -> Value {
    loop {
        let described = database.ok("DescribeBackup", json!({"BackupArn": arn}))["BackupDescription"].take();
        if described["BackupDetails"]["BackupStatus"] == "AVAILABLE" {
            return described;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Makes a table of a backup and waits for it.
fn restore(database: &Database, arn: &str, target: &str) -> Value {
    database.ok("RestoreTableFromBackup", json!({"TargetTableName": target, "BackupArn": arn}));
    database.settled(target)
}

fn switch_recovery(database: &Database, table: &str, enabled: bool) {
    let recovery = json!({"PointInTimeRecoveryEnabled": enabled});
    let body = json!({"TableName": table, "PointInTimeRecoverySpecification": recovery});
    database.ok("UpdateContinuousBackups", body);
}

/// Waits until an export or an import is over, and gives its description.
fn ended(database: &Database, what: &str, arn: &str) -> Value {
    let member = if what == "Export" { "ExportDescription" } else { "ImportTableDescription" };
    loop {
        let body = json!({format!("{what}Arn"): arn});
        let described = database.ok(&format!("Describe{what}"), body)[member].take();
        if described[format!("{what}Status")] != "IN_PROGRESS" {
            return described;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
