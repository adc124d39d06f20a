//! DynamoDB's protocol over a real socket: what each request is answered, headers included.

mod support;

use std::io::Read;

use flate2::read::GzDecoder;
use sortkey_server::{Guard, Settings};
use support::{Answer, get_item, signed, start};

#[test]
fn an_answer_has_the_headers_of_aws() {
    let server = start(Settings::default());
    let answer = server.ask(&get_item());
    assert_eq!((answer.status, answer.text().as_str()), (200, "GetItem of 2 bytes on main"));
    assert_eq!(answer.header("content-type"), Some("application/x-amz-json-1.0"));
    assert_eq!(answer.header("x-amz-crc32"), Some(crc32fast::hash(&answer.body).to_string().as_str()));
    assert_eq!(answer.header("access-control-allow-origin"), None);
    let id = answer.header("x-amzn-requestid").expect("an id");
    assert!(
        id.len() == 52 && id.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()),
        "{id}"
    );
    assert_ne!(server.ask(&get_item()).header("x-amzn-requestid"), Some(id));
}

#[test]
fn both_services_and_all_outcomes_reach_the_client() {
    let server = start(Settings::default());
    for (target, status, text) in [
        ("DynamoDB_20120810.GetItem", 200, "GetItem of 2 bytes on main"),
        ("DynamoDBStreams_20120810.GetRecords", 200, "GetRecords of 2 bytes on main"),
        (
            "DynamoDB_20120810.PutItem",
            400,
            r#"{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"The conditional request failed"}"#,
        ),
    ] {
        let answer = server.ask(&signed(target, "", b"{}"));
        assert_eq!((answer.status, answer.text().as_str()), (status, text), "{target}");
    }
}

