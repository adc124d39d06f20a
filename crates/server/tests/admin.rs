//! The administration routes over HTTP, with an administration that repeats what it was asked.

mod support;

use std::io::{Read, Write};
use std::sync::Arc;

use parking_lot::Mutex;
use sortkey_server::{
    Admin, AdminError, Backup, Clock, ClockChange, Expired, Fault, Fork, ForkName, Guard, NewFork, Recorded,
    Settings, Tuning, TuningChange, Verified, admin_mount,
};
use support::{Fake, Running, start_with};

/// Writes down every call.
#[derive(Default)]
struct Recorder(Mutex<Vec<String>>);

impl Recorder {
    fn note(&self, fork: Option<&ForkName>, what: &str) {
        self.0.lock().push(format!("{}: {what}", fork.map_or("main", ForkName::as_str)));
    }
}

impl Admin for Recorder {
    fn clock(&self, fork: Option<&ForkName>) -> Result<Clock, AdminError> {
        self.note(fork, "clock");
        Ok(Clock { now_ms: 1000 })
    }

    fn change_clock(&self, fork: Option<&ForkName>, change: ClockChange) -> Result<Clock, AdminError> {
        self.note(fork, &format!("{change:?}"));
        Ok(Clock { now_ms: 2000 })
    }

    fn release_clock(&self, fork: Option<&ForkName>) -> Result<Clock, AdminError> {
        self.note(fork, "release");
        Ok(Clock { now_ms: 1000 })
    }

    fn expire(&self, fork: Option<&ForkName>) -> Result<Expired, AdminError> {
        self.note(fork, "expire");
        Ok(Expired { deleted: 3 })
    }

    fn verify(&self, fork: Option<&ForkName>) -> Result<Verified, AdminError> {
        self.note(fork, "verify");
        Ok(Verified { sound: true, ..Verified::default() })
    }

    fn reset(&self, fork: Option<&ForkName>) -> Result<(), AdminError> {
        self.note(fork, "reset");
        Ok(())
    }

    fn forks(&self) -> Result<Vec<Fork>, AdminError> {
        Ok(vec![Fork { name: ForkName::parse("a").expect("a name"), from: None }])
    }

    fn requests(&self, _: Option<&ForkName>) -> Result<Vec<Recorded>, AdminError> {
        Ok(vec![Recorded { operation: "PutItem", body: "{}".to_owned() }])
    }

    fn create_fork(&self, fork: NewFork) -> Result<Fork, AdminError> {
        self.note(None, &format!("fork {}", fork.name));
        match fork.name.as_str() {
            "taken" => Err(AdminError::Exists("there is a fork of that name".into())),
            _ => Ok(Fork { name: fork.name, from: fork.from }),
        }
    }

    fn delete_fork(&self, name: &ForkName) -> Result<(), AdminError> {
        Err(AdminError::NotFound(format!("no fork {name}")))
    }

    fn faults(&self, _: Option<&ForkName>) -> Result<Vec<Fault>, AdminError> {
        Ok(vec![Fault { throttle: 1, table: Some("t".into()), ..Fault::default() }])
    }

    fn add_fault(&self, fork: Option<&ForkName>, fault: Fault) -> Result<(), AdminError> {
        self.note(fork, &format!("{} {} {:?}", fault.throttle, fault.unprocessed, fault.operation));
        Ok(())
    }

    fn clear_faults(&self, fork: Option<&ForkName>) -> Result<(), AdminError> {
        self.note(fork, "clear");
        Ok(())
    }

    fn backup(&self, fork: Option<&ForkName>) -> Result<Backup, AdminError> {
        self.note(fork, "backup");
        let is_broken = fork.is_some();
        let pieces = (0..5u8).map(move |number| match number {
            3 if is_broken => Err(std::io::Error::other("the disk is gone")),
            number => Ok(vec![b'0' + number; 100_000]),
        });
        Ok(Box::new(pieces))
    }

    #[expect(clippy::panic, reason = "the server must answer all the same")]
    fn tuning(&self, _: Option<&ForkName>) -> Result<Tuning, AdminError> {
        panic!("a bug")
    }

    fn change_tuning(&self, fork: Option<&ForkName>, change: TuningChange) -> Result<Tuning, AdminError> {
        self.note(fork, &format!("{change:?}"));
        Ok(Tuning { gsi_delay_ms: change.gsi_delay_ms.unwrap_or_default() })
    }
}

fn server(settings: Settings) -> (Running, Arc<Recorder>) {
    let recorder = Arc::new(Recorder::default());
    (start_with(Fake::default(), settings, vec![admin_mount(recorder.clone())]), recorder)
}

fn ask(server: &Running, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
    let length = body.len();
    let request = format!(
        "{method} /_sortkey{path} HTTP/1.1\r\nHost: {}\r\n{headers}Content-Length: {length}\r\n\r\n{body}",
        server.address
    );
    let answer = server.ask(request.as_bytes());
    (answer.status, answer.text())
}

