//! Imports: tables made of files.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use sortkey_storage::{MemoryStore, Store};
use tempfile::TempDir;

use crate::support::Database;
use crate::{ended, items, put, switch_recovery};

/// An empty database with a bucket that has these files.
fn database(files: &[(&str, &[u8])]) -> (TempDir, Database) {
    let directory = tempfile::tempdir().unwrap();
    for (key, content) in files {
        let path = directory.path().join("bucket").join(key);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let database = Database::with_buckets(Arc::new(MemoryStore::new()), Some(directory.path()));
    (directory, database)
}

/// Imports a table with the key `pk` and an index by `n`.
fn import(database: &Database, table: &str, more: Value) -> Value {
    let begun = database.ok("ImportTable", request(table, more))["ImportTableDescription"].take();
    assert_eq!(begun["ImportStatus"], "IN_PROGRESS");
    ended(database, "Import", begun["ImportArn"].as_str().unwrap())
}

fn request(table: &str, more: Value) -> Value {
    let mut body = json!({
        "S3BucketSource": {"S3Bucket": "bucket"},
        "InputFormat": "DYNAMODB_JSON",
        "TableCreationParameters": {
            "TableName": table,
            "AttributeDefinitions": [
                {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "N"}
            ],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "GlobalSecondaryIndexes": [{
                "IndexName": "by-n", "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"}
            }],
            "BillingMode": "PAY_PER_REQUEST"
        }
    });
    for (member, value) in more.as_object().unwrap() {
        body[member] = value.clone();
    }
    body
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

const LINES: &str = r#"{"Item":{"pk":{"S":"a"},"n":{"N":"1"}}}
{"Item":{"pk":{"S":"b"},"list":{"L":[{"BOOL":true},{"NULL":true}]}}}

{"Item":{"pk":{"S":"a"},"n":{"N":"2"}}}
"#;

#[test]
fn an_export_can_be_imported() {
    let (directory, database) = database(&[]);
    database.create_table("table", false, json!({}));
    switch_recovery(&database, "table", true);
    for number in 0..700 {
        put(&database, "table", &format!("key-{number}"), &"value".repeat(number % 7));
    }
    let body =
        json!({"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/table", "S3Bucket": "bucket"});
    let begun = database.ok("ExportTableToPointInTime", body)["ExportDescription"].take();
    let export = ended(&database, "Export", begun["ExportArn"].as_str().unwrap());
    // The directory of the export as a whole: its manifests are no data.
    let prefix = Path::new(export["ExportManifest"].as_str().unwrap()).parent().unwrap().to_str().unwrap();
    let source = json!({"S3Bucket": "bucket", "S3KeyPrefix": prefix});
    let done =
        import(&database, "imported", json!({"S3BucketSource": source, "InputCompressionType": "GZIP"}));
    assert_eq!(done["ImportStatus"], "COMPLETED");
    assert_eq!((&done["ImportedItemCount"], &done["ErrorCount"]), (&json!(700), &json!(0)));
    database.settled("imported");
    assert_eq!(items(&database, "imported", None), items(&database, "table", None));
    drop(directory);
}

// F-65: the window that a zstd frame asks for was taken whatever its size, and the import never ended where memory was short.
#[test]
fn a_zstd_file_that_refers_too_far_back_is_refused() {
    let frame = |window: u8| -> Vec<u8> {
        let text = &LINES.as_bytes()[..40];
        let block = (u32::try_from(text.len()).unwrap() << 3) | 1;
        [&[0x28, 0xB5, 0x2F, 0xFD, 0, window << 3][..], &block.to_le_bytes()[..3], text].concat()
    };
    let (of_128_mb, of_2_gb) = ([frame(17), frame(17)].concat(), frame(21));
    let (_directory, database) = database(&[("good/x.zst", &of_128_mb), ("bad/x.zst", &of_2_gb)]);
    let of = |prefix: &str| {
        let source = json!({"S3Bucket": "bucket", "S3KeyPrefix": prefix});
        import(&database, prefix, json!({"S3BucketSource": source, "InputCompressionType": "ZSTD"}))
    };
    assert_eq!(of("good")["ImportStatus"], "COMPLETED");
    let done = of("bad");
    assert_eq!((&done["ImportStatus"], &done["FailureCode"]), (&json!("FAILED"), &json!("S3ReadFailed")));
    let message = done["FailureMessage"].as_str().unwrap();
    assert!(message.contains("at most 134217728"), "{message}");
}

#[test]
fn every_compression_is_read() {
    let two_frames = [zstd(&LINES.as_bytes()[..60]), zstd(&LINES.as_bytes()[60..])].concat();
    let two_members = [gzip(&LINES.as_bytes()[..60]), gzip(&LINES.as_bytes()[60..])].concat();
    let files: [(&str, &[u8]); 3] = [
        ("none/x.json", LINES.as_bytes()),
        ("gzip/x.json.gz", &two_members),
        ("zstd/x.json.zst", &two_frames),
    ];
    let (_directory, database) = database(&files);
    for compression in ["NONE", "GZIP", "ZSTD"] {
        let prefix = format!("{}/", compression.to_lowercase());
        let source = json!({"S3Bucket": "bucket", "S3KeyPrefix": prefix});
        let more = json!({"S3BucketSource": source, "InputCompressionType": compression});
        let table = format!("table-{compression}");
        let done = import(&database, &table, more);
        assert_eq!(done["ImportStatus"], "COMPLETED", "{done}");
        assert_eq!(done["ProcessedSizeBytes"], LINES.len(), "{compression}");
        assert_eq!(done["ImportedItemCount"], 3);
        database.settled(&table);
        let found: Vec<Value> = items(&database, &table, None).into_values().collect();
        let list = json!([{"BOOL": true}, {"NULL": true}]);
        let expected =
            [json!({"pk": {"S": "a"}, "n": {"N": "2"}}), json!({"pk": {"S": "b"}, "list": {"L": list}})];
        assert_eq!(found, expected, "{compression}");
        assert_eq!(items(&database, &table, Some("by-n")).len(), 1);
    }
}

// An import with wrong lines was COMPLETED here; on AWS it has failed, with a table of all other items.
#[test]
fn wrong_lines_are_counted_and_left_out() {
    let long = format!("{{\"Item\":{{\"pk\":{{\"S\":\"{}\"}}}}}}", "x".repeat(5 << 20));
    let lines = [
        r#"{"Item":{"pk":{"S":"right"}}}"#,
        "not JSON",
        r#"{"pk":{"S":"no Item"}}"#,
        r#"{"Item":{"other":{"S":"no key"}}}"#,
        r#"{"Item":{"pk":{"N":"1"}}}"#,
        r#"{"Item":{"pk":{"S":"a"},"n":{"S":"wrong type for the index"}}}"#,
        r#"{"Item":{"pk":{"S":""}}}"#,
        r#"{"Item":{"pk":{"S":"a"},"v":{"N":"not a number"}}}"#,
        &long,
        r#"{"Item":{"pk":{"S":"right, too"}}}"#,
    ];
    let (_directory, database) = database(&[("lines", lines.join("\n").as_bytes())]);
    let done = import(&database, "table", json!({}));
    assert_eq!(
        (&done["ImportStatus"], &done["FailureCode"]),
        (&json!("FAILED"), &json!("ItemValidationError"))
    );
    assert_eq!(
        (&done["ImportedItemCount"], &done["ErrorCount"], &done["ProcessedItemCount"]),
        (&json!(2), &json!(8), &json!(10))
    );
    database.settled("table");
    assert_eq!(items(&database, "table", None).len(), 2);
}

// Objects that follow each other on one line were one wrong line; AWS reads each of them.
#[test]
fn items_need_no_lines() {
    let items_of = |from: usize| {
        (from..from + 5).map(|n| format!("{{\"Item\":{{\"pk\":{{\"S\":\"{n}}}{{\"}}}}}}")).collect::<Vec<_>>()
    };
    let text = format!("{}\n{}", items_of(0).join("\n"), items_of(5).concat());
    let (_directory, database) = database(&[("data.json", text.as_bytes())]);
    let done = import(&database, "table", json!({}));
    assert_eq!((&done["ImportStatus"], &done["ProcessedItemCount"]), (&json!("COMPLETED"), &json!(10)));
    database.settled("table");
    assert_eq!(items(&database, "table", None).len(), 10);
}

#[test]
fn tables_of_text() {
    let with_header = "pk,n,v\na,1,\"quoted, \"\"text\"\"\"\nb,2.50,\nc,x,wrong\nd,1\n";
    let without = "a;1;x\nb;2;y\n";
    let (_directory, database) = database(&[("one", with_header.as_bytes()), ("two", without.as_bytes())]);
    let source = |prefix: &str| json!({"S3Bucket": "bucket", "S3KeyPrefix": prefix});
    let done = import(&database, "one", json!({"S3BucketSource": source("one"), "InputFormat": "CSV"}));
    assert_eq!((&done["ImportedItemCount"], &done["ErrorCount"]), (&json!(2), &json!(2)));
    database.settled("one");
    let found: Vec<Value> = items(&database, "one", None).into_values().collect();
    let expected = [
        json!({"pk": {"S": "a"}, "n": {"N": "1"}, "v": {"S": "quoted, \"text\""}}),
        json!({"pk": {"S": "b"}, "n": {"N": "2.5"}, "v": {"S": ""}}),
    ];
    assert_eq!(found, expected);
    let options = json!({"Csv": {"Delimiter": ";", "HeaderList": ["pk", "n", "w"]}});
    let more = json!({"S3BucketSource": source("two"), "InputFormat": "CSV", "InputFormatOptions": options});
    let done = import(&database, "two", more);
    assert_eq!(done["InputFormatOptions"], options);
    database.settled("two");
    assert_eq!(items(&database, "two", Some("by-n")).len(), 2);
}

#[test]
fn an_import_that_fails_leaves_no_table() {
    let broken = &gzip(LINES.as_bytes())[..40];
    let store = Arc::new(MemoryStore::new());
    let (directory, _) = database(&[("broken.gz", broken), ("csv", b"pk,pk\n1,2\n")]);
    let database = Database::with_buckets(Arc::clone(&store) as Arc<dyn Store>, Some(directory.path()));
    let bucket = |name: &str, prefix: &str| json!({"S3Bucket": name, "S3KeyPrefix": prefix});
    for (more, code) in [
        (json!({"S3BucketSource": bucket("none", "")}), "S3NoSuchBucket"),
        (json!({"S3BucketSource": bucket("bucket", "nothing")}), "S3NoSuchKey"),
        (json!({"S3BucketSource": bucket("bucket", "br"), "InputCompressionType": "GZIP"}), "S3ReadFailed"),
        (json!({"S3BucketSource": bucket("bucket", "br"), "InputCompressionType": "ZSTD"}), "S3ReadFailed"),
        (json!({"S3BucketSource": bucket("bucket", "csv"), "InputFormat": "CSV"}), "S3ReadFailed"),
    ] {
        let done = import(&database, "table", more.clone());
        assert_eq!((&done["ImportStatus"], &done["FailureCode"]), (&json!("FAILED"), &json!(code)), "{more}");
        assert!(!done["FailureMessage"].as_str().unwrap().is_empty());
    }
    assert_eq!(database.ok("ListTables", json!({}))["TableNames"], json!([]));
    assert_eq!(sortkey_engine::verify(&*store).problems, []);
    let listed = database.ok("ListImports", json!({"PageSize": 3}));
    assert_eq!(listed["ImportSummaryList"].as_array().unwrap().len(), 3);
    let next = database.ok("ListImports", json!({"NextToken": listed["NextToken"]}));
    assert_eq!(next["ImportSummaryList"].as_array().unwrap().len(), 2);
}

/// Recorded from AWS: nothing to read is no failure.
#[test]
fn an_empty_bucket_becomes_an_empty_table() {
    let (directory, database) = database(&[]);
    fs::create_dir(directory.path().join("bucket")).unwrap();
    let done = import(&database, "table", json!({}));
    assert_eq!(
        (&done["ImportStatus"], &done["ProcessedItemCount"]),
        (&json!("COMPLETED"), &json!(0)),
        "{done}"
    );
    assert_eq!(items(&database, "table", None).len(), 0);
}

#[test]
fn what_cannot_be_imported_is_refused() {
    let (_directory, database) = database(&[("lines", LINES.as_bytes())]);
    database.create_table("there", false, json!({}));
    let token = json!({"ClientToken": "once"});
    let done = import(&database, "table", token.clone());
    let again = database.ok("ImportTable", request("table", token.clone()));
    assert_eq!(again["ImportTableDescription"]["ImportArn"], done["ImportArn"]);
    for (table, more, expected) in [
        ("there", json!({}), "ResourceInUseException: Table already exists: there"),
        ("new", token, "ImportConflictException"),
        ("new", json!({"InputFormat": "ION"}), "ValidationException: InputFormat ION is not supported"),
        (
            "new",
            json!({"InputFormat": "CSV", "InputFormatOptions": {"Csv": {"Delimiter": "x"}}}),
            "ValidationException: One or more parameter values were invalid: Delimiter must be one of",
        ),
        (
            "new",
            json!({"S3BucketSource": {"S3Bucket": "../bucket"}}),
            "ValidationException: ../bucket is not the name of a bucket",
        ),
    ] {
        let (kind, message) = database.refused("ImportTable", request(table, more.clone()));
        let found = format!("{kind}: {message}");
        assert!(found.starts_with(expected), "{more}: {found}");
    }
    let arn = "arn:aws:dynamodb:us-east-1:000000000000:table/table/import/01489602797149-73d8d5bc";
    assert_eq!(database.refused("DescribeImport", json!({"ImportArn": arn})).0, "ImportNotFoundException");
}
