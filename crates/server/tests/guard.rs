//! Callers that are let in, for every path on the port.

mod support;

use std::io::{Read as _, Write as _};
use std::sync::Arc;

use sortkey_server::hyper::{Request, Response};
use sortkey_server::{Access, AccessMode, Administrators, Bytes, Content, Guard, Handler, Mount, Settings};
use support::{Answer, Fake, Running, signed, start_with};

/// Answers everything.
struct Page;

impl Handler for Page {
    fn handle<'a>(
        &'a self,
        _: Request<Bytes>,
    ) -> std::pin::Pin<Box<dyn Future<Output = Response<Content>> + Send + 'a>> {
        Box::pin(std::future::ready(Response::new(Content::Whole(b"the page".to_vec()))))
    }
}

struct OneKey;

impl Administrators for OneKey {
    fn is_administrator(&self, secret: &str) -> bool {
        secret == "the-key"
    }
}

/// A server with a mount of every kind.
fn server(mode: AccessMode) -> Running {
    server_with(mode, &[], Settings::default())
}

fn server_with(mode: AccessMode, cors_origins: &[&str], settings: Settings) -> Running {
    let mount = |prefix, access| Mount { prefix, access, handler: Arc::new(Page) };
    let mounts = vec![
        mount("/_sortkey", Access::Operator),
        mount("/docs", Access::ThisMachine),
        mount("/api", Access::Anyone),
    ];
    let administrators: Option<Arc<dyn Administrators>> = Some(Arc::new(OneKey));
    let cors_origins = cors_origins.iter().map(|origin| (*origin).to_owned()).collect();
    let guard = Guard { mode, administrators, cors_origins, ..Guard::default() };
    start_with(Fake::default(), Settings { guard, ..settings }, mounts)
}

fn get(server: &Running, path: &str, headers: &str) -> Answer {
    server.ask(format!("GET {path} HTTP/1.1\r\n{headers}\r\n").as_bytes())
}

const LOCAL: &str = "Host: localhost:8000\r\n";
const PATHS: [&str; 4] = ["/_sortkey", "/docs", "/api", "/metrics"];

// F-60: `POST /` on loopback checked neither Origin nor Host, answered every preflight and allowed any origin.
#[test]
fn on_loopback_programs_are_let_in_and_web_pages_are_not() {
    let server = server(AccessMode::Local);
    for (headers, status) in [
        ("", 200),
        ("Origin: http://localhost\r\n", 200),
        ("Origin: http://evil.example\r\n", 403),
        ("Origin: null\r\n", 403),
        ("Sec-Fetch-Site: cross-site\r\n", 403),
        ("Sec-Fetch-Site: same-site\r\nOrigin: http://localhost:3000\r\n", 403),
        ("X-Forwarded-For: 203.0.113.7\r\n", 403),
        ("X-Forwarded-For: 127.0.0.1\r\n", 200),
    ] {
        let answer = server.ask(&signed("DynamoDB_20120810.GetItem", headers, b"{}"));
        assert_eq!(answer.status, status, "POST / {headers:?}");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{headers:?}");
        for path in PATHS {
            let answer = get(&server, path, &format!("Host: localhost\r\n{headers}"));
            assert_eq!(answer.status, status, "{path} {headers:?}");
        }
    }
    let preflight = "OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\
                     Access-Control-Request-Method: POST\r\n\r\n";
    let answer = server.ask(preflight.as_bytes());
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (403, None));
}

// F-60: a page that points its own name at 127.0.0.1 read every table.
#[test]
fn dns_rebinding_is_noticed_by_the_host() {
    let server = server(AccessMode::Local);
    for path in PATHS {
        for host in ["evil.example:8000", "127.0.0.1.evil.example", "192.168.1.2"] {
            let answer = get(&server, path, &format!("Host: {host}\r\nOrigin: http://{host}\r\n"));
            assert_eq!(answer.status, 403, "{path} {host}");
        }
    }
    let request = String::from_utf8(signed("DynamoDB_20120810.GetItem", "", b"{}")).expect("text");
    let rebound = request.replace("Host: localhost", "Host: evil.example");
    assert_eq!(server.ask(rebound.as_bytes()).status, 403);
}

