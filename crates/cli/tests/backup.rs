//! `sortkey backup` while the server works, and `sortkey restore`: what comes back is what was there at one moment.
#![cfg(unix)]

mod support;

use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use support::{Serving, serve};

const TABLE: &str = r#"{"TableName":"accounts","BillingMode":"PAY_PER_REQUEST",
    "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],
    "AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"},{"AttributeName":"bank","AttributeType":"S"}],
    "GlobalSecondaryIndexes":[{"IndexName":"banks","KeySchema":[{"AttributeName":"bank","KeyType":"HASH"}],
    "Projection":{"ProjectionType":"ALL"}}],
    "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}}"#;
const ACCOUNTS: usize = 40;
const WRITERS: usize = 4;
const EACH_HAS: usize = 1_000;

fn sortkey(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sortkey")).args(arguments).output().expect("the binary runs")
}

fn said(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8(text).expect("text")
}

fn succeed(arguments: &[&str]) -> String {
    let output = sortkey(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    said(&output)
}

fn refused(arguments: &[&str]) -> String {
    let output = sortkey(arguments);
    assert!(!output.status.success(), "{arguments:?}: {}", said(&output));
    said(&output)
}

#[test]
fn a_backup_under_load_is_one_moment() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name).to_str().expect("Unicode").to_owned();
    let (data, file) = (path("data"), path("backup"));
    let server = serve(&["--data", &data]);
    open_accounts(&server);
    while_money_moves(&server, || {
        let endpoint = format!("http://{}", server.address);
        let told = succeed(&["backup", &file, "--endpoint", &endpoint]);
        assert!(told.contains(" entries, "), "{told}");
    });
    let told = refused(&["backup", &path("second"), "--data", &data]);
    assert!(told.contains("is in use by process") && told.contains("--endpoint instead of --data"), "{told}");
    assert!(refused(&["backup", &file, "--data", &data]).contains("is there already"));
    drop(server);

    let restored = path("restored");
    let told = succeed(&["restore", &file, "--data", &restored]);
    assert!(told.ends_with("1 table\n"), "{told}");
    check(&restored);
    let told = refused(&["restore", &file, "--data", &restored]);
    assert!(told.contains("is not empty"), "{told}");

    // The directory of the stopped server, copied in the other way.
    let stopped = path("stopped");
    succeed(&["backup", &stopped, "--data", &data]);
    std::fs::create_dir(path("empty")).expect("a directory");
    succeed(&["restore", &stopped, "--data", &path("empty")]);
    check(&path("empty"));

    damaged_ones_are_refused(&file, &path("damaged"), &path("never"));
}

fn open_accounts(server: &Serving) {
    assert_eq!(server.call("CreateTable", "", TABLE).0, 200);
    for account in 0..ACCOUNTS {
        let item = format!(
            r#"{{"TableName":"accounts","Item":{{"id":{{"S":"{account}"}},"bank":{{"S":"b{}"}},"balance":{{"N":"{EACH_HAS}"}}}}}}"#,
            account % 3
        );
        assert_eq!(server.call("PutItem", "", &item).0, 200);
    }
}

/// Lets writers move money by transactions, before, while and after something is done.
fn while_money_moves(server: &Serving, act: impl FnOnce()) {
    let (stop, moved) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (stop, moved) = (&stop, &moved);
            scope.spawn(move || {
                let mut step = writer;
                while !stop.load(Ordering::Relaxed) {
                    step += 7;
                    let (from, to) = (step % ACCOUNTS, (step * 3 + 1) % ACCOUNTS);
                    if from != to {
                        // Transactions may conflict, and are then not repeated.
                        let (status, text) =
                            server.call("TransactWriteItems", "", &transfer(from, to, 1 + step % 9));
                        assert!(status == 200 || text.contains("TransactionConflict"), "{text}");
                        moved.fetch_add(u64::from(status == 200), Ordering::Relaxed);
                    }
                }
            });
        }
        let wait_for = |count: u64| {
            while moved.load(Ordering::Relaxed) < count {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
        };
        wait_for(50);
        act();
        wait_for(moved.load(Ordering::Relaxed) + 20);
        stop.store(true, Ordering::Relaxed);
    });
}

fn transfer(from: usize, to: usize, amount: usize) -> String {
    let update = |account: usize, amount: String| {
        format!(
            r#"{{"Update":{{"TableName":"accounts","Key":{{"id":{{"S":"{account}"}}}},
                "UpdateExpression":"ADD balance :a",
                "ExpressionAttributeValues":{{":a":{{"N":"{amount}"}}}}}}}}"#
        )
    };
    let updates = [update(from, format!("-{amount}")), update(to, amount.to_string())];
    format!(r#"{{"TransactItems":[{}]}}"#, updates.join(","))
}

/// The money is all there, in the table and in the index, and everything fits together.
fn check(data: &str) {
    assert!(succeed(&["verify", data]).ends_with("sound\n"));
    let server = serve(&["--data", data]);
    for index in ["", r#","IndexName":"banks""#] {
        let (status, text) = server.call("Scan", "", &format!(r#"{{"TableName":"accounts"{index}}}"#));
        assert_eq!(status, 200, "{text}");
        let sums = text.split(r#""balance":{"N":""#).skip(1);
        let sums: Vec<i64> = sums
            .map(|rest| rest.split('"').next().and_then(|sum| sum.parse().ok()).expect("a number"))
            .collect();
        assert_eq!(sums.len(), ACCOUNTS);
        assert_eq!(sums.iter().sum::<i64>(), (ACCOUNTS * EACH_HAS) as i64, "{sums:?}");
    }
    // It goes on from there.
    assert_eq!(server.call("TransactWriteItems", "", &transfer(1, 2, 5)).0, 200);
}

fn damaged_ones_are_refused(file: &str, damaged: &str, target: &str) {
    let whole = std::fs::read(file).expect("the backup");
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 4;
    for (bytes, why) in [
        (&whole[..whole.len() - 3], "the backup is cut off"),
        (&whole[..whole.len() / 2], "the backup is cut off"),
        (&flipped, "the backup is damaged"),
        (&b"something else"[..], "this is not a backup that sortkey made"),
    ] {
        std::fs::write(damaged, bytes).expect("written");
        let told = refused(&["restore", damaged, "--data", target]);
        assert!(told.contains(why), "{told}");
        assert!(!Path::new(target).exists() && !Path::new(&format!("{target}.restoring")).exists());
    }
}
