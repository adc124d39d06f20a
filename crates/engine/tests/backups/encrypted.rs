//! Encrypted exports: read back by imports, and rejected when a bit, a name or the key is another one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use sortkey_engine::{Engine, Settings};
use sortkey_storage::{DataKey, KeySealer, MemoryStore, StorageError};
use tempfile::TempDir;

use crate::support::{Database, START_MS};
use crate::{ended, items, put, switch_recovery};

/// Seals keys by naming the keyring, which is enough to distinguish keyrings.
struct Keyring(u8);

impl KeySealer for Keyring {
    fn generate(&self) -> Result<DataKey, StorageError> {
        Ok(DataKey::new([self.0; 32], &format!("keyring {}", self.0)))
    }

    fn open(&self, sealed: &str) -> Result<DataKey, StorageError> {
        match sealed == format!("keyring {}", self.0) {
            true => Ok(DataKey::new([self.0; 32], sealed)),
            false => Err(StorageError::Locked("the keyring has no key for this file".into())),
        }
    }
}

fn database(buckets: &Path, encrypt_exports: bool, keyring: Option<u8>) -> Database {
    let key_sealer = keyring.map(|number| Arc::new(Keyring(number)) as Arc<dyn KeySealer>);
    let export_dir = Some(buckets.to_owned());
    let settings = Settings {
        seed: 1,
        expiry_interval: None,
        export_dir,
        encrypt_exports,
        key_sealer,
        ..Settings::default()
    };
    let database = Database { engine: Engine::open(Arc::new(MemoryStore::new()), settings) };
    database.engine.stop_clock_at(START_MS);
    database.create_table("table", false, json!({}));
    switch_recovery(&database, "table", true);
    database
}

fn export(database: &Database, bucket: &str) -> Value {
    let arn = "arn:aws:dynamodb:us-east-1:000000000000:table/table";
    let begun = database.ok("ExportTableToPointInTime", json!({"TableArn": arn, "S3Bucket": bucket}));
    ended(database, "Export", begun["ExportDescription"]["ExportArn"].as_str().unwrap())
}

fn import(database: &Database, bucket: &str, table: &str) -> Value {
    let key = json!([{"AttributeName": "pk", "KeyType": "HASH"}]);
    let attributes = json!([{"AttributeName": "pk", "AttributeType": "S"}]);
    let parameters = json!({"TableName": table, "KeySchema": key, "AttributeDefinitions": attributes,
        "BillingMode": "PAY_PER_REQUEST"});
    let begun = database.ok(
        "ImportTable",
        json!({"S3BucketSource": {"S3Bucket": bucket}, "InputFormat": "DYNAMODB_JSON", "InputCompressionType": "GZIP",
            "TableCreationParameters": parameters}),
    );
    ended(database, "Import", begun["ImportTableDescription"]["ImportArn"].as_str().unwrap())
}

/// The only data file of a bucket.
fn data_file(buckets: &TempDir, bucket: &str) -> PathBuf {
    let export =
        fs::read_dir(buckets.path().join(bucket).join("AWSDynamoDB")).unwrap().next().unwrap().unwrap();
    fs::read_dir(export.path().join("data")).unwrap().next().unwrap().unwrap().path()
}

/// The reason why an import failed; its table is gone.
fn failed(database: &Database, bucket: &str) -> String {
    let done = import(database, bucket, "broken");
    assert_eq!(done["ImportStatus"], "FAILED");
    assert_eq!(
        database.refused("DescribeTable", json!({"TableName": "broken"})).0,
        "ResourceNotFoundException"
    );
    done["FailureMessage"].as_str().unwrap().to_owned()
}

#[test]
fn an_encrypted_export_is_imported_with_its_keyring_only() {
    let buckets = tempfile::tempdir().unwrap();
    let source = database(buckets.path(), true, Some(1));
    for number in 0..50 {
        put(&source, "table", &format!("key-{number}"), "value");
    }
    assert_eq!(export(&source, "one")["ExportStatus"], "COMPLETED");
    let file = data_file(&buckets, "one");
    assert!(file.to_string_lossy().ends_with(".json.gz.encrypted"));
    assert!(fs::read(&file).unwrap().starts_with(b"SKCIPHER"));

    let done = import(&source, "one", "copy");
    assert_eq!((&done["ImportStatus"], &done["ImportedItemCount"]), (&json!("COMPLETED"), &json!(50)));
    assert_eq!(items(&source, "copy", None), items(&source, "table", None));

    assert!(failed(&database(buckets.path(), false, Some(2)), "one").contains("has no key"));
    assert!(failed(&database(buckets.path(), false, None), "one").contains("keyring"));
}

#[test]
fn a_flipped_bit_a_cut_and_a_swapped_file_are_rejected() {
    let buckets = tempfile::tempdir().unwrap();
    let source = database(buckets.path(), true, Some(1));
    put(&source, "table", "key", "one");
    export(&source, "one");
    source.engine.advance_clock(1000);
    put(&source, "table", "key", "two");
    export(&source, "two");
    let (one, two) = (data_file(&buckets, "one"), data_file(&buckets, "two"));
    let bytes = fs::read(&one).unwrap();

    let mut flipped = bytes.clone();
    *flipped.last_mut().unwrap() ^= 1;
    for (content, why) in [(&flipped[..], "was changed"), (&bytes[..bytes.len() - 1], "cut off")] {
        fs::write(&one, content).unwrap();
        let said = failed(&source, "one");
        assert!(said.contains(why), "{said}");
    }
    fs::write(&one, &bytes).unwrap();
    fs::copy(&two, &one).unwrap();
    let said = failed(&source, "one");
    assert!(said.contains("another file is in its place"), "{said}");
    fs::write(&one, &bytes).unwrap();
    fs::rename(&one, one.with_file_name("other.json.gz.encrypted")).unwrap();
    assert!(failed(&source, "one").contains("renamed"));

    // Moved as a whole, an export stays what it is.
    fs::rename(one.with_file_name("other.json.gz.encrypted"), &one).unwrap();
    fs::create_dir_all(buckets.path().join("three/older")).unwrap();
    fs::rename(buckets.path().join("one/AWSDynamoDB"), buckets.path().join("three/older/AWSDynamoDB"))
        .unwrap();
    assert_eq!(import(&source, "three", "copy")["ImportedItemCount"], 1);
}

#[test]
fn an_export_that_cannot_be_encrypted_fails() {
    let buckets = tempfile::tempdir().unwrap();
    let source = database(buckets.path(), true, None);
    put(&source, "table", "key", "value");
    let done = export(&source, "one");
    assert_eq!(
        (&done["ExportStatus"], &done["FailureCode"]),
        (&json!("FAILED"), &json!("KeyringUnavailable"))
    );
    let data = fs::read_dir(buckets.path().join("one/AWSDynamoDB")).unwrap().next().unwrap().unwrap();
    assert_eq!(fs::read_dir(data.path().join("data")).unwrap().count(), 0);
}
