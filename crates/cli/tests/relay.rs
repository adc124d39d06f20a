//! A relay as its users meet it: a load of webhooks, receivers that behave and misbehave, and a server that is killed again and
//! again. `SORTKEY_RELAY_EVENTS` and `SORTKEY_RELAY_KILLS` make it larger.
//!
//! F-46: counters stayed 0, the outcome of an event was not derived from its deliveries, and nothing delivered anything.
#![cfg(unix)]
#![expect(clippy::panic, reason = "a test that cannot go on says why")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

fn number(name: &str, otherwise: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn design() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems/ferryhook/ferryhook.sk")
}

/// A request that a receiver got: the path and the id of the webhook.
type Log = Arc<Mutex<Vec<(String, String)>>>;

/// A receiver whose answer depends on the path.
fn receiver(log: &Log) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let log = Arc::clone(log);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let log = Arc::clone(&log);
            std::thread::spawn(move || while answer(&stream, &log).is_some() {});
        }
    });
    port
}

fn answer(stream: &TcpStream, log: &Log) -> Option<()> {
    let (head, _) = message(stream)?;
    let path = head.split(' ').nth(1)?.to_owned();
    let id = header(&head, "webhook-id").unwrap_or_default();
    assert!(
        header(&head, "webhook-signature").is_some_and(|text| text.starts_with("v1,")),
        "unsigned: {head}"
    );
    log.lock().expect("a log").push((path.clone(), id));
    let status = match path.as_str() {
        "/ok" => "200 OK",
        "/gone" => "410 Gone",
        "/reset" => return None,
        "/redirect" => "302 Found\r\nlocation: http://169.254.169.254/",
        _ => "500 Internal Server Error",
    };
    let mut stream = stream;
    write!(stream, "HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n").ok()
}

/// One HTTP message: its head and its body.
fn message(stream: &TcpStream) -> Option<(String, Vec<u8>)> {
    let mut reader = BufReader::with_capacity(1, stream);
    let mut head = String::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        head.push_str(&line);
    }
    let length = header(&head, "content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, body))
}

fn header(head: &str, name: &str) -> Option<String> {
    head.lines().find_map(|line| {
        let (found, value) = line.split_once(':')?;
        found.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    })
}

/// The relay in a process of its own.
struct Relay {
    process: Child,
}

impl Relay {
    fn start(folder: &Path, port: u16) -> Relay {
        let mut process = Command::new(env!("CARGO_BIN_EXE_sortkey"))
            .args(["up", "--port", &port.to_string(), "--allow-private", "127.0.0.0/8", "--data"])
            .arg(folder.join("data"))
            .arg(design())
            .env("SORTKEY_LOG", "error")
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let lines = BufReader::new(process.stdout.take().expect("piped")).lines();
        for line in lines.map_while(Result::ok) {
            if line.ends_with("Ctrl-C stops it.") {
                break;
            }
        }
        Relay { process }
    }