/// Method, path, headers after Host, body; then status and the end of the body.
type Case = (&'static str, &'static str, &'static str, &'static str, u16, &'static str);

const TARGET: &str = "X-Amz-Target: DynamoDB_20120810.GetItem\r\n";

fn send(server: &support::Running, method: &str, path: &str, headers: &str, body: &str) -> Answer {
    let length = if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
    server
        .ask(format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}{length}\r\n{body}").as_bytes())
}

#[test]
fn requests_are_refused_in_the_order_of_aws() {
    let server = start(Settings::default());
    let json = "Content-Type: application/json\r\n";
    let unknown = r#"{"__type":"com.amazon.coral.service#UnknownOperationException"}"#;
    let serialization = r#"{"__type":"com.amazon.coral.service#SerializationException"}"#;
    let unsigned = "Request is missing Authentication Token\"}";
    let nothing = "<UnknownOperationException/>\n";
    let cases: &[Case] = &[
        // Not the protocol at all.
        ("PUT", "/", "", "", 404, nothing),
        ("DELETE", "/", "", "", 404, nothing),
        ("OPTIONS", "/", "", "", 404, nothing),
        ("GET", "/nowhere", "", "", 404, nothing),
        ("POST", "/nowhere", json, "{}", 404, nothing),
        ("POST", "/", "", "hi", 404, nothing),
        ("POST", "/", "Content-Type: whatever\r\n", "hi", 404, nothing),
        ("POST", "/", "Content-Type: application/x-amz-json-1.1\r\n", "{}", 404, nothing),
        // JSON comes before the target.
        ("POST", "/", json, "hi", 400, serialization),
        ("POST", "/", json, "{\"a\":", 400, serialization),
        // The target comes before the signature.
        ("POST", "/", "", "", 400, unknown),
        ("POST", "/", json, "{}", 400, unknown),
        ("POST", "/", "X-Amz-Target: whatever\r\n", "", 400, unknown),
        ("POST", "/", "X-Amz-Target: DynamoDB_20120810.GetItems\r\n", "", 400, unknown),
        ("POST", "/", "X-Amz-Target: DynamoDBStreams_20120810.GetItem\r\n", "", 400, unknown),
        // The signature comes before the empty body.
        ("POST", "/", TARGET, "", 400, unsigned),
        ("POST", "/?X-Amz-Signature=b", TARGET, "", 400, unsigned),
        ("POST", "/?X-Amz-Algorithm", TARGET, "", 400, "Re-examine the query-string parameters.\"}"),
    ];
    for (method, path, headers, body, status, text) in cases {
        let answer = send(&server, method, path, headers, body);
        assert_eq!(answer.status, *status, "{method} {path} {headers:?} {body:?}");
        assert!(answer.text().ends_with(text), "{method} {path} {headers:?} {body:?}: {}", answer.text());
        assert!(answer.header("x-amzn-requestid").is_some());
        let crc32 = crc32fast::hash(&answer.body).to_string();
        assert_eq!(answer.header("x-amz-crc32"), Some(crc32.as_str()));
    }
    let empty = server.ask(&signed("DynamoDB_20120810.GetItem", "", b""));
    assert_eq!((empty.status, empty.text().as_str()), (400, serialization));
}

#[test]
fn a_presigned_query_is_a_signature() {
    let server = start(Settings::default());
    let path = "/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a&X-Amz-Signature=b&X-Amz-SignedHeaders=host\
                &X-Amz-Date=20261115T000000Z";
    let headers = format!("{TARGET}Content-Type: application/json\r\n");
    let answer = send(&server, "POST", path, &headers, "{}");
    assert_eq!((answer.status, answer.text().as_str()), (200, "GetItem of 2 bytes on main"));
    assert_eq!(answer.header("content-type"), Some("application/json"));
}

#[test]
fn the_fork_header_chooses_the_database() {
    let server = start(Settings::default());
    let ask = |fork: &str| {
        let header = format!("x-sortkey-fork: {fork}\r\n");
        server.ask(&signed("DynamoDB_20120810.GetItem", &header, b"{}"))
    };
    assert_eq!(ask("test-1").text(), "GetItem of 2 bytes on test-1");
    let refused = ask("no/such/name");
    assert_eq!(refused.status, 400);
    assert!(refused.text().contains("ValidationException"), "{}", refused.text());
}

#[test]
fn gzip_is_understood_and_spoken() {
    let server = start(Settings::default());
    let compressed = gzip(&b" ".repeat(100_000));
    let request = signed("DynamoDB_20120810.GetItem", "Content-Encoding: gzip\r\n", &compressed);
    assert_eq!(server.ask(&request).text(), "GetItem of 100000 bytes on main");

    let scan = |headers: &str| server.ask(&signed("DynamoDB_20120810.Scan", headers, b"{}"));
    let plain = scan("");
    assert_eq!(plain.header("content-encoding"), None);
    let squeezed = scan("Accept-Encoding: gzip, deflate\r\n");
    assert_eq!(squeezed.header("content-encoding"), Some("gzip"));
    // The checksum is that of the bytes on the wire.
    assert_eq!(squeezed.header("x-amz-crc32"), Some(crc32fast::hash(&squeezed.body).to_string().as_str()));
    let mut inflated = Vec::new();
    GzDecoder::new(&squeezed.body[..]).read_to_end(&mut inflated).expect("gzip");
    assert_eq!(inflated, plain.body);
    // Small answers are not worth it.
    let small = server.ask(&signed("DynamoDB_20120810.GetItem", "Accept-Encoding: gzip\r\n", b"{}"));
    assert_eq!(small.header("content-encoding"), None);
}

// F-89: deflate, the Server header, and at most 16 KB of headers and address.
#[test]
fn the_wire_is_that_of_aws() {
    let server = start(Settings::default());
    let squeezed = server.ask(&signed("DynamoDB_20120810.Scan", "Accept-Encoding: deflate\r\n", b"{}"));
    assert_eq!(squeezed.header("content-encoding"), Some("deflate"));
    assert_eq!(squeezed.header("server"), Some("Server"));

    let header = |bytes: usize| format!("X-Long: {}\r\n", "x".repeat(bytes));
    let fits = server.ask(&signed("DynamoDB_20120810.GetItem", &header(8_000), b"{}"));
    assert_eq!(fits.status, 200);
    let long = server.ask(&signed("DynamoDB_20120810.GetItem", &header(17_000), b"{}"));
    assert_eq!(long.status, 400);
    let expected = "The headers and the URL of a request must not exceed 16384 bytes";
    assert!(long.text().contains(expected), "{}", long.text());

    let broken = server.ask(&signed("DynamoDB_20120810.GetItem", "Content-Encoding: deflate\r\n", b"{}"));
    assert_eq!(broken.status, 500);
}

// F-85: a client that follows the answer stays here.
#[test]
fn the_endpoint_is_the_address_that_the_client_used() {
    let server = start(Settings::default());
    let answer = server.ask(&signed("DynamoDB_20120810.DescribeEndpoints", "", b"{}"));
    let endpoint = answer.text();
    assert!(!endpoint.contains("amazonaws.com"), "{endpoint}");
    assert!(endpoint.contains(r#""Address":"localhost""#), "{endpoint}");
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut encoder, plain).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn web_pages_of_allowed_origins_are_answered() {
    let guard = Guard { cors_origins: vec!["http://app".into()], ..Guard::default() };
    let server = start(Settings { guard, ..Settings::default() });
    let preflight = send(
        &server,
        "OPTIONS",
        "/",
        "Origin: http://app\r\nAccess-Control-Request-Headers: a, b\r\nAccess-Control-Request-Method: POST\r\n",
        "",
    );
    assert_eq!((preflight.status, preflight.text().as_str()), (200, ""));
    for (name, value) in [
        ("access-control-allow-origin", "http://app"),
        ("access-control-allow-headers", "a, b"),
        ("access-control-allow-methods", "POST"),
        ("access-control-max-age", "172800"),
        ("vary", "origin"),
        ("content-length", "0"),
    ] {
        assert_eq!(preflight.header(name), Some(value), "{name}");
    }
    let answer = server.ask(&signed("DynamoDB_20120810.GetItem", "Origin: http://app\r\n", b"{}"));
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), Some("http://app"));
    assert_eq!(answer.header("access-control-expose-headers"), Some("x-amzn-requestid,x-amz-crc32"));
    let other = server.ask(&signed("DynamoDB_20120810.GetItem", "Origin: http://other\r\n", b"{}"));
    assert_eq!((other.status, other.header("access-control-allow-origin")), (403, None));
}

#[test]
fn a_chunked_body_and_an_expectation_are_understood() {
    let server = start(Settings::default());
    let head = String::from_utf8(get_item()).expect("text");
    let chunked = head.replace("Content-Length: 2", "Transfer-Encoding: chunked").replace("{}", "");
    let answer = server.ask(format!("{chunked}3\r\n{{ }}\r\n2\r\n  \r\n0\r\n\r\n").as_bytes());
    assert_eq!(answer.text(), "GetItem of 5 bytes on main");

    let mut client = server.connect();
    client.send(head.replace("\r\n\r\n{}", "\r\nExpect: 100-continue\r\n\r\n").as_bytes());
    assert_eq!(client.receive().expect("permission").status, 100);
    client.send(b"{}");
    assert_eq!(client.receive().expect("an answer").text(), "GetItem of 2 bytes on main");
}
