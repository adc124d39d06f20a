//! Servers that hang, reset, redirect, flood and lie. Each ends in its typed error within the deadline, and a listener inside sees no connection.

mod support;

use std::time::{Duration, Instant};

use sortkey_outbound::{Error, MAX_RESPONSE_BYTES, Method, Phase, Request, Response};
use support::{Act, Scripted, Server, client, loopback, post, send};

/// The required result.
#[derive(Debug)]
enum Expected {
    /// A status, and the body.
    Answer(u16, &'static str),
    /// A status, and a part of a body.
    Part(u16),
    Timeout(Phase, Option<u16>),
    Reset(Option<u16>),
    Malformed,
    HeadTooLarge,
    /// Not an answer; which error it is depends on whether the request was sent before.
    Nothing,
}

impl Expected {
    fn fits(&self, outcome: &Result<Response, Error>) -> bool {
        match (self, outcome) {
            (Expected::Answer(status, body), Ok(response)) => {
                response.status == *status && response.body == body.as_bytes() && !response.is_truncated
            }
            (Expected::Part(status), Ok(response)) => response.status == *status && response.is_truncated,
            (Expected::Timeout(phase, status), Err(error)) => {
                *error == Error::Timeout { during: *phase, status: *status }
            }
            (Expected::Reset(status), Err(error)) => *error == Error::Reset { status: *status },
            (Expected::Malformed, Err(error)) => matches!(error, Error::Malformed { .. }),
            (Expected::HeadTooLarge, Err(error)) => *error == Error::HeadTooLarge,
            (Expected::Nothing, Err(error)) => {
                matches!(error, Error::Malformed { .. } | Error::Reset { status: None })
            }
            _ => false,
        }
    }
}

/// Cases that run side by side, since most of them wait.
#[derive(Default)]
struct Cases(tokio::task::JoinSet<()>);

impl Cases {
    fn add(&mut self, name: &'static str, acts: Vec<Act>, expected: Expected) {
        self.0.spawn(check(name, acts, expected));
    }