    /// Ends it as a power failure would.
    fn kill(&mut self) {
        self.process.kill().expect("killed");
        self.process.wait().expect("ended");
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A request to the relay; none if it is not there.
fn ask(port: u16, method: &str, path: &str, token: Option<&str>, body: &str) -> Option<(u16, Json)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
    let token = token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n{token}content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
    .ok()?;
    let (head, body) = message(&stream)?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some((status, serde_json::from_slice(&body).unwrap_or(Json::Null)))
}

fn must(port: u16, method: &str, path: &str, token: Option<&str>, body: &Json) -> Json {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let (status, answer) = ask(port, method, path, token, &body).expect("an answer");
    assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
    answer
}

fn text(json: &Json, name: &str) -> String {
    json[name].as_str().unwrap_or_else(|| panic!("no {name}: {json}")).to_owned()
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port()
}

/// Waits until something holds.
fn eventually(what: &str, seconds: u64, holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(seconds);
    while !holds() {
        assert!(Instant::now() < end, "{what} does not hold after {seconds} seconds");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn what_was_accepted_is_delivered_although_the_server_is_killed() {
    let (events, kills) = (number("SORTKEY_RELAY_EVENTS", 60), number("SORTKEY_RELAY_KILLS", 3));
    let folder = tempfile::tempdir().expect("a folder");
    let log: Log = Arc::default();
    let (receiver, port) = (receiver(&log), free_port());
    let mut relay = Relay::start(folder.path(), port);

    let account = json!({ "email": "ada@example.com", "name": "Ada", "password": "correct horse" });
    let login = must(port, "POST", "/auth/sign-up", None, &account);
    let token = text(&login, "token");
    let token = Some(token.as_str());
    let source = text(
        &must(port, "POST", "/api/sources/create", token, &json!({ "name": "One", "provider": "custom" })),
        "sourceId",
    );
    let mut connections = BTreeMap::new();
    for path in ["ok", "broken", "reset", "redirect"] {
        let input = json!({ "input": {
            "sourceId": source, "name": path, "destinationUrl": format!("http://127.0.0.1:{receiver}/{path}"),
            "signingSecret": "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz", "retryConfig": { "delays": [1, 1] },
        }});
        let made = must(port, "POST", "/api/connections/create", token, &input);
        connections.insert(path, text(&made, "connectionId"));
    }

    // Events arrive while the server is killed and comes back.
    let sent = Arc::new(AtomicUsize::new(0));
    let accepted: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let senders: Vec<_> = (0..4)
        .map(|sender| {
            let (sent, accepted, path) = (Arc::clone(&sent), Arc::clone(&accepted), format!("/in/{source}"));
            std::thread::spawn(move || {
                while sent.fetch_add(1, Ordering::Relaxed) < events {
                    let body = format!("{{\"from\":{sender}}}");
                    // The sender repeats an event until it is acknowledged, as webhook providers do.
                    let answer = loop {
                        match ask(port, "POST", &path, None, &body) {
                            Some((202, answer)) => break answer,
                            _ => std::thread::sleep(Duration::from_millis(50)),
                        }
                    };
                    accepted.lock().expect("accepted").insert(text(&answer, "eventId"));
                }
            })
        })
        .collect();
    for kill in 1..=kills {
        let due = events * kill / (kills + 1);
        eventually("the load", 120, || sent.load(Ordering::Relaxed) >= due);
        relay.kill();
        relay = Relay::start(folder.path(), port);
    }
    senders.into_iter().for_each(|sender| sender.join().expect("a sender"));
    let accepted = accepted.lock().expect("accepted").clone();
    assert_eq!(accepted.len(), events);

    // Leases of runs that were killed end after a minute.
    let settled = |event: &String| {
        let path = format!("/api/eventById?eventId={event}");
        let found = ask(port, "GET", &path, token, "");
        found.is_some_and(|(_, event)| event["status"] == "failed")
    };
    eventually("every event is settled", 240, || accepted.iter().all(settled));

    // Delivered at least once, or tried exactly as often as the schedule says.
    let log = log.lock().expect("a log");
    let calls = |path: &str, event: &String| log.iter().filter(|(p, id)| p == path && id == event).count();
    let mut twice = 0;
    for event in &accepted {
        assert!(calls("/ok", event) >= 1, "{event} was accepted and never delivered");
        twice += calls("/ok", event) - 1;
        let attempts =
            must(port, "GET", &format!("/api/attempts/listByEvent?eventId={event}"), token, &Json::Null);
        for (path, connection) in &connections {
            let recorded = attempts["items"].as_array().expect("items").iter();
            let recorded: Vec<&Json> =
                recorded.filter(|each| each["connectionId"] == json!(connection)).collect();
            let expected = if *path == "ok" { 1 } else { 2 };
            assert_eq!(recorded.len(), expected, "attempts of {event} at /{path}");
            // An attempt without a status may have ended before its request arrived.
            let answered = recorded.iter().filter(|each| each["statusCode"] != json!(0)).count();
            assert!(calls(&format!("/{path}"), event) >= answered, "an attempt was recorded that nobody saw");
        }
    }
    // Only what was under way when the server was killed may come twice: at most four for each connection.
    assert!(twice <= kills * 4, "{twice} events were delivered twice");
    drop(log);

    // Counts are moved once a minute.
    let count = |path: &str, name: &str| {
        let path = format!("/api/getConnection?sourceId={source}&connectionId={}", connections[path]);
        ask(port, "GET", &path, token, "").and_then(|(_, found)| found[name].as_u64()).unwrap_or(0)
    };
    eventually("the counts", 240, || {
        count("ok", "deliveryCount") == events as u64 && count("broken", "failureCount") == events as u64
    });
    assert_eq!((count("ok", "failureCount"), count("broken", "deliveryCount")), (0, 0));
}
