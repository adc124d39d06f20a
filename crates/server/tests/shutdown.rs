//! Stopping: what is in flight finishes, what is idle closes, what is new is refused.

mod support;

use std::net::TcpStream;
use std::time::Duration;

use sortkey_server::Settings;
use support::{get_item, signed, start};

#[test]
fn requests_in_flight_finish_and_idle_connections_close() {
    let mut server = start(Settings::default());
    let mut idle = server.connect();
    idle.send(&get_item());
    assert_eq!(idle.receive().expect("an answer").status, 200);
    let mut busy = server.connect();
    busy.send(&signed("DynamoDB_20120810.UpdateTable", "", b"{}"));
    server.wait_until_busy();

    server.begin_shutdown();
    assert!(idle.is_closed());
    let answer = busy.receive().expect("the answer in flight");
    assert_eq!((answer.status, answer.text().as_str()), (200, "slow"));
    assert!(busy.is_closed());
    server.wait();
    assert!(TcpStream::connect(server.address).is_err());
}

#[test]
fn the_grace_period_ends() {
    let mut server = start(Settings { shutdown_grace: Duration::from_millis(20), ..Settings::default() });
    let mut busy = server.connect();
    busy.send(&signed("DynamoDB_20120810.CreateTable", "", b"{}"));
    server.wait_until_busy();
    server.begin_shutdown();
    server.wait();
    assert!(busy.is_closed(), "the request was cut off, not answered");
}