    async fn run(self) {
        self.0.join_all().await;
    }
}

/// How long a server that hangs is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long anything may take on a machine that is very busy. The servers hang for an hour.
const SLACK: Duration = Duration::from_secs(120);

async fn check(name: &str, acts: Vec<Act>, expected: Expected) {
    let server = Server::new(acts).await;
    let client = client(loopback(), Scripted::new(&[]));
    let hangs = matches!(expected, Expected::Timeout(..));
    let request = post(&server.url());
    let request = if hangs { Request { timeout: PATIENCE, ..request } } else { request };
    let begin = Instant::now();
    let outcome = client.send(request).await;
    assert!(expected.fits(&outcome), "{name}: expected {expected:?}, found {outcome:?}");
    assert!(begin.elapsed() < SLACK, "{name}: {:?}", begin.elapsed());
    assert!(outcome.is_err() || outcome.is_ok_and(|response| response.body.len() <= MAX_RESPONSE_BYTES));
    // Unread bytes stay in the buffers of the system, which hold a few megabytes.
    let sent = server.sent();
    assert!(sent < 32 << 20, "{name}: {sent} bytes");
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(server.sent() - sent < 8 << 20, "{name}: the connection is still read");
}

const HEAD: &str = "HTTP/1.1 200 OK\r\n";

#[tokio::test]
async fn servers_that_hang() {
    let mut cases = Cases::default();
    let waiting = |status| Expected::Timeout(Phase::Waiting, status);
    let reading = || Expected::Timeout(Phase::Reading, Some(200));
    cases.add("before reading", vec![Act::Hang], waiting(None));
    cases.add("before the head", vec![Act::Read, Act::Hang], waiting(None));
    cases.add("within the head", vec![Act::Read, send(HEAD), Act::Hang], waiting(None));
    let part = format!("{HEAD}content-length: 10\r\n\r\nabc");
    cases.add("within the body", vec![Act::Read, send(&part), Act::Hang], reading());
    let chunk = format!("{HEAD}transfer-encoding: chunked\r\n\r\n5\r\nabc");
    cases.add("within a chunk", vec![Act::Read, send(&chunk), Act::Hang], reading());
    cases.add("with an open end", vec![Act::Read, send(&format!("{HEAD}\r\nabc")), Act::Hang], reading());
    let drip = |text: String| vec![Act::Read, Act::Trickle(text.into_bytes(), 40)];
    cases.add("with a slow head", drip(format!("{HEAD}x-long: {}\r\n\r\n", "x".repeat(200))), waiting(None));
    let body = vec![
        Act::Read,
        send(&format!("{HEAD}content-length: 200\r\n\r\n")),
        Act::Trickle(vec![b'x'; 200], 40),
    ];
    cases.add("with a slow body", body, reading());
    let interim = vec![Act::Read, Act::Trickle(b"HTTP/1.1 100 Continue\r\n\r\n".repeat(20), 40)];
    cases.add("with slow interim answers", interim, waiting(None));
    cases.run().await;
}

#[tokio::test]
async fn servers_that_close() {
    let mut cases = Cases::default();
    cases.add("at once", vec![Act::Reset], Expected::Reset(None));
    cases.add("after the request", vec![Act::Read, Act::Reset], Expected::Reset(None));
    cases.add("without a word", vec![Act::Read], Expected::Reset(None));
    cases.add("within the head", vec![Act::Read, send("HTTP/1.1 200")], Expected::Reset(None));
    let part = format!("{HEAD}content-length: 10\r\n\r\nabc");
    cases.add("within the body", vec![Act::Read, send(&part)], Expected::Reset(Some(200)));
    let chunk = format!("{HEAD}transfer-encoding: chunked\r\n\r\n5\r\nabc");
    cases.add("within a chunk", vec![Act::Read, send(&chunk)], Expected::Reset(Some(200)));
    let chunk = format!("{HEAD}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n");
    cases.add("before the last chunk", vec![Act::Read, send(&chunk)], Expected::Reset(Some(200)));
    cases.run().await;
}

#[tokio::test]
async fn servers_that_flood() {
    let mut cases = Cases::default();
    let flood = |head: String, bytes: &[u8]| vec![Act::Read, send(&head), Act::Flood(bytes.to_vec())];
    cases.add(
        "with a length",
        flood(format!("{HEAD}content-length: 9999999999\r\n\r\n"), b"x"),
        Expected::Part(200),
    );
    cases.add("with an open end", flood(format!("{HEAD}\r\n"), b"x"), Expected::Part(200));
    let chunked = format!("{HEAD}transfer-encoding: chunked\r\n\r\n");
    cases.add("with chunks", flood(chunked.clone(), b"10\r\n0123456789abcdef\r\n"), Expected::Part(200));
    cases.add("with tiny chunks", flood(chunked.clone(), b"1\r\nx\r\n"), Expected::Part(200));
    let extended = format!("1;{}\r\nx\r\n", "e".repeat(1000));
    let outcome = Expected::Malformed;
    cases.add("with extended chunks", flood(chunked.clone(), extended.as_bytes()), outcome);
    cases.add("with a status", flood("HTTP/1.1 500 Oh\r\n\r\n".to_owned(), b"x"), Expected::Part(500));
    let interim = b"HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n";
    cases.add("with interim answers", flood(String::new(), interim), Expected::HeadTooLarge);
    cases.add("with one header", flood(format!("{HEAD}x: "), b"x"), Expected::HeadTooLarge);
    cases.add("with headers", flood(HEAD.to_owned(), b"x: y\r\n"), Expected::HeadTooLarge);
    cases.add("with a status line", flood("HTTP/1.1 200 ".to_owned(), b"x"), Expected::HeadTooLarge);
    cases.add("with trailers", flood(format!("{chunked}0\r\n"), b"x: y\r\n"), Expected::Malformed);
    cases.run().await;
}

#[tokio::test]
async fn servers_that_lie() {
    let mut cases = Cases::default();
    let answer = |rest: &str| vec![Act::Read, send(&format!("{HEAD}{rest}")), Act::Hang];
    cases.add("less than it has", answer("content-length: 3\r\n\r\nabcdef"), Expected::Answer(200, "abc"));
    cases.add(
        "two lengths",
        answer("content-length: 3\r\ncontent-length: 5\r\n\r\nabcde"),
        Expected::Malformed,
    );
    cases.add("a negative length", answer("content-length: -1\r\n\r\n"), Expected::Malformed);
    cases.add("a length in words", answer("content-length: many\r\n\r\n"), Expected::Malformed);
    cases.add("a length with a sign", answer("content-length: +3\r\n\r\nabc"), Expected::Malformed);
    cases.add("a chunk in words", answer("transfer-encoding: chunked\r\n\r\nxyz\r\n"), Expected::Malformed);
    let huge = "transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n";
    cases.add("a chunk beyond all numbers", answer(huge), Expected::Malformed);
    cases.add(
        "another protocol",
        vec![Act::Read, send("SSH-2.0-OpenSSH_9\r\n"), Act::Hang],
        Expected::Malformed,
    );
    cases.add("before the request", vec![send("220 mail ESMTP\r\n"), Act::Hang], Expected::Nothing);
    cases.add("HTTP/0.9", vec![Act::Read, send("hello\n"), Act::Hang], Expected::Malformed);
    cases.add(
        "a status beyond all",
        vec![Act::Read, send("HTTP/1.1 99999 X\r\n\r\n"), Act::Hang],
        Expected::Malformed,
    );
    cases.add("a NUL", answer("x: a\0b\r\n\r\n"), Expected::Malformed);
    cases.add("a space in a name", answer("x y: z\r\n\r\n"), Expected::Malformed);
    let interim = format!("HTTP/1.1 100 Continue\r\n\r\n{HEAD}content-length: 2\r\n\r\nok");
    cases.add("interim first", vec![Act::Read, send(&interim), Act::Hang], Expected::Answer(200, "ok"));
    let gzip = "content-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc";
    cases.add("compressed", answer(gzip), Expected::Answer(200, "abc"));
    let upgrade = "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nanything";
    cases.add(
        "another protocol from now on",
        vec![Act::Read, send(upgrade), Act::Hang],
        Expected::Answer(101, ""),
    );
    let both = "content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    cases.add("a length and chunks", answer(both), Expected::Answer(200, "ok"));
    let none = vec![Act::Read, send("HTTP/1.1 204 No Content\r\n\r\nextra"), Act::Hang];
    cases.add("a body of nothing", none, Expected::Answer(204, ""));
    cases.run().await;
}

#[tokio::test]
async fn redirects_are_answers() {
    let inside = Server::at("127.0.0.2:0", |_, _| async {}).await;
    for status in [301, 302, 303, 307, 308] {
        for location in [format!("http://{}/", inside.address), format!("//{}/", inside.address)] {
            let head = format!(
                "HTTP/1.1 {status} Moved\r\nlocation: {location}\r\nrefresh: 0;url={location}\r\nalt-svc: h2=\"{}\"\r\n\
                 content-length: 0\r\n\r\n",
                inside.address
            );
            let server = Server::new(vec![Act::Read, send(&head), Act::Hang]).await;
            let client = client(loopback(), Scripted::new(&[]));
            let response = client.send(post(&server.url())).await.expect("an answer");
            assert_eq!(response.status, status);
            assert!(response.headers.contains(&("location".to_owned(), location)));
            let again = client.send(post(&format!("http://{}/", inside.address))).await;
            assert!(matches!(again, Err(Error::Refused { .. })), "{again:?}");
        }
    }
    assert_eq!(inside.connections(), 0);
}

/// DNS rebinding: the first answer is vetted, the second leads inside. There is one lookup per request, and its answer is the one that is used.
#[tokio::test]
async fn a_resolver_that_changes_its_answers_leads_nowhere_else() {
    let answer = vec![Act::Read, send("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")];
    let outside = Server::new(answer).await;
    let port = outside.address.port();
    let inside = Server::at(&format!("127.0.0.2:{port}"), |_, _| async {}).await;
    let flips: Vec<Vec<&str>> = (0..40)
        .map(|round| match round % 4 {
            0 => vec!["127.0.0.1"],
            1 => vec!["127.0.0.2"],
            2 => vec!["127.0.0.1", "127.0.0.2"],
            _ => vec!["::1", "127.0.0.1"],
        })
        .collect();
    let flips: Vec<&[&str]> = flips.iter().map(Vec::as_slice).collect();
    let resolver =
        Scripted::new(&[("flip.example", &flips), ("once.example", &[&["127.0.0.1"], &["127.0.0.2"]])]);
    let fresh = client(loopback().keep_lookups(Duration::ZERO), std::sync::Arc::clone(&resolver));
    for round in 0..40 {
        let outcome = fresh.send(post(&format!("http://flip.example:{port}/"))).await;
        match round % 4 {
            0 => assert_eq!(outcome.map(|response| response.status), Ok(200), "{round}"),
            _ => assert!(matches!(outcome, Err(Error::Refused { .. })), "{round}: {outcome:?}"),
        }
    }
    assert_eq!((resolver.asked(), outside.connections(), inside.connections()), (40, 10, 0));
    let kept = client(loopback(), std::sync::Arc::clone(&resolver));
    for _ in 0..5 {
        let outcome = kept.send(post(&format!("http://once.example:{port}/"))).await;
        assert_eq!(outcome.map(|response| response.status), Ok(200));
    }
    assert_eq!((resolver.asked(), outside.connections(), inside.connections()), (41, 15, 0));
}

#[tokio::test]
async fn a_resolver_that_hangs_is_part_of_the_deadline() {
    struct Never;
    impl sortkey_outbound::Resolver for Never {
        fn resolve<'a>(&'a self, _name: &'a str) -> sortkey_outbound::Resolving<'a> {
            Box::pin(std::future::pending())
        }
    }
    let client =
        sortkey_outbound::Client::with_resolver(loopback(), std::sync::Arc::new(Never)).expect("a client");
    let begin = Instant::now();
    let outcome = client.send(post("http://slow.example/")).await;
    assert_eq!(outcome, Err(Error::Timeout { during: Phase::Resolving, status: None }));
    assert!(begin.elapsed() < SLACK);
    let capped = loopback().max_timeout(Duration::from_millis(50));
    let client =
        sortkey_outbound::Client::with_resolver(capped, std::sync::Arc::new(Never)).expect("a client");
    let begin = Instant::now();
    let long = Request { timeout: Duration::from_secs(3600), ..post("http://slow.example/") };
    assert!(client.send(long).await.is_err());
    assert!(begin.elapsed() < SLACK);
}

#[tokio::test]
async fn nobody_there_is_no_connection() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let client = client(loopback(), Scripted::new(&[]));
    let outcome = client.send(post(&format!("http://{address}/"))).await;
    assert!(matches!(outcome, Err(Error::Connect { .. })), "{outcome:?}");
}

