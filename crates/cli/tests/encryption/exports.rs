//! Exports of encrypted databases: nothing is found in their files, and `sortkey decrypt` reads them.

use std::path::{Path, PathBuf};

use crate::support::Serving;
use crate::{Place, VALUES, content, files, fill, found};

/// Values that are still in the table when it is exported: every seventh was deleted.
const EXPORTED: usize = VALUES - VALUES.div_ceil(7);

/// Exports the table, and returns the data file.
fn export(server: &Serving, buckets: &str, bucket: &str) -> PathBuf {
    let request = format!(
        r#"{{"TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/notes","S3Bucket":"{bucket}"}}"#
    );
    let (status, begun) = server.call("ExportTableToPointInTime", "", &request);
    assert_eq!(status, 200, "{begun}");
    let begun: serde_json::Value = serde_json::from_str(&begun).expect("JSON");
    let arn = begun["ExportDescription"]["ExportArn"].as_str().expect("an ARN").to_owned();
    loop {
        let (_, shown) = server.call("DescribeExport", "", &format!(r#"{{"ExportArn":"{arn}"}}"#));
        if shown.contains("COMPLETED") {
            break;
        }
        assert!(shown.contains("IN_PROGRESS"), "{shown}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let is_data = |path: &PathBuf| path.to_string_lossy().contains("/data/");
    files(&Path::new(buckets).join(bucket)).into_iter().find(is_data).expect("a data file")
}

fn import(server: &Serving, bucket: &str, table: &str) -> serde_json::Value {
    let request = format!(
        r#"{{"S3BucketSource":{{"S3Bucket":"{bucket}"}},"InputFormat":"DYNAMODB_JSON","InputCompressionType":"GZIP",
            "TableCreationParameters":{{"TableName":"{table}","BillingMode":"PAY_PER_REQUEST",
            "KeySchema":[{{"AttributeName":"id","KeyType":"HASH"}}],
            "AttributeDefinitions":[{{"AttributeName":"id","AttributeType":"S"}}]}}}}"#
    );
    let (status, begun) = server.call("ImportTable", "", &request);
    assert_eq!(status, 200, "{begun}");
    let begun: serde_json::Value = serde_json::from_str(&begun).expect("JSON");
    let arn = begun["ImportTableDescription"]["ImportArn"].as_str().expect("an ARN").to_owned();
    loop {
        let (_, shown) = server.call("DescribeImport", "", &format!(r#"{{"ImportArn":"{arn}"}}"#));
        let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
        if shown["ImportTableDescription"]["ImportStatus"] != "IN_PROGRESS" {
            return shown["ImportTableDescription"].clone();
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn exports_of_an_encrypted_database_show_none_of_its_values() {
    let place = Place::new();
    let (data, buckets) = (place.path("data/notes"), place.path("buckets"));
    let mut server = place.serve(&["--data", &data, "--encrypt", "--export-dir", &buckets]);
    fill(&server);
    let file = export(&server, &buckets, "one");
    assert_eq!(found(&buckets), 0);
    assert_eq!(import(&server, "one", "copy")["ImportStatus"], "COMPLETED");

    // People read them with the keyring.
    let plain = place.path("plain");
    place.succeeds(&["decrypt", &place.path("buckets/one"), "--to", &plain]);
    assert_eq!(found(&plain), EXPORTED);
    assert!(
        place.fails(&["decrypt", &place.path("buckets/one"), "--to", &plain]).contains("is there already")
    );
    let printed = place.run(&["decrypt", &file.to_string_lossy()]);
    assert!(printed.status.success());
    assert_eq!(printed.stdout, std::fs::read(&files(Path::new(&plain))[0]).expect("read"));

    // A changed file, a file in the place of another, and another keyring.
    let other = export(&server, &buckets, "two");
    let bytes = std::fs::read(&file).expect("read");
    let elsewhere = place.path("elsewhere");
    let rejected = |why: &str| {
        let said = place.fails(&["decrypt", &file.to_string_lossy(), "--to", &elsewhere]);
        assert!(said.contains(why), "{said}");
        assert!(files(Path::new(&elsewhere)).is_empty(), "nothing is left behind");
    };
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    std::fs::write(&file, flipped).expect("written");
    rejected("was changed");
    let broken = import(&server, "one", "broken");
    assert_eq!(broken["ImportStatus"], "FAILED", "{broken}");
    std::fs::copy(&other, &file).expect("copied");
    rejected("in its place");
    std::fs::write(&file, &bytes).expect("written");
    let keys = place.path("keys/keyring.json");
    let keyring = std::fs::read(&keys).expect("read");
    std::fs::remove_file(&keys).expect("lost");
    rejected("keyring");
    assert!(!Path::new(&keys).exists(), "no other keyring takes its place");
    place.succeeds(&["keyring", "create", "--keyring", &keys]);
    rejected("has no key");
    std::fs::write(&keys, keyring).expect("found again");
    assert!(server.stop().success());

    // A database with another data key reads them with the same keyring.
    let server = place.serve(&["--in-memory", "--export-dir", &buckets]);
    assert_eq!(import(&server, "one", "copy")["ImportedItemCount"], EXPORTED + 1);
}

#[test]
fn exports_are_encrypted_or_plain_as_the_flag_says() {
    let place = Place::new();
    let buckets = place.path("buckets");
    for (flags, name, expected) in [
        (&["--in-memory"][..], "default", EXPORTED),
        (&["--in-memory", "--exports", "encrypted"], "asked-for", 0),
        (&["--encrypt", "--exports", "plain", "--data", &place.path("data/notes")], "plain", EXPORTED),
    ] {
        let server = place.serve(&[flags, &["--export-dir", &buckets]].concat());
        fill(&server);
        let file = export(&server, &buckets, name);
        assert_eq!(found(&file.to_string_lossy()), expected, "{name}");
        assert_eq!(content(&file).starts_with(b"SKCIPHER"), expected == 0, "{name}");
    }
}
