//! Exports: files as AWS lays them out, of a table as it was.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use sortkey_storage::{MemoryStore, Store};
use tempfile::TempDir;

use crate::support::{Database, START_MS, SlowStore};
use crate::{ended, items, put, switch_recovery};

const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/table";

/// A table with continuous backups, and a place for exports.
fn database() -> (TempDir, Database) {
    let directory = tempfile::tempdir().unwrap();
    let database = Database::with_buckets(Arc::new(MemoryStore::new()), Some(directory.path()));
    database.create_table("table", false, json!({}));
    switch_recovery(&database, "table", true);
    (directory, database)
}

fn export(database: &Database, more: Value) -> Value {
    let mut body = json!({"TableArn": ARN, "S3Bucket": "bucket"});
    for (member, value) in more.as_object().unwrap() {
        body[member] = value.clone();
    }
    let begun = database.ok("ExportTableToPointInTime", body)["ExportDescription"].take();
    ended(database, "Export", begun["ExportArn"].as_str().unwrap())
}

/// The items in the files of an export, as its manifests name them.
fn exported(bucket: &Path, description: &Value) -> Vec<Value> {
    let read = |key: &Value| fs::read(bucket.join(key.as_str().unwrap())).unwrap();
    let summary: Value = serde_json::from_slice(&read(&description["ExportManifest"])).unwrap();
    let files = String::from_utf8(read(&summary["manifestFilesS3Key"])).unwrap();
    let mut items = Vec::new();
    for line in files.lines() {
        let file: Value = serde_json::from_str(line).unwrap();
        let mut lines = String::new();
        GzDecoder::new(&read(&file["dataFileS3Key"])[..]).read_to_string(&mut lines).unwrap();
        assert_eq!(file["itemCount"], lines.lines().count());
        items.extend(lines.lines().map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            assert_eq!(line.as_object().unwrap().len(), 1);
            line["Item"].take()
        }));
    }
    assert_eq!(summary["itemCount"], items.len());
    items
}

#[test]
fn files_are_laid_out_as_on_aws() {
    let (directory, database) = database();
    for number in 0..3 {
        put(&database, "table", &format!("key-{number}"), "value");
    }
    let done = export(&database, json!({"S3Prefix": "nightly/2027", "ClientToken": "once"}));
    assert_eq!(done["ExportStatus"], "COMPLETED");
    assert_eq!((&done["ItemCount"], &done["ExportFormat"]), (&json!(3), &json!("DYNAMODB_JSON")));
    let label = done["ExportArn"].as_str().unwrap().rsplit_once("/export/").unwrap().1;
    let base = format!("nightly/2027/AWSDynamoDB/{label}");
    assert_eq!(done["ExportManifest"], format!("{base}/manifest-summary.json"));
    let bucket = directory.path().join("bucket");
    let mut names: Vec<PathBuf> =
        fs::read_dir(bucket.join(&base)).unwrap().map(|entry| entry.unwrap().file_name().into()).collect();
    names.sort();
    let expected = [
        "_started",
        "data",
        "manifest-files.json",
        "manifest-files.md5",
        "manifest-summary.json",
        "manifest-summary.md5",
    ];
    assert_eq!(names, expected.map(PathBuf::from));
    let summary: Value =
        serde_json::from_slice(&fs::read(bucket.join(format!("{base}/manifest-summary.json"))).unwrap())
            .unwrap();
    for (member, value) in [
        ("version", json!("2020-06-30")),
        ("exportArn", done["ExportArn"].clone()),
        ("tableArn", json!(ARN)),
        ("startTime", json!("2027-01-15T08:00:00.000Z")),
        ("exportTime", json!("2027-01-15T08:00:00.000Z")),
        ("s3Bucket", json!("bucket")),
        ("s3Prefix", json!("nightly/2027")),
        ("s3SseAlgorithm", json!("AES256")),
        ("manifestFilesS3Key", json!(format!("{base}/manifest-files.json"))),
        ("outputFormat", json!("DYNAMODB_JSON")),
    ] {
        assert_eq!(summary[member], value, "{member}");
    }
    assert_eq!(exported(&bucket, &done).len(), 3);
    // A request that is repeated under its token returns the export that exists.
    let again = export(&database, json!({"S3Prefix": "nightly/2027", "ClientToken": "once"}));
    assert_eq!(again["ExportArn"], done["ExportArn"]);
    let other = json!({"TableArn": ARN, "S3Bucket": "other", "ClientToken": "once"});
    assert_eq!(database.refused("ExportTableToPointInTime", other).0, "ExportConflictException");
}

