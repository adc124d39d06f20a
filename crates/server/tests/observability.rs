//! Health, readiness and metrics, as a load balancer and Prometheus see them.

mod support;

use sortkey_server::{Readiness, Settings};
use support::{Fake, get_item, signed, start, start_with};

fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes()
}

#[test]
fn health_names_the_region() {
    let server = start(Settings { region: "eu-central-1".to_owned(), ..Settings::default() });
    let answer = server.ask(&get("/"));
    assert_eq!(
        (answer.status, answer.text().as_str()),
        (200, "healthy: dynamodb.eu-central-1.amazonaws.com ")
    );
    assert_eq!(answer.header("x-amz-crc32"), Some(crc32fast::hash(&answer.body).to_string().as_str()));
}

#[test]
fn readiness_is_the_backends() {
    for (readiness, status, text) in [
        (Readiness::Ready, 200, "ready\n"),
        // F-66: `/ready` showed absolute paths to whoever asked.
        (Readiness::NotReady("the disk of /srv/data is full".into()), 503, "the disk of [path] is full\n"),
    ] {
        let server = start_with(Fake { readiness, ..Fake::default() }, Settings::default(), Vec::new());
        let answer = server.ask(&get("/ready"));
        assert_eq!((answer.status, answer.text().as_str()), (status, text));
    }
}

#[test]
fn metrics_count_what_happened() {
    let server = start(Settings::default());
    let mut client = server.connect();
    for target in ["GetItem", "GetItem", "PutItem", "DeleteTable", "NoSuchOperation"] {
        client.send(&signed(&format!("DynamoDB_20120810.{target}"), "", b"{}"));
        client.receive().expect("an answer");
    }
    client.send(&get("/metrics"));
    let answer = client.receive().expect("the page");
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let page = answer.text();
    for line in [
        r#"sortkey_requests_total{operation="GetItem",table="music",error=""} 2"#,
        r#"sortkey_requests_total{operation="PutItem",table="music",error="ConditionalCheckFailedException"} 1"#,
        r#"sortkey_requests_total{operation="DeleteTable",table="",error="InternalServerError"} 1"#,
        r#"sortkey_requests_total{operation="",table="",error="UnknownOperationException"} 1"#,
        r#"sortkey_request_duration_seconds_count{operation="GetItem",table="music"} 2"#,
        "sortkey_connections_open 1",
        "sortkey_connections_total 1",
        "sortkey_panics_total 1",
        "sortkey_requests_in_flight 0",
    ] {
        assert!(page.lines().any(|found| found == line), "{line}\nis missing in\n{page}");
    }
    let received = page.lines().find_map(|line| line.strip_prefix("sortkey_received_bytes_total "));
    assert!(received.expect("the line").parse::<usize>().expect("a number") > 2 * get_item().len());
}
