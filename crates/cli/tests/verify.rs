//! `sortkey verify` on the data that a server leaves behind.
#![allow(clippy::unwrap_used)]

use sortkey_testkit::Client;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn sortkey(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sortkey"));
    command.args(arguments);
    command
}

fn verify(directory: &Path) -> Output {
    sortkey(&["verify", directory.to_str().unwrap()]).output().unwrap()
}

/// Serves the directory, creates a table, and ends as `kill -9` would.
fn leave_a_table_behind(directory: &Path) {
    let mut server = sortkey(&["serve", "--port", "0", "--data", directory.to_str().unwrap()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut said, mut line) = (BufReader::new(server.stdout.take().unwrap()), String::new());
    said.read_line(&mut line).unwrap();
    let address = line.trim().rsplit_once("http://").unwrap().1.to_owned();
    let body = r#"{"TableName":"Things","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}"#;
    let request = format!(
        "POST / HTTP/1.1\r\nhost: {address}\r\nx-amz-target: DynamoDB_20120810.CreateTable\r\n\
         content-type: application/x-amz-json-1.0\r\ncontent-length: {}\r\nconnection: close\r\n\
         authorization: AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, \
         SignedHeaders=host;x-amz-date, Signature=0\r\nx-amz-date: 20260101T000000Z\r\n\r\n{body}",
        body.len()
    );
    let answer = Client::ask(&address, request.as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.text());
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn sound_data_is_called_sound_and_damaged_data_is_not() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let missing = verify(&data);
    assert!(!missing.status.success() && !data.exists());
    assert!(String::from_utf8_lossy(&missing.stderr).contains("there is no database in"));

    leave_a_table_behind(&data);
    let sound = verify(&data);
    let said = String::from_utf8_lossy(&sound.stdout).into_owned();
    assert!(sound.status.success(), "{said}");
    assert_eq!(said, "Things: 0 items, 0 index entries, 0 stream records, 0 changes in its history\nsound\n");

    // The end of the journal, which was acknowledged, is gone.
    let journal = data.join("fjall/0.jnl");
    let written = std::fs::read(&journal).unwrap();
    let length = written.iter().rposition(|byte| *byte != 0).unwrap() as u64;
    std::fs::OpenOptions::new().write(true).open(&journal).unwrap().set_len(length / 2).unwrap();
    let damaged = verify(&data);
    let complaint = String::from_utf8_lossy(&damaged.stderr).into_owned();
    assert!(!damaged.status.success() && complaint.contains("was acknowledged"), "{complaint}");
}

// F-64: a database could only be verified while no server had it.
#[test]
fn a_server_that_runs_is_verified_alongside_its_writers() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    leave_a_table_behind(&data);
    let mut server = sortkey(&["serve", "--port", "0", "--data", data.to_str().unwrap()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut said, mut line) = (BufReader::new(server.stdout.take().unwrap()), String::new());
    said.read_line(&mut line).unwrap();
    let address = format!("http://{}", line.trim().rsplit_once("http://").unwrap().1);
    let online = sortkey(&["verify", "--endpoint", &address]).output().unwrap();
    let in_use = verify(&data);
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&online.stdout),
        "Things: 0 items, 0 index entries, 0 stream records, 0 changes in its history\nsound\n"
    );
    let complaint = String::from_utf8_lossy(&in_use.stderr).into_owned();
    assert!(complaint.contains("sortkey verify --endpoint URL"), "{complaint}");
}