#[test]
fn an_export_is_of_its_time() {
    let (directory, database) = database();
    put(&database, "table", "early", "1");
    database.engine.stop_clock_at(START_MS + 5000);
    put(&database, "table", "late", "1");
    let done = export(&database, json!({"ExportTime": START_MS / 1000 + 4}));
    let found = exported(&directory.path().join("bucket"), &done);
    assert_eq!(found, [json!({"pk": {"S": "early"}, "v": {"S": "1"}})]);
    // Exports are listed by the time at which they began.
    database.engine.advance_clock(1000);
    assert_eq!(exported(&directory.path().join("bucket"), &export(&database, json!({}))).len(), 2);
    let listed = database.ok("ListExports", json!({"TableArn": ARN, "MaxResults": 1}));
    assert_eq!(listed["ExportSummaries"][0]["ExportArn"], done["ExportArn"]);
    let next = database.ok("ListExports", json!({"MaxResults": 1, "NextToken": listed["NextToken"]}));
    assert_eq!(next["ExportSummaries"].as_array().unwrap().len(), 1);
    assert_eq!(next.get("NextToken"), None);
}

/// A crash at any moment: the export begins anew and shows the same moment, whatever was written meanwhile.
#[test]
fn an_export_survives_a_restart() {
    let (directory, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = SlowStore::new(Duration::from_millis(2));
    let database = Database::with_buckets(Arc::clone(&store) as Arc<dyn Store>, Some(directory.path()));
    database.create_table("table", false, json!({}));
    switch_recovery(&database, "table", true);
    put(&database, "table", "before", "1");
    let before = items(&database, "table", None).into_values().collect::<Vec<_>>();
    let body = json!({"TableArn": ARN, "S3Bucket": "bucket"});
    let begun = database.ok("ExportTableToPointInTime", body);
    // The end of the export is not on the device yet, most likely.
    let crashed = Database::with_buckets(Arc::new(store.fork()), Some(elsewhere.path()));
    let arn = begun["ExportDescription"]["ExportArn"].as_str().unwrap();
    put(&crashed, "table", "after", "1");
    for (database, directory) in [(&database, &directory), (&crashed, &elsewhere)] {
        let done = ended(database, "Export", arn);
        assert_eq!(done["ExportStatus"], "COMPLETED");
        let bucket = directory.path().join("bucket");
        if bucket.exists() {
            assert_eq!(exported(&bucket, &done), before);
        }
    }
}

#[test]
fn what_cannot_be_exported_is_refused() {
    let (directory, database) = database();
    let refused = |database: &Database, more: Value| {
        let mut body = json!({"TableArn": ARN, "S3Bucket": "bucket"});
        for (member, value) in more.as_object().unwrap() {
            body[member] = value.clone();
        }
        let (kind, message) = database.refused("ExportTableToPointInTime", body);
        format!("{kind}: {message}")
    };
    for (more, expected) in [
        (json!({"ExportFormat": "ION"}), "ValidationException: ExportFormat ION is not supported"),
        (
            json!({"ExportType": "INCREMENTAL_EXPORT"}),
            "ValidationException: ExportType INCREMENTAL_EXPORT is not",
        ),
        (json!({"S3Bucket": ".."}), "ValidationException: .. is not the name of a bucket"),
        (json!({"S3Bucket": "a/b"}), "ValidationException: a/b is not the name of a bucket"),
        (json!({"S3Prefix": "../x"}), "ValidationException: ../x cannot be a prefix"),
        (json!({"S3Prefix": "/etc"}), "ValidationException: /etc cannot be a prefix"),
        (json!({"ExportTime": 1}), "InvalidExportTimeException"),
        (
            json!({"TableArn": format!("{ARN}2")}),
            "TableNotFoundException: Table not found: arn:aws:dynamodb:",
        ),
    ] {
        let found = refused(&database, more.clone());
        assert!(found.starts_with(expected), "{more}: {found}");
    }
    switch_recovery(&database, "table", false);
    assert!(refused(&database, json!({})).starts_with("PointInTimeRecoveryUnavailableException"));
    assert!(!directory.path().join("bucket").exists());
    let nowhere = Database::new();
    nowhere.create_table("table", false, json!({}));
    assert!(refused(&nowhere, json!({})).contains("--export-dir"));
    let arn = format!("{ARN}/export/01489602797149-73d8d5bc");
    assert_eq!(database.refused("DescribeExport", json!({"ExportArn": arn})).0, "ExportNotFoundException");
}
