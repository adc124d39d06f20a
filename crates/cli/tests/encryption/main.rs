//! Encryption at rest as a user of the command line meets it: a thousand planted values, and none of them found.
#![cfg(unix)]

mod exports;
#[path = "../support/mod.rs"]
mod support;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use support::{Serving, serve_with};

const VALUES: usize = 1000;

/// A folder with the data in one place and the keyring in another.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sortkey"));
        command.args(arguments).env("SORTKEY_KEYRING", self.path("keys/keyring.json"));
        command.env_remove("SORTKEY_KEYRING_PASSPHRASE").output().expect("it runs")
    }

    fn succeeds(&self, arguments: &[&str]) -> String {
        let done = self.run(arguments);
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).into_owned()
    }

    fn fails(&self, arguments: &[&str]) -> String {
        let done = self.run(arguments);
        assert!(!done.status.success(), "{arguments:?}");
        String::from_utf8_lossy(&done.stderr).into_owned()
    }

    fn serve(&self, arguments: &[&str]) -> Serving {
        serve_with(arguments, |command| {
            command.env("SORTKEY_KEYRING", self.path("keys/keyring.json"));
        })
    }
}

fn value(at: usize) -> String {
    // Long enough that no chance produces it, short enough that no compression splits it.
    format!("planted-{at:05}-{:08x}", (at as u32).wrapping_mul(2_654_435_761))
}

