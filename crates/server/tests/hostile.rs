//! Clients that are wrong, slow, rude or too many: each costs itself, and the next one is served.

mod support;

use std::net::Shutdown;
use std::time::Duration;

use sortkey_server::Settings;
use support::{get_item, signed, start};

fn assert_still_serving(server: &support::Running) {
    assert_eq!(server.ask(&get_item()).text(), "GetItem of 2 bytes on main");
}

#[test]
fn malformed_http_is_answered_400_and_closed() {
    let server = start(Settings::default());
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"HELLO\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: minus\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST / HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST / HTTP/1.1\r\nX: \x00\r\n\r\n",
    ] {
        let mut client = server.connect();
        client.send(garbage);
        assert_eq!(client.receive().map(|answer| answer.status), Some(400), "{garbage:?}");
        assert!(client.is_closed(), "{garbage:?}");
        assert_still_serving(&server);
    }
    // A client that begins with HTTP/2 would not understand an answer.
    let mut client = server.connect();
    client.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    assert!(client.is_closed());
    assert_still_serving(&server);
}

#[test]
fn an_endless_head_is_cut_off() {
    let server = start(Settings::default());
    let mut client = server.connect();
    let mut head = b"POST / HTTP/1.1\r\n".to_vec();
    head.extend_from_slice(&b"X-Padding: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n".repeat(2000));
    // The server may close before everything is written.
    let _ = std::io::Write::write_all(&mut client.stream, &head);
    assert!(client.receive().is_none_or(|answer| answer.status == 431));
    assert_still_serving(&server);
}

#[test]
fn bodies_end_at_the_limit() {
    let server = start(Settings::default());
    let limit = 16 << 20;
    let largest = server.ask(&signed("DynamoDB_20120810.GetItem", "", &vec![b' '; limit]));
    assert_eq!(largest.text(), format!("GetItem of {limit} bytes on main"));

    let one_more = vec![b' '; limit + 1];
    let refused = server.ask(&signed("DynamoDB_20120810.GetItem", "", &one_more));
    assert_eq!((refused.status, refused.header("transfer-encoding")), (413, Some("chunked")));
    assert!(refused.text().contains("RequestEntityTooLargeException"), "{}", refused.text());

    let announced = String::from_utf8(get_item()).expect("text");
    let chunked = announced.replace("Content-Length: 2", "Transfer-Encoding: chunked").replace("{}", "");
    let mut request = format!("{chunked}{:x}\r\n", one_more.len()).into_bytes();
    request.extend_from_slice(&one_more);
    request.extend_from_slice(b"\r\n0\r\n\r\n");
    assert_eq!(server.ask(&request).status, 413);
    assert_still_serving(&server);
}

#[test]
fn a_gzip_bomb_is_refused() {
    let server = start(Settings::default());
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..256 {
        std::io::Write::write_all(&mut encoder, &vec![0; 1 << 20]).expect("memory");
    }
    let bomb = encoder.finish().expect("memory");
    assert!(bomb.len() < 1 << 20);
    let answer = server.ask(&signed("DynamoDB_20120810.GetItem", "Content-Encoding: gzip\r\n", &bomb));
    assert_eq!(answer.status, 413);
    assert_still_serving(&server);
}

#[test]
fn bodies_share_a_budget() {
    let server = start(Settings { max_buffered_bytes: 1 << 20, ..Settings::default() });
    let half = vec![b' '; 1 << 19];
    assert_eq!(server.ask(&signed("DynamoDB_20120810.GetItem", "", &half)).status, 200);
    // The reserved memory is given back.
    assert_eq!(server.ask(&signed("DynamoDB_20120810.GetItem", "", &half)).status, 200);
    assert_eq!(server.ask(&signed("DynamoDB_20120810.GetItem", "", &half)).status, 200);
    let mut client = server.connect();
    let _ = std::io::Write::write_all(
        &mut client.stream,
        &signed("DynamoDB_20120810.GetItem", "", &vec![b' '; 2 << 20]),
    );
    assert!(client.receive().is_none_or(|answer| answer.status == 503));
    assert_still_serving(&server);
}

