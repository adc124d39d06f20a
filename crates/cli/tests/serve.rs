//! The binary as a user meets it: started as a process, spoken to over its port, stopped by a signal.
#![cfg(unix)]

mod support;

use std::io::{BufRead as _, BufReader};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::serve;

const TABLE: &str = r#"{"TableName":"music","BillingMode":"PAY_PER_REQUEST",
    "KeySchema":[{"AttributeName":"artist","KeyType":"HASH"}],
    "AttributeDefinitions":[{"AttributeName":"artist","AttributeType":"S"}]}"#;
const SONG: &str = r#"{"TableName":"music","Item":{"artist":{"S":"Nina"},"year":{"N":"1965"}}}"#;
const KEY: &str = r#"{"TableName":"music","Key":{"artist":{"S":"Nina"}}}"#;

#[test]
fn it_says_how_to_reach_it_and_stops_when_asked() {
    let mut server = serve(&["--in-memory", "--region", "eu-west-1"]);
    let [sdk, memory] = server.lines.as_slice() else { unreachable!("two lines were read") };
    assert!(sdk.contains(&format!("AWS_ENDPOINT_URL_DYNAMODB=http://{}", server.address)), "{sdk}");
    assert!(memory.contains("in memory"), "{memory}");
    let health = server.request("GET", "/", "", "");
    assert_eq!(health, (200, "healthy: dynamodb.eu-west-1.amazonaws.com ".to_owned()));

    assert!(server.stop().success());
}

#[test]
fn it_can_be_stopped_from_the_moment_it_says_where_it_is() {
    for _ in 0..20 {
        let ended = serve(&["--in-memory"]).stop();
        assert!(ended.success(), "{ended}");
    }
}

#[test]
fn other_machines_are_let_in_only_where_a_flag_says_so_and_it_is_announced() {
    let command = |flags: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sortkey"));
        command.args(["serve", "--in-memory", "--port", "0", "--host", "0.0.0.0"]).args(flags);
        command
    };
    let refused = command(&[]).output().expect("it runs");
    assert!(!refused.status.success());
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("other machines can reach 0.0.0.0") && said.contains("--insecure-open"), "{said}");
    assert!(
        !command(&["--insecure-open", "--auth", "auth.json"]).output().expect("it runs").status.success()
    );

    let mut open = command(&["--insecure-open"]).stdout(Stdio::piped()).spawn().expect("it starts");
    let lines = BufReader::new(open.stdout.take().expect("piped")).lines();
    let warning = lines.map_while(Result::ok).take(4).last().unwrap_or_default();
    open.kill().expect("it is there");
    open.wait().expect("it ended");
    assert!(warning.starts_with("WARNING: --insecure-open"), "{warning}");
}