/// A table with an index, a stream and continuous backups, in which every planted value is written and changed.
fn fill(server: &Serving) {
    let call = |operation: &str, body: &str| {
        let (status, answer) = server.call(operation, "", body);
        assert_eq!(status, 200, "{operation} {body}: {answer}");
        answer
    };
    call(
        "CreateTable",
        r#"{"TableName":"notes","BillingMode":"PAY_PER_REQUEST",
            "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],
            "AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"},{"AttributeName":"kind","AttributeType":"S"}],
            "GlobalSecondaryIndexes":[{"IndexName":"by-kind","KeySchema":[{"AttributeName":"kind","KeyType":"HASH"}],
                "Projection":{"ProjectionType":"ALL"}}],
            "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}}"#,
    );
    call(
        "UpdateContinuousBackups",
        r#"{"TableName":"notes","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true}}"#,
    );
    for chunk in 0..VALUES / 25 {
        let items: Vec<String> = (chunk * 25..(chunk + 1) * 25)
            .map(|at| {
                let text = value(at);
                format!(
                    r#"{{"PutRequest":{{"Item":{{"id":{{"S":"id-{at}"}},"kind":{{"S":"k{}"}},"text":{{"S":"{text}"}},
                       "list":{{"L":[{{"S":"{text}"}}]}}}}}}}}"#,
                    at % 3
                )
            })
            .collect();
        call("BatchWriteItem", &format!(r#"{{"RequestItems":{{"notes":[{}]}}}}"#, items.join(",")));
    }
    call("CreateBackup", r#"{"TableName":"notes","BackupName":"before"}"#);
    for at in (0..VALUES).step_by(7) {
        call("DeleteItem", &format!(r#"{{"TableName":"notes","Key":{{"id":{{"S":"id-{at}"}}}}}}"#));
    }
    // A large one, which is kept in a file of its own.
    let large = format!(
        r#"{{"TableName":"notes","Item":{{"id":{{"S":"large"}},"text":{{"S":"{}"}}}}}}"#,
        value(1).repeat(2000)
    );
    call("PutItem", &large);
}

fn files(root: &Path) -> Vec<PathBuf> {
    if root.is_file() {
        return vec![root.to_owned()];
    }
    let entries = std::fs::read_dir(root).expect("a directory");
    entries.flat_map(|entry| files(&entry.expect("an entry").path())).collect()
}

/// The bytes of a file; those of a gzip file are decompressed, since compression is no encryption.
fn content(file: &Path) -> Vec<u8> {
    let bytes = std::fs::read(file).expect("read");
    let mut plain = Vec::new();
    match flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut plain) {
        Ok(_) => plain,
        Err(_) => bytes,
    }
}

/// How many of the planted values are found in a file or directory.
fn found(root: &str) -> usize {
    let mut is_found = vec![false; VALUES];
    for file in files(Path::new(root)) {
        let bytes = content(&file);
        for at in memchr::memmem::find_iter(&bytes, b"planted-") {
            let digits = bytes.get(at + 8..at + 13).and_then(|digits| std::str::from_utf8(digits).ok());
            if let Some(number) =
                digits.and_then(|digits| digits.parse::<usize>().ok()).filter(|number| *number < VALUES)
            {
                is_found[number] = true;
            }
        }
    }
    is_found.iter().filter(|found| **found).count()
}

fn read_one(server: &Serving) {
    let (status, answer) = server.call("GetItem", "", r#"{"TableName":"notes","Key":{"id":{"S":"id-1"}}}"#);
    assert_eq!(status, 200);
    assert!(answer.contains(&value(1)), "{answer}");
}

#[test]
fn none_of_a_thousand_planted_values_is_found() {
    let place = Place::new();
    for encrypt in [true, false] {
        let name = if encrypt { "encrypted" } else { "plain" };
        let (data, backup) = (place.path(&format!("data/{name}")), place.path(&format!("{name}.backup")));
        let flags = if encrypt { &["--encrypt"][..] } else { &[] };
        let mut server = place.serve(&[&["--data", &data], flags].concat());
        fill(&server);
        read_one(&server);
        place.succeeds(&["backup", &backup, "--endpoint", &format!("http://{}", server.address)]);
        assert!(server.stop().success());
        let expected = if encrypt { 0 } else { VALUES };
        assert_eq!(found(&data), expected, "{name}");
        let stopped = place.path(&format!("{name}-stopped.backup"));
        place.succeeds(&["backup", &stopped, "--data", &data]);
        for file in [&backup, &stopped] {
            assert_eq!(found(file) > 0, !encrypt, "{file}");
        }

        // Everything is there for those who have the keyring, also in a copy that was restored.
        assert!(place.succeeds(&["verify", &data]).ends_with("sound\n"));
        let restored = place.path(&format!("data/{name}-restored"));
        place.succeeds(&["restore", &backup, "--data", &restored]);
        assert_eq!(found(&restored), expected, "{name}, restored");
        for folder in [&data, &restored] {
            read_one(&place.serve(&["--data", folder]));
        }
    }
    // A database that is there is never changed; an encrypted copy can be made of it.
    let (plain, backup) = (place.path("data/plain"), place.path("plain.backup"));
    assert!(
        place.fails(&["serve", "--port", "0", "--data", &plain, "--encrypt"]).contains("is not encrypted")
    );
    let copy = place.path("data/copy");
    place.succeeds(&["restore", &backup, "--data", &copy, "--encrypt"]);
    assert_eq!(found(&copy), 0);
    read_one(&place.serve(&["--data", &copy]));
}

fn state(root: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let mut state: Vec<_> = files(Path::new(root))
        .into_iter()
        .filter(|path| !path.ends_with("LOCK"))
        .map(|path| (path.clone(), std::fs::read(&path).expect("read")))
        .collect();
    state.sort();
    state
}

#[test]
fn a_wrong_or_lost_keyring_opens_nothing_and_changes_nothing() {
    let place = Place::new();
    let (data, backup, keys) =
        (place.path("data/notes"), place.path("all.backup"), place.path("keys/keyring.json"));
    let mut server = place.serve(&["--data", &data, "--encrypt"]);
    fill(&server);
    assert!(server.stop().success());
    place.succeeds(&["backup", &backup, "--data", &data]);
    let (before, keyring) = (state(&data), std::fs::read(&keys).expect("the keyring"));
    let attempts = |why: &str| {
        for arguments in [
            &["serve", "--port", "0", "--data", &data][..],
            &["verify", &data],
            &["backup", &place.path("another.backup"), "--data", &data],
            &["restore", &backup, "--data", &place.path("data/restored")],
        ] {
            let said = place.fails(arguments);
            assert!(said.contains(why), "{arguments:?}: {said}");
        }
        assert_eq!(state(&data), before);
        assert!(!Path::new(&place.path("another.backup")).exists());
        assert!(!Path::new(&place.path("data/restored")).exists());
    };

    std::fs::remove_file(&keys).expect("lost");
    attempts("keyring");
    assert!(!Path::new(&keys).exists(), "no other keyring takes its place");
    place.succeeds(&["keyring", "create", "--keyring", &keys]);
    attempts("has no key");
    std::fs::write(&keys, &keyring).expect("found again");
    read_one(&place.serve(&["--data", &data]));

    // Kept beside the data, it would protect nothing.
    let beside = place.path("data/notes/keyring.json");
    assert!(place.fails(&["verify", &data, "--keyring", &beside]).contains("keep it elsewhere"));
}

#[test]
fn rotation_seals_the_data_key_anew_and_touches_nothing_else() {
    let place = Place::new();
    let data = place.path("data/notes");
    let mut server = place.serve(&["--data", &data, "--encrypt"]);
    fill(&server);
    assert!(server.stop().success());
    let old = std::fs::read(place.path("keys/keyring.json")).expect("the keyring");
    let before = state(&data);
    place.succeeds(&["keyring", "rotate", "--data", &data, "--drop-old-keys"]);
    let changed: Vec<PathBuf> = state(&data)
        .into_iter()
        .zip(before)
        .filter(|(after, before)| after != before)
        .map(|(after, _)| after.0)
        .collect();
    assert_eq!(changed, [Path::new(&data).join("KEY")]);
    read_one(&place.serve(&["--data", &data]));
    std::fs::write(place.path("keys/keyring.json"), old).expect("written");
    assert!(place.fails(&["verify", &data]).contains("has no key"));
}

#[test]
fn a_passphrase_or_a_command_gives_the_keyring() {
    let place = Place::new();
    let data = place.path("data/notes");
    let with = |passphrase: &str, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sortkey"));
        command.args(arguments).env("SORTKEY_KEYRING", place.path("keys/keyring.json"));
        command.env("SORTKEY_KEYRING_PASSPHRASE", passphrase).output().expect("it runs")
    };
    assert!(with("correct horse", &["keyring", "create"]).status.success());
    let made = with("correct horse", &["restore", "/dev/null", "--data", &data]);
    assert!(!made.status.success(), "not a backup");
    let mut server = serve_with(&["--data", &data, "--encrypt"], |command| {
        command.env("SORTKEY_KEYRING", place.path("keys/keyring.json"));
        command.env("SORTKEY_KEYRING_PASSPHRASE", "correct horse");
    });
    fill(&server);
    assert!(server.stop().success());
    assert!(with("correct horse", &["verify", &data]).status.success());
    assert!(!with("wrong", &["verify", &data]).status.success());
    assert!(place.fails(&["verify", &data]).contains("SORTKEY_KEYRING_PASSPHRASE"));

    let other = place.path("data/other");
    place.succeeds(&["keyring", "create", "--keyring", &place.path("vault/keyring.json")]);
    let command = format!("cat '{}'", place.path("vault/keyring.json"));
    let mut server = serve_with(&["--data", &other, "--encrypt", "--keyring-command", &command], |command| {
        command.env_remove("SORTKEY_KEYRING");
    });
    fill(&server);
    assert!(server.stop().success());
    let mut verify = Command::new(env!("CARGO_BIN_EXE_sortkey"));
    verify.args(["verify", &other, "--keyring-command", &command]).env_remove("SORTKEY_KEYRING");
    assert!(verify.output().expect("it runs").status.success());
    let mut refused = Command::new(env!("CARGO_BIN_EXE_sortkey"));
    refused.args(["verify", &other, "--keyring-command", "false"]).env_remove("SORTKEY_KEYRING");
    assert!(!refused.output().expect("it runs").status.success());
}
