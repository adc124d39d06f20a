//! `sortkey verify` on the data that a server leaves behind, and of one that runs.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use support::serve;

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
    let server = serve(&["--data", directory.to_str().unwrap()]);
    let body = r#"{"TableName":"Things","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}"#;
    let (status, answer) = server.call("CreateTable", "", body);
    assert_eq!(status, 200, "{answer}");
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
    let mut server = serve(&["--data", data.to_str().unwrap()]);
    assert_eq!(server.call("CreateTable", "", TABLE).0, 200);
    let on =
        r#"{"TableName":"Things","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true}}"#;
    assert_eq!(server.call("UpdateContinuousBackups", "", on).0, 200);
    let (is_over, written) = (AtomicBool::new(false), AtomicU64::new(0));
    let endpoint = format!("http://{}", server.address);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let (server, is_over, written) = (&server, &is_over, &written);
            scope.spawn(move || {
                for turn in 0.. {
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                    let (operation, body) = write(writer, turn);
                    let (status, answer) = server.call(operation, "", &body);
                    assert_eq!(status, 200, "{operation}: {answer}");
                    written.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let verified = std::panic::catch_unwind(|| {
            for _ in 0..8 {
                let before = written.load(Ordering::Relaxed);
                while written.load(Ordering::Relaxed) < before + 40 {
                    std::thread::sleep(Duration::from_millis(1));
                }
                let online = sortkey(&["verify", "--endpoint", &endpoint]).output().unwrap();
                let said = String::from_utf8_lossy(&online.stdout).into_owned();
                assert!(online.status.success() && said.ends_with("\nsound\n"), "{said}");
                assert!(!said.contains(" 0 "), "there is something of everything: {said}");
            }
        });
        is_over.store(true, Ordering::Relaxed);
        verified.unwrap();
    });
    let in_use = verify(&data);
    let complaint = String::from_utf8_lossy(&in_use.stderr).into_owned();
    assert!(complaint.contains("sortkey verify --endpoint URL"), "{complaint}");
    assert!(server.stop().success());
    let at_rest = verify(&data);
    let said = String::from_utf8_lossy(&at_rest.stdout).into_owned();
    assert!(at_rest.status.success() && said.ends_with("\nsound\n"), "{said}");
}

const TABLE: &str = r#"{"TableName":"Things","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[
    {"AttributeName":"id","AttributeType":"S"},{"AttributeName":"group","AttributeType":"S"}],
    "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],
    "GlobalSecondaryIndexes":[{"IndexName":"byGroup","KeySchema":[{"AttributeName":"group","KeyType":"HASH"}],
        "Projection":{"ProjectionType":"ALL"}}],
    "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}}"#;

/// The next write of a writer. Writers share their items, and most of them move through the index.
fn write(writer: u64, turn: u64) -> (&'static str, String) {
    let item = |number: u64| {
        let (id, group) = (number % 30, (turn + writer) % 7);
        format!(r#"{{"id":{{"S":"{id}"}},"group":{{"S":"{group}"}},"turn":{{"N":"{turn}"}}}}"#)
    };
    let put = |number: u64| format!(r#"{{"Put":{{"TableName":"Things","Item":{}}}}}"#, item(number));
    let key = format!(r#""TableName":"Things","Key":{{"id":{{"S":"{}"}}}}"#, (turn * 7 + writer) % 30);
    match (turn + writer) % 4 {
        0 => ("PutItem", format!(r#"{{"TableName":"Things","Item":{}}}"#, item(turn * 3))),
        1 => ("DeleteItem", format!("{{{key}}}")),
        // Transactions of one writer have items of their own: those that meet are cancelled.
        2 => {
            let own =
                |at: u64| put(100 * (writer + 1) + at).replace(r#""S":""#, &format!(r#""S":"w{writer}-"#));
            ("TransactWriteItems", format!(r#"{{"TransactItems":[{},{}]}}"#, own(1), own(2)))
        }
        _ => {
            let update = r##""UpdateExpression":"SET #g = :g","ExpressionAttributeNames":{"#g":"group"}"##;
            let values = format!(r#""ExpressionAttributeValues":{{":g":{{"S":"{}"}}}}"#, turn % 5);
            ("UpdateItem", format!("{{{key},{update},{values}}}"))
        }
    }
}

// F-64: `verify` needed a writable directory. Its user may only read here, which root is not kept to: a test that runs as root runs
// it as nobody.
#[test]
fn a_directory_that_is_only_read_is_verified_and_left_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    leave_a_table_behind(&data);
    // Once with the checksums of the files noted, once without.
    for is_noted in [false, true] {
        if is_noted {
            assert!(verify(&data).status.success());
        }
        let before = only_readable(directory.path());
        let read = as_nobody(&["verify", data.to_str().unwrap()]);
        let said = String::from_utf8_lossy(&read.stdout).into_owned();
        let complaint = String::from_utf8_lossy(&read.stderr).into_owned();
        assert!(read.status.success() && said.ends_with("\nsound\n"), "{said} {complaint}");
        assert_eq!(only_readable(directory.path()), before, "nothing is changed");
        change_modes(directory.path(), 0o700, 0o600);
    }
    // Damage is found there, too.
    let file = data.join("FORMAT");
    let mut bytes = std::fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&file, bytes).unwrap();
    only_readable(directory.path());
    assert!(!as_nobody(&["verify", data.to_str().unwrap()]).status.success());
    change_modes(directory.path(), 0o700, 0o600);
}

fn as_nobody(arguments: &[&str]) -> Output {
    let mut command = sortkey(arguments);
    if rustix::process::geteuid().is_root() {
        command.uid(65_534).gid(65_534);
    }
    command.output().unwrap()
}

/// Takes the right to write from everything in a directory; what is there, and when it was changed.
fn only_readable(directory: &Path) -> BTreeMap<PathBuf, (u64, SystemTime)> {
    change_modes(directory, 0o555, 0o444);
    let files = files(directory).into_iter().map(|file| {
        let about = std::fs::metadata(&file).unwrap();
        let is_dir = about.is_dir();
        (file, (if is_dir { 0 } else { about.len() }, about.modified().unwrap()))
    });
    files.collect()
}

fn change_modes(directory: &Path, of_directories: u32, of_files: u32) {
    for path in files(directory) {
        let mode = if path.is_dir() { of_directories } else { of_files };
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
}

/// A directory and everything in it.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = vec![directory.to_owned()];
    for entry in std::fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap().path();
        match entry.is_dir() {
            true => found.extend(files(&entry)),
            false => found.push(entry),
        }
    }
    found
}