#[tokio::test]
async fn connections_are_kept_and_bounded_by_their_answers() {
    let answers = |body: &str, times: usize| -> Vec<Act> {
        let one = [Act::Read, send(&format!("{HEAD}content-length: {}\r\n\r\n{body}", body.len()))];
        one.into_iter().cycle().take(2 * times).chain([Act::Hang]).collect()
    };
    let server = Server::new(answers("ok", 10)).await;
    let resolver = Scripted::new(&[("one.example", &[&["127.0.0.1"]]), ("two.example", &[&["127.0.0.1"]])]);
    let client = client(loopback(), resolver);
    let port = server.address.port();
    for _ in 0..5 {
        let response = client.send(post(&format!("http://one.example:{port}/"))).await.expect("an answer");
        assert_eq!(response.body, b"ok");
    }
    assert_eq!(server.connections(), 1);
    // Another name at the same address is another place.
    client.send(post(&format!("http://two.example:{port}/"))).await.expect("an answer");
    assert_eq!(server.connections(), 2);
    // The limit is per answer, not per connection: five answers of 60 KB are more than one may have.
    let large = Server::new(answers(&"x".repeat(60_000), 10)).await;
    for _ in 0..8 {
        let response = client.send(post(&large.url())).await.expect("an answer");
        assert_eq!((response.body.len(), response.is_truncated), (60_000, false));
    }
    assert_eq!(large.connections(), 1);
}

