//! A server whose disk fails: reads go on, refused writes give the reason, and it heals without being restarted.
#![cfg(target_os = "linux")]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use support::{Serving, serve_with};

const TABLE: &str = r#"{"TableName":"music","BillingMode":"PAY_PER_REQUEST",
    "KeySchema":[{"AttributeName":"artist","KeyType":"HASH"}],
    "AttributeDefinitions":[{"AttributeName":"artist","AttributeType":"S"}],
    "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"}}"#;
const INDEX: &str = r#"{"TableName":"music","AttributeDefinitions":[{"AttributeName":"year","AttributeType":"N"}],
    "GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"years",
    "KeySchema":[{"AttributeName":"year","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}}]}"#;
const ARTISTS: usize = 300;

#[test]
fn it_heals_once_the_disk_is_well() {
    let directory = tempfile::tempdir().expect("a directory");
    let Some(disk) = FailingDisk::below(directory.path()) else {
        return sortkey_testkit::leave_out("no C compiler, or not Linux: failing disks are not tried");
    };
    let data = directory.path().join("data");
    let mut server =
        serve_with(&["--data", data.to_str().expect("Unicode")], |command| disk.put_below(command));
    assert_eq!(server.call("CreateTable", "", TABLE).0, 200);
    for number in 0..ARTISTS {
        assert_eq!(put(&server, number).0, 200);
    }
    for (round, fault) in ["space", "fsync", "short"].into_iter().enumerate() {
        if round == 0 {
            // The background completes an index when the disk fails, and must do so in the end.
            assert_eq!(server.call("UpdateTable", "", INDEX).0, 200);
        }
        disk.fail(fault);
        suffer(&server, round, fault);
        disk.recover();
        wait_until("it is ready", || server.request("GET", "/ready", "", "").0 == 200);
        assert_eq!(put(&server, ARTISTS + round), (200, "{}".to_owned()), "{fault}");
        assert!(server.request("GET", "/metrics", "", "").1.contains("\nsortkey_ready 1\n"));
    }
    let description = r#"{"TableName":"music"}"#;
    wait_until("the index is complete", || {
        server.call("DescribeTable", "", description).1.contains(r#""IndexStatus":"ACTIVE""#)
    });
    // One write per fault is in doubt: it may have been kept.
    let (_, found) = server.call("Scan", "", r#"{"TableName":"music","IndexName":"years","Select":"COUNT"}"#);
    let count = number_after(&found, r#""Count":"#);
    assert!((ARTISTS + 3..=ARTISTS + 6).contains(&count), "{found}");

    assert!(server.stop().success());
    let verified = Command::new(env!("CARGO_BIN_EXE_sortkey")).arg("verify").arg(&data).output();
    let said = String::from_utf8(verified.expect("the binary starts").stdout).expect("text");
    assert!(said.ends_with("sound\n"), "{said}");
}

/// Clients' view of a failing disk.
fn suffer(server: &Serving, round: usize, fault: &str) {
    // Either this write finds the fault or a background write already has; both get an error with the reason.
    let (status, text) = put(server, 1_000 + round);
    assert!(
        status == 500 && text.contains("InternalServerError") && text.contains("the store"),
        "{fault}: {text}"
    );
    let (status, text) = put(server, 2_000 + round);
    assert_eq!(status, 500, "{fault}");
    assert!(text.contains("takes no writes since a commit failed"), "{fault}: {text}");
    let (status, text) = server.call("GetItem", "", r#"{"TableName":"music","Key":{"artist":{"S":"a7"}}}"#);
    assert!(status == 200 && text.contains(r#""artist":{"S":"a7"}"#), "{fault}: {text}");
    let (status, why) = server.request("GET", "/ready", "", "");
    assert!(status == 503 && why.contains("a commit failed"), "{fault}: {status} {why}");
    assert!(server.request("GET", "/metrics", "", "").1.contains("\nsortkey_ready 0\n"));
}

fn put(server: &Serving, number: usize) -> (u16, String) {
    let year = 1900 + number % 100;
    let item =
        format!(r#"{{"TableName":"music","Item":{{"artist":{{"S":"a{number}"}},"year":{{"N":"{year}"}}}}}}"#);
    server.call("PutItem", "", &item)
}

fn number_after(text: &str, label: &str) -> usize {
    let rest = text.split_once(label).expect("the label").1;
    let digits = rest.split(|character: char| !character.is_ascii_digit()).next();
    digits.and_then(|digits| digits.parse().ok()).expect("a number")
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while !condition() {
        assert!(Instant::now() < deadline, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A library between the server and its files, which lets them fail on request.
struct FailingDisk {
    shim: PathBuf,
    root: PathBuf,
    fault: PathBuf,
}

impl FailingDisk {
    /// None where there is no C compiler.
    fn below(root: &Path) -> Option<FailingDisk> {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../storage-fjall/tests/support/shim.c");
        let shim = root.join("shim.so");
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(&shim)
            .arg(source)
            .args(["-ldl", "-lpthread"])
            .status();
        let disk = FailingDisk { shim, root: root.join("data"), fault: root.join("fault") };
        std::fs::create_dir(&disk.root).expect("a directory");
        built.is_ok_and(|status| status.success()).then_some(disk)
    }

    fn put_below(&self, command: &mut Command) {
        command
            .env("LD_PRELOAD", &self.shim)
            .env("SORTKEY_SHIM_ROOT", &self.root)
            .env("SORTKEY_SHIM_FAULT", &self.fault);
    }

    fn fail(&self, fault: &str) {
        std::fs::write(&self.fault, fault).expect("written");
    }

    fn recover(&self) {
        std::fs::remove_file(&self.fault).expect("removed");
    }
}