#[test]
fn every_act_has_a_route() {
    let (server, recorder) = server(Settings::default());
    for (method, path, body, status, answer, noted) in [
        ("GET", "/clock", "", 200, r#"{"nowMs":1000}"#, "main: clock"),
        ("POST", "/clock", r#"{"setMs":5}"#, 200, r#"{"nowMs":2000}"#, "main: SetMs(5)"),
        ("POST", "/clock", r#"{"advanceMs":7}"#, 200, r#"{"nowMs":2000}"#, "main: AdvanceMs(7)"),
        ("POST", "/clock", r#"{"stopMs":9}"#, 200, r#"{"nowMs":2000}"#, "main: StopMs(9)"),
        ("DELETE", "/clock", "", 200, r#"{"nowMs":1000}"#, "main: release"),
        ("POST", "/expire", "", 200, r#"{"deleted":3}"#, "main: expire"),
        ("POST", "/reset", "", 200, "{}", "main: reset"),
        ("GET", "/forks", "", 200, r#"{"forks":[{"name":"a"}]}"#, ""),
        ("POST", "/forks", r#"{"name":"b","from":"a"}"#, 200, r#"{"name":"b","from":"a"}"#, "main: fork b"),
        ("GET", "/requests", "", 200, r#"{"requests":[{"operation":"PutItem","body":"{}"}]}"#, ""),
        (
            "POST",
            "/forks",
            r#"{"name":"taken"}"#,
            409,
            r#"{"error":"there is a fork of that name"}"#,
            "main: fork taken",
        ),
        ("DELETE", "/forks/gone", "", 404, r#"{"error":"no fork gone"}"#, ""),
        (
            "POST",
            "/faults",
            r#"{"throttle":2,"operation":"PutItem"}"#,
            200,
            "{}",
            r#"main: 2 0 Some("PutItem")"#,
        ),
        (
            "GET",
            "/faults",
            "",
            200,
            r#"{"faults":[{"throttle":1,"unprocessed":0,"conflict":0,"table":"t"}]}"#,
            "",
        ),
        ("DELETE", "/faults", "", 200, "{}", "main: clear"),
        (
            "POST",
            "/settings/",
            r#"{"gsiDelayMs":9}"#,
            200,
            r#"{"gsiDelayMs":9}"#,
            "main: TuningChange { gsi_delay_ms: Some(9) }",
        ),
        ("GET", "/settings", "", 500, r#"{"error":"a bug in the server"}"#, ""),
        ("GET", "/nothing", "", 404, r#"{"error":"no such route; GET /_sortkey lists them"}"#, ""),
        ("DELETE", "/forks/", "", 404, r#"{"error":"no such route; GET /_sortkey lists them"}"#, ""),
    ] {
        let found = ask(&server, method, path, "", body);
        assert_eq!(found, (status, answer.to_owned()), "{method} {path} {body}");
        assert_eq!(recorder.0.lock().pop().unwrap_or_default(), noted, "{method} {path} {body}");
    }
}

#[test]
fn a_backup_is_sent_in_pieces_and_one_that_fails_is_cut_off() {
    let (server, recorder) = server(Settings::default());
    let fetch = |headers: &str| {
        let mut stream = std::net::TcpStream::connect(server.address).expect("a connection");
        write!(stream, "GET /_sortkey/backup HTTP/1.0\r\nHost: {}\r\n{headers}\r\n", server.address)
            .expect("sent");
        let mut answer = Vec::new();
        // A connection that is cut may be reset, and a reset may swallow what was sent before it.
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8(answer).expect("text");
        text.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_owned())
    };
    let whole = fetch("Accept-Encoding: gzip\r\n");
    assert_eq!(whole, (0..5).map(|number| number.to_string().repeat(100_000)).collect::<String>());
    assert!(fetch("x-sortkey-fork: broken\r\n").len() <= 300_000);
    assert_eq!(*recorder.0.lock(), ["main: backup", "broken: backup"]);
}

#[test]
fn wishes_that_make_no_sense_are_explained() {
    let (server, recorder) = server(Settings::default());
    for (path, body, why) in [
        ("/clock", r#"{"setMs":-5}"#, "invalid value"),
        ("/clock", r#"{"rewindMs":5}"#, "unknown variant `rewindMs`"),
        ("/clock", "", "EOF"),
        ("/faults", r#"{"throttel":2}"#, "unknown field `throttel`"),
        ("/forks", r#"{"name":"a b"}"#, "a fork's name is 1 to 128 letters"),
    ] {
        let (status, text) = ask(&server, "POST", path, "", body);
        assert_eq!(status, 400, "{path} {body}");
        assert!(text.contains(why), "{text}");
    }
    assert!(recorder.0.lock().is_empty());
}

#[test]
fn the_fork_header_names_the_database_to_steer() {
    let (server, recorder) = server(Settings::default());
    ask(&server, "POST", "/reset", "x-sortkey-fork: test-1\r\n", "");
    assert_eq!(*recorder.0.lock(), ["test-1: reset"]);
}

#[test]
fn the_list_names_every_route() {
    let (server, _) = server(Settings::default());
    let (status, text) = ask(&server, "GET", "", "", "");
    assert_eq!(status, 200);
    assert!(text.contains(r#""path":"/_sortkey/clock""#), "{text}");
}

#[test]
fn the_manual_describes_every_route() {
    let manual = include_str!("../../../docs/administration.md");
    let (server, _) = server(Settings::default());
    let (_, list) = ask(&server, "GET", "", "", "");
    let list: serde_json::Value = serde_json::from_str(&list).expect("JSON");
    for route in list["routes"].as_array().expect("a list") {
        let [method, path] = ["method", "path"].map(|field| route[field].as_str().expect("text"));
        let documented = format!("`{method} {}", path.trim_end_matches('*'));
        assert!(manual.contains(&documented), "{documented} is missing in docs/administration.md");
    }
}

#[test]
fn web_pages_of_others_are_kept_out_unless_allowed() {
    let (closed, recorder) = server(Settings::default());
    let headers = "Origin: http://evil.example\r\n";
    assert_eq!(ask(&closed, "POST", "/reset", headers, "").0, 403);
    assert!(recorder.0.lock().is_empty());
    let guard = Guard { cors_origins: vec!["http://evil.example".into()], ..Guard::default() };
    let (open, recorder) = server(Settings { guard, ..Settings::default() });
    assert_eq!(ask(&open, "POST", "/reset", headers, "").0, 200);
    assert_eq!(recorder.0.lock().len(), 1);
}