// F-61: a request without Host (HTTP/1.0) and an absolute-form target with `Host: localhost` passed.
#[test]
fn requests_without_a_trustworthy_host_are_rejected() {
    for mode in [AccessMode::Local, AccessMode::Credentials, AccessMode::Open] {
        let server = server(mode);
        for path in PATHS {
            for request in [
                format!("GET {path} HTTP/1.0\r\n\r\n"),
                format!("GET http://evil.example{path} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
                format!("GET http://localhost@evil.example{path} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
            ] {
                let answer = server.ask(request.as_bytes());
                assert_eq!(answer.status, 400, "{mode:?} {request:?}: {}", answer.text());
            }
        }
    }
    let server = server(AccessMode::Local);
    let foreign = server.ask(b"GET http://evil.example/_sortkey HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    assert_eq!(foreign.status, 403);
    let same = server.ask(b"GET http://localhost/_sortkey HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(same.status, 200);
}

// F-61: `--api-keys` on loopback left the DynamoDB API and `/_sortkey` open, so a reverse proxy published them.
#[test]
fn with_credentials_the_address_of_the_peer_opens_nothing() {
    let server = server(AccessMode::Credentials);
    for headers in [LOCAL, "Host: localhost:8000\r\nX-Forwarded-For: 127.0.0.1\r\n", "Host: shop.example\r\n"]
    {
        for path in ["/_sortkey", "/_sortkey/backup", "/docs", "/metrics"] {
            let answer = get(&server, path, headers);
            assert_eq!(answer.status, 401, "{path} {headers:?}");
            assert!(answer.header("www-authenticate").is_some_and(|value| value.contains("Bearer")));
        }
        let answer = get(&server, "/api", headers);
        assert_eq!(answer.status, 200, "the API asks for its own credentials");
    }
    let answer = server.ask(&signed("DynamoDB_20120810.GetItem", "", b"{}"));
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("AccessDeniedException"), "{}", answer.text());
}

#[test]
fn administrators_are_let_in() {
    let server = server(AccessMode::Credentials);
    for (authorization, status) in [
        ("Bearer the-key", 200),
        ("Basic YWRtaW46dGhlLWtleQ==", 200),
        ("Bearer another", 401),
        ("Basic YWRtaW46YW5vdGhlcg==", 401),
        ("Bearer", 401),
        ("the-key", 401),
    ] {
        for path in ["/_sortkey", "/docs", "/metrics"] {
            let headers = format!("{LOCAL}Authorization: {authorization}\r\n");
            assert_eq!(get(&server, path, &headers).status, status, "{path} {authorization}");
        }
    }
    let forwarded = format!("{LOCAL}Authorization: Bearer the-key\r\nX-Forwarded-For: 203.0.113.7\r\n");
    assert_eq!(get(&server, "/_sortkey", &forwarded).status, 403, "needs --admin-from-anywhere");
    assert_eq!(get(&server, "/metrics", &forwarded).status, 200);
}

// F-66: of repeated Authorization, Sortkey-Caller or Host headers the first one was used.
#[test]
fn repeated_security_headers_are_rejected() {
    for mode in [AccessMode::Local, AccessMode::Credentials, AccessMode::Open] {
        let server = server(mode);
        for name in [
            "Host",
            "Authorization",
            "Sortkey-Caller",
            "Origin",
            "X-Amz-Date",
            "X-Amz-Security-Token",
            "X-Amz-Any",
        ] {
            for path in PATHS {
                let headers = format!("{LOCAL}{name}: localhost:8000\r\n{name}: localhost:8000\r\n");
                let answer = get(&server, path, &headers);
                assert_eq!(answer.status, 400, "{mode:?} {path} {name}");
            }
            let headers = format!("{name}: a\r\n{name}: b\r\n");
            let answer = server.ask(&signed("DynamoDB_20120810.GetItem", &headers, b"{}"));
            assert_eq!(answer.status, 400, "{mode:?} POST / {name}");
            assert!(answer.text().contains("more than once"), "{}", answer.text());
        }
    }
}

// Of several forwarding headers only the first was looked at, and the others passed.
#[test]
fn a_client_behind_a_proxy_cannot_make_up_its_address() {
    let server = server(AccessMode::Local);
    for (headers, expected) in [
        ("X-Forwarded-For: 127.0.0.1\r\n", 200),
        ("X-Forwarded-For: 127.0.0.1\r\nX-Real-IP: 203.0.113.7\r\n", 403),
        ("X-Real-IP: 127.0.0.1\r\nX-Forwarded-For: 203.0.113.7\r\n", 403),
        ("X-Forwarded-For: 127.0.0.1\r\nX-Forwarded-For: 203.0.113.7\r\n", 403),
    ] {
        let answer = server.ask(&signed("DynamoDB_20120810.GetItem", headers, b"{}"));
        assert_eq!(answer.status, expected, "{headers}");
    }
}

// hyper goes by the chunks and does not report the length: the request was carried out.
#[test]
fn a_request_with_two_lengths_is_rejected() {
    let lengths = ["Content-Length: 4\r\n", "Transfer-Encoding: chunked\r\n"];
    let plain = String::from_utf8(signed("DynamoDB_20120810.GetItem", "", b"{}")).unwrap();
    let (head, _) = plain.split_once("Content-Length").unwrap();
    for mode in [AccessMode::Local, AccessMode::Credentials, AccessMode::Open] {
        let server = server(mode);
        for lengths in [
            lengths.concat(),
            [lengths[1], lengths[0]].concat(),
            [lengths[1], lengths[1]].concat(),
            "Transfer-Encoding: gzip, chunked\r\n".to_owned(),
        ] {
            let both = format!("{head}{lengths}\r\n2\r\n{{}}\r\n0\r\n\r\n");
            let mut stream = std::net::TcpStream::connect(server.address).unwrap();
            // A request before it on the connection is answered, one after it is not.
            stream.write_all(format!("{plain}{both}{plain}").as_bytes()).unwrap();
            let mut answers = String::new();
            stream.read_to_string(&mut answers).unwrap();
            assert_eq!(answers.matches("HTTP/1.1 ").count(), 2, "{mode:?} {answers}");
            let (_, last) = answers.rsplit_once("HTTP/1.1 ").unwrap();
            assert!(last.starts_with("400 "), "{mode:?} {last}");
            assert!(last.contains("the length of the request is unclear"), "{last}");
            assert!(last.contains("connection: close"), "{last}");
            assert_eq!(answers.matches("is unclear").count(), 1, "{mode:?} {answers}");
        }
        let chunked = format!("{head}{}\r\n2\r\n{{}}\r\n0\r\n\r\n", lengths[1]);
        let alone = server.ask(plain.as_bytes()).status;
        assert_eq!(server.ask(chunked.as_bytes()).status, alone, "{mode:?}");
    }
}

#[test]
fn health_is_open_to_all_and_discloses_nothing() {
    for mode in [AccessMode::Local, AccessMode::Credentials, AccessMode::Open] {
        let server = server(mode);
        for request in [
            "GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n",
            "GET /ready HTTP/1.1\r\nHost: shop.example\r\n\r\n",
            "GET /ready HTTP/1.0\r\n\r\n",
        ] {
            let answer = server.ask(request.as_bytes());
            assert_eq!(answer.status, 200, "{mode:?} {request}");
        }
    }
}

#[test]
fn an_open_server_keeps_its_administration_to_itself() {
    let server = server(AccessMode::Open);
    for (path, headers, status) in [
        ("/api", "Host: db.example\r\n", 200),
        ("/metrics", "Host: db.example\r\n", 200),
        ("/_sortkey", "Host: db.example\r\n", 403),
        ("/_sortkey", LOCAL, 200),
        ("/api", "Host: db.example\r\nOrigin: http://evil.example\r\n", 403),
    ] {
        assert_eq!(get(&server, path, headers).status, status, "{path} {headers:?}");
    }
}

// F-66: no answer carried `no-store` or `nosniff`.
#[test]
fn no_answer_is_cached_or_guessed_at() {
    let server = server(AccessMode::Local);
    let answers = [
        get(&server, "/metrics", LOCAL),
        get(&server, "/docs", LOCAL),
        get(&server, "/nowhere", LOCAL),
        get(&server, "/_sortkey", "Host: evil.example\r\n"),
        server.ask(&signed("DynamoDB_20120810.GetItem", "", b"{}")),
        server.ask(&signed("DynamoDB_20120810.PutItem", "", b"{}")),
    ];
    for answer in answers {
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
}

// Clients without a credential filled the memory that all request bodies share, and for as long as they kept their requests
// unfinished, everybody else's large requests were answered 503.
#[test]
fn strangers_do_not_take_the_memory_for_bodies_from_others() {
    let settings = Settings { max_buffered_bytes: 4 << 20, ..Settings::default() };
    let server = server_with(AccessMode::Credentials, &[], settings);
    let body = vec![b' '; 1 << 20];
    let request = |authorization: &str| {
        let head =
            format!("POST /docs HTTP/1.1\r\n{LOCAL}{authorization}Content-Length: {}\r\n\r\n", body.len());
        [head.as_bytes(), &body].concat()
    };
    let unfinished = request("");
    let mut strangers: Vec<_> = (0..8).map(|_| server.connect()).collect();
    let mut is_refused = false;
    for stranger in &mut strangers {
        // A refused client's connection may be closed while it writes.
        let _ = stranger.stream.write_all(&unfinished[..unfinished.len() - 1]);
    }
    for stranger in &mut strangers {
        stranger.stream.set_read_timeout(Some(std::time::Duration::from_millis(300))).expect("a socket");
        let mut first = [0; 12];
        is_refused |= stranger.stream.read_exact(&mut first).is_ok() && &first == b"HTTP/1.1 503";
    }
    assert!(is_refused, "eight megabytes of strangers were kept");
    for _ in 0..3 {
        assert_eq!(server.ask(&request("Authorization: Bearer the-key\r\n")).status, 200);
    }
}

// Preflights, which browsers send without credentials, were answered 401 below /_sortkey, so that pages of an allowed origin
// could not use it with a credential.
#[test]
fn preflights_of_allowed_origins_need_no_credential() {
    let server = server_with(AccessMode::Credentials, &["http://app.example"], Settings::default());
    for path in PATHS {
        for (origin, status) in [
            ("http://app.example", 200),
            ("http://evil.example", 403),
            // Not a preflight that is answered: the route's own rule applies.
            ("http://localhost:8000", if path == "/api" { 200 } else { 401 }),
        ] {
            let headers = format!("{LOCAL}Origin: {origin}\r\nAccess-Control-Request-Method: GET\r\n");
            let answer = server.ask(format!("OPTIONS {path} HTTP/1.1\r\n{headers}\r\n").as_bytes());
            // There is no such thing as OPTIONS of the metrics.
            let status = if (path, status) == ("/metrics", 401) { 404 } else { status };
            assert_eq!(answer.status, status, "{path} {origin}: {}", answer.text());
            assert!(path == "/api" || answer.text() != "the page", "{path} {origin}");
        }
    }
}