#[test]
fn it_is_a_database_that_can_be_forked_and_reset() {
    let server = serve(&["--in-memory"]);
    assert_eq!(server.call("CreateTable", "", TABLE).0, 200);
    assert_eq!(server.request("POST", "/_sortkey/forks", "", r#"{"name":"copy"}"#).0, 200);
    let fork = "x-sortkey-fork: copy\r\n";
    assert_eq!(server.call("PutItem", fork, SONG), (200, "{}".to_owned()));

    let item = r#"{"Item":{"artist":{"S":"Nina"},"year":{"N":"1965"}}}"#.to_owned();
    assert_eq!(server.call("GetItem", fork, KEY), (200, item));
    assert_eq!(server.call("GetItem", "", KEY), (200, "{}".to_owned()));

    assert_eq!(server.request("DELETE", "/_sortkey/forks/copy", "", "").0, 200);
    let (status, text) = server.call("GetItem", fork, KEY);
    assert_eq!(status, 400);
    assert!(text.contains("There is no fork copy"), "{text}");

    assert_eq!(server.request("POST", "/_sortkey/reset", "", "").0, 200);
    assert_eq!(server.call("ListTables", "", "{}"), (200, r#"{"TableNames":[]}"#.to_owned()));
}

#[test]
fn what_it_answered_is_there_after_it_was_killed() {
    let directory = tempfile::tempdir().expect("a directory");
    let data = directory.path().join("data");
    let data = data.to_str().expect("a name in Unicode");
    let server = serve(&["--data", data]);
    assert_eq!(server.call("CreateTable", "", TABLE).0, 200);
    assert_eq!(server.call("PutItem", "", SONG), (200, "{}".to_owned()));
    // A drop kills without asking.
    drop(server);

    let server = serve(&["--data", data]);
    let item = r#"{"Item":{"artist":{"S":"Nina"},"year":{"N":"1965"}}}"#.to_owned();
    assert_eq!(server.call("GetItem", "", KEY), (200, item));
    let second =
        Command::new(env!("CARGO_BIN_EXE_sortkey")).args(["serve", "--port", "0", "--data", data]).output();
    let second = second.expect("the binary starts");
    assert!(!second.status.success());
    let told = String::from_utf8_lossy(&second.stderr);
    assert!(told.contains(&server.process.id().to_string()), "it says who has the directory: {told}");
}

#[test]
fn its_clock_and_its_faults_can_be_steered() {
    let server = serve(&["--in-memory"]);
    let (status, clock) = server.request("POST", "/_sortkey/clock", "", r#"{"stopMs":1767225600000}"#);
    assert_eq!((status, clock.as_str()), (200, r#"{"nowMs":1767225600000}"#));
    let (_, clock) = server.request("POST", "/_sortkey/clock", "", r#"{"advanceMs":500}"#);
    assert_eq!(clock, r#"{"nowMs":1767225600500}"#);

    assert_eq!(server.call("CreateTable", "", TABLE).0, 200);
    let fault = r#"{"throttle":1,"operation":"GetItem"}"#;
    assert_eq!(server.request("POST", "/_sortkey/faults", "", fault).0, 200);
    let (status, text) = server.call("GetItem", "", KEY);
    assert!(status == 400 && text.contains("ProvisionedThroughputExceededException"), "{status} {text}");
    assert_eq!(server.call("GetItem", "", KEY).0, 200);
    assert_eq!(server.request("GET", "/_sortkey/faults", "", "").1, r#"{"faults":[]}"#);

    let (status, text) =
        server.request("POST", "/_sortkey/faults", "", r#"{"throttle":1,"operation":"Get"}"#);
    assert_eq!((status, text.as_str()), (400, r#"{"error":"there is no operation Get"}"#));
    let (_, settings) = server.request("POST", "/_sortkey/settings", "", r#"{"gsiDelayMs":250}"#);
    assert_eq!(settings, r#"{"gsiDelayMs":250}"#);
}

#[test]
fn a_port_that_is_taken_is_explained() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("its address").port().to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_sortkey"))
        .args(["serve", "--in-memory", "--port", &port])
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains(&format!("error: cannot listen on 127.0.0.1:{port}")), "{text}");
    assert!(text.contains("hint: another server has this port; choose one with --port"), "{text}");
}

#[test]
fn it_stops_with_its_parent_even_if_that_is_killed() {
    let mut shell = Command::new("bash");
    shell
        .args(["-c", r#""$SERVER" serve --in-memory --port 0 --parent $$ & wait"#])
        .env("SERVER", env!("CARGO_BIN_EXE_sortkey"));
    let mut server = support::serve_command(shell);
    assert_eq!(server.request("GET", "/", "", "").0, 200);
    server.process.kill().expect("killed");
    server.process.wait().expect("an end");
    let deadline = Instant::now() + Duration::from_secs(20);
    while TcpStream::connect(&server.address).is_ok() {
        assert!(Instant::now() < deadline, "the server outlived its parent");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn it_does_not_start_for_a_parent_that_is_not_its_own() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sortkey"));
    let done =
        command.args(["serve", "--in-memory", "--port", "0", "--parent", "1"]).output().expect("an end");
    assert!(!done.status.success());
    assert_eq!(
        String::from_utf8_lossy(&done.stderr),
        format!(
            "error: --parent 1: that process has ended, or did not start this one\n \
             hint: this process was started by {}\n",
            std::process::id()
        )
    );
}