#[test]
fn a_bug_is_a_500_for_one_request() {
    let server = start(Settings::default());
    let mut client = server.connect();
    for target in ["DynamoDB_20120810.DeleteItem", "DynamoDB_20120810.DeleteTable"] {
        client.send(&signed(target, "", b"{}"));
        let answer = client.receive().expect("an answer");
        assert_eq!(answer.status, 500, "{target}");
        assert!(answer.text().contains("#InternalServerError"), "{}", answer.text());
    }
    client.send(&get_item());
    assert_eq!(client.receive().expect("the connection lives on").status, 200);
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let server = start(Settings::default());
    let mut client = server.connect();
    let mut batch = Vec::new();
    for length in 2..102 {
        batch.extend(signed("DynamoDB_20120810.GetItem", "", &vec![b' '; length]));
    }
    client.send(&batch);
    for length in 2..102 {
        assert_eq!(client.receive().expect("an answer").text(), format!("GetItem of {length} bytes on main"));
    }
}

#[test]
fn a_half_closed_client_still_gets_its_answer() {
    let server = start(Settings::default());
    for target in ["DynamoDB_20120810.GetItem", "DynamoDB_20120810.UpdateTable"] {
        let mut client = server.connect();
        client.send(&signed(target, "", b"{}"));
        client.stream.shutdown(Shutdown::Write).expect("half-close");
        assert_eq!(client.receive().expect("an answer").status, 200, "{target}");
        assert!(client.is_closed());
    }
}

#[test]
fn a_client_that_leaves_in_the_middle_is_forgotten() {
    let server = start(Settings::default());
    let request = get_item();
    for length in [1, 20, 150, request.len() - 1] {
        let mut client = server.connect();
        client.send(&request[..length]);
        client.stream.shutdown(Shutdown::Write).expect("half-close");
        assert!(client.receive().is_none_or(|answer| answer.status == 400), "{length}");
    }
    assert_still_serving(&server);
}

/// Short patience, so that the tests are short.
fn impatient() -> Settings {
    Settings {
        receive_timeout: Duration::from_secs(1),
        send_timeout: Duration::from_secs(1),
        idle_timeout: Duration::from_secs(2),
        idle_timeout_when_full: Duration::from_millis(300),
        ..Settings::default()
    }
}

#[test]
fn slow_heads_slow_bodies_and_idle_clients_are_disconnected() {
    let server = start(impatient());
    let request = get_item();
    for (name, length) in [("half a head", 30), ("half a body", request.len() - 1), ("nothing", 0)] {
        let mut client = server.connect();
        client.send(&request[..length]);
        assert!(client.is_closed(), "{name}");
    }
    assert_still_serving(&server);
}

#[test]
fn a_slow_backend_is_not_a_slow_client() {
    let server = start(Settings { receive_timeout: Duration::from_millis(200), ..impatient() });
    assert_eq!(server.ask(&signed("DynamoDB_20120810.UpdateTable", "", b"{}")).text(), "slow");
}

#[test]
fn a_client_that_never_reads_is_disconnected() {
    let server = start(impatient());
    let mut client = server.connect();
    for _ in 0..4 {
        client.send(&signed("DynamoDB_20120810.BatchGetItem", "", b"{}"));
    }
    let still_open = "sortkey_connections_timed_out_total 0";
    while server.ask(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").text().contains(still_open) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let received = std::iter::from_fn(|| client.receive()).count();
    assert!(received < 4, "the server should have given up");
    assert_still_serving(&server);
}

#[test]
fn when_full_idle_connections_make_room() {
    let server = start(Settings { max_connections: 8, idle_timeout: Duration::from_secs(60), ..impatient() });
    let idle: Vec<_> = (0..8).map(|_| server.connect()).collect();
    assert_still_serving(&server);
    drop(idle);
}

#[test]
fn a_thousand_idle_connections_disturb_nobody() {
    let server = start(Settings::default());
    let idle: Vec<_> = (0..1000).map_while(|_| std::net::TcpStream::connect(server.address).ok()).collect();
    assert!(idle.len() > 100, "{} connections", idle.len());
    for _ in 0..50 {
        assert_still_serving(&server);
    }
}
