//! The audit log of a server: what is in it, and what happens when it cannot be written.
#![cfg(unix)]

mod support;

use std::path::Path;
use std::process::{Command, Output};

use support::{Serving, serve};

fn audit(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sortkey")).arg("audit").args(arguments).output().expect("it runs")
}

fn lines(path: &Path) -> Vec<serde_json::Value> {
    let shown = audit(&["show", "--json", &path.to_string_lossy()]);
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    let text = String::from_utf8(shown.stdout).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn create_table(server: &Serving) -> u16 {
    let table = r#"{"TableName":"music","BillingMode":"PAY_PER_REQUEST",
        "KeySchema":[{"AttributeName":"artist","KeyType":"HASH"}],
        "AttributeDefinitions":[{"AttributeName":"artist","AttributeType":"S"}]}"#;
    server.call("CreateTable", "", table).0
}

fn put(server: &Serving, artist: &str) -> u16 {
    let body = format!(
        r#"{{"TableName":"music","Item":{{"artist":{{"S":"{artist}"}},"note":{{"S":"secret-note"}}}}}}"#
    );
    server.call("PutItem", "", &body).0
}

#[test]
fn decisions_are_recorded_without_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.log");
    let mut server = serve(&["--in-memory", "--audit", &path.to_string_lossy()]);
    assert_eq!(create_table(&server), 200);
    assert_eq!(put(&server, "secret-artist"), 200);
    assert_eq!(server.request("GET", "/_sortkey/verify?secret=query", "", "").0, 200);
    assert_eq!(server.request("GET", "/metrics", "Origin: http://evil.example\r\n", "").0, 403);
    assert_eq!(server.request("GET", "/ready", "", "").0, 200);
    server.stop();

    let found = lines(&path);
    let told: Vec<(&str, &str)> = found
        .iter()
        .map(|line| (line["operation"].as_str().expect("text"), line["decision"].as_str().expect("text")))
        .collect();
    assert_eq!(
        told,
        [
            ("ServerStarted", "noted"),
            ("CreateTable", "allowed"),
            ("PutItem", "allowed"),
            ("GET /_sortkey/verify", "allowed"),
            ("GET /metrics", "rejected"),
            ("ServerStopped", "noted"),
        ]
    );
    assert_eq!(found[2]["resources"][0], "arn:aws:dynamodb:us-east-1:000000000000:table/music");
    assert_eq!((&found[2]["key"], &found[2]["from"]), (&"AKID".into(), &"127.0.0.1".into()));
    let text = std::fs::read_to_string(&path).expect("read");
    assert!(!text.contains("secret"), "no keys, values or queries: {text}");

    let verified = audit(&["verify", &path.to_string_lossy()]);
    assert!(
        String::from_utf8_lossy(&verified.stdout).contains("6 lines, unchanged up to 6:"),
        "{verified:?}"
    );
    std::fs::write(&path, text.replace("rejected", "allowed")).expect("written");
    let verified = audit(&["verify", &path.to_string_lossy()]);
    assert!(!verified.status.success());
    assert!(String::from_utf8_lossy(&verified.stderr).contains("was changed"), "{verified:?}");
}

/// A server whose files cannot grow beyond a few kilobytes, as on a full disk.
fn on_a_full_disk(folder: &Path, flags: &str) -> Serving {
    let log = folder.join("audit.log");
    let script = format!(
        "trap '' XFSZ; ulimit -f 4; exec '{}' serve --port 0 --in-memory --audit '{}' {flags}",
        env!("CARGO_BIN_EXE_sortkey"),
        log.display()
    );
    let mut command = Command::new("bash");
    command.args(["-c", &script]);
    support::serve_command(command)
}

#[test]
fn requests_that_cannot_be_recorded_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = on_a_full_disk(folder.path(), "");
    assert_eq!(create_table(&server), 200);
    let answers: Vec<u16> = (0..40).map(|at| put(&server, &format!("artist-{at}"))).collect();
    let taken = answers.iter().filter(|status| **status == 200).count();
    assert!((1..40).contains(&taken) && answers[taken..].iter().all(|status| *status == 503), "{answers:?}");
    let (status, ready) = server.request("GET", "/ready", "", "");
    assert!(status == 200 && ready.contains("requests are refused"), "{ready}");
    assert!(!ready.contains("audit.log"), "without paths: {ready}");
    server.stop();
    // Refused requests changed nothing, and every request that changed something is recorded.
    let recorded = lines(&folder.path().join("audit.log"));
    let puts = recorded.iter().filter(|line| line["operation"] == "PutItem").count();
    assert_eq!(puts, taken);
}

#[test]
fn requests_that_cannot_be_recorded_pass_where_that_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = on_a_full_disk(folder.path(), "--audit-fail-open");
    assert_eq!(create_table(&server), 200);
    assert!((0..40).all(|at| put(&server, &format!("artist-{at}")) == 200));
    let (_, ready) = server.request("GET", "/ready", "", "");
    assert!(ready.contains("carried out unrecorded"), "{ready}");
}