#[tokio::test]
async fn a_connection_that_was_closed_meanwhile_is_replaced() {
    let server = Server::new(vec![Act::Read, send(&format!("{HEAD}content-length: 2\r\n\r\nok"))]).await;
    let client = client(loopback(), Scripted::new(&[]));
    for round in 1..=5 {
        let response = client.send(post(&server.url())).await.expect("an answer");
        assert_eq!((response.status, server.connections()), (200, round));
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}

/// A server that sends more than it announced must not have the rest read as the answer to the next request.
#[tokio::test]
async fn what_follows_an_answer_is_not_the_next_one() {
    let poison = format!("{HEAD}content-length: 2\r\n\r\nok{HEAD}content-length: 6\r\n\r\npoison");
    let server = Server::new(vec![Act::Read, send(&poison), Act::Hang]).await;
    let client = client(loopback(), Scripted::new(&[]));
    for _ in 0..5 {
        let response = client.send(post(&server.url())).await.expect("an answer");
        assert_eq!(response.body, b"ok");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn requests_arrive_as_they_were_given() {
    let (sender, mut heads) = tokio::sync::mpsc::unbounded_channel();
    let server = Server::at("127.0.0.1:0", move |mut stream, sent| {
        let sender = sender.clone();
        async move {
            let head = support::read_request(&mut stream).await.expect("a request");
            sender.send(head).expect("a test");
            let answer = send(&format!("{HEAD}connection: close\r\ncontent-length: 0\r\n\r\n"));
            support::do_one(&mut stream, answer, &sent).await.expect("sent");
        }
    })
    .await;
    let client = client(loopback(), Scripted::new(&[("hook.example", &[&["127.0.0.1"]])]));
    let port = server.address.port();
    let request = Request {
        headers: vec![("X-Id".to_owned(), "1".to_owned()), ("x-id".to_owned(), "2".to_owned())],
        ..post(&format!("http://Hook.EXAMPLE:{port}/a/../b%20c?q=ü#fragment"))
    };
    client.send(request).await.expect("an answer");
    let head = heads.recv().await.expect("a head");
    assert_eq!(
        head,
        format!(
            "POST /b%20c?q=%C3%BC HTTP/1.1\r\nhost: hook.example:{port}\r\nx-id: 1\r\nx-id: 2\r\n\
             user-agent: sortkey\r\ncontent-length: 2\r\n\r\n"
        )
    );
    let get = Request { method: Method::GET, body: "".into(), headers: Vec::new(), ..post(&server.url()) };
    client.send(get).await.expect("an answer");
    let head = heads.recv().await.expect("a head");
    assert_eq!(
        head,
        format!("GET /hook HTTP/1.1\r\nhost: {}\r\nuser-agent: sortkey\r\n\r\n", server.address)
    );
}
