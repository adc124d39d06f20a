//! Measures how one tenant's dead receiver delays another tenant's deliveries.

use std::sync::Arc;
use std::time::Duration;

use crate::receiver::{self, Log};
use crate::relay::{Account, Place, Relay, attempt};
use crate::report::{Times, row};
use crate::speed::{load, wait_for};

/// How many webhooks a second the other tenant sends.
const RATE: f64 = 300.0;

/// Prints how late deliveries are, without and with a dead receiver that many are due for.
pub(crate) fn run(place: &Place, due: u64, seconds: u64) {
    let _relay = Relay::start(place);
    let log: Arc<Log> = Arc::default();
    let receiver = receiver::start(&log);
    let alive = Account::new(place.port, "alive");
    let sources: Vec<String> = (0..16)
        .map(|at| {
            let source = alive.source(&format!("source {at}"));
            alive.connection(&source, &format!("http://127.0.0.1:{receiver}/ok/{at}"), None);
            source
        })
        .collect();
    println!("| due for a dead receiver | lag p50 ms | lag p99 ms | accepted p99 ms |");
    println!("|---|---|---|---|");
    let length = Duration::from_secs(seconds);
    // The first seconds are not measured.
    let first = measure(place.port, &sources, &log, Duration::from_secs(3));
    let before = measure(place.port, &sources, &log, length);
    print("0", &before);
    let dead = Account::new(place.port, "dead");
    let source = vec![dead.source("dead")];
    dead.connection(&source[0], &format!("http://127.0.0.1:{receiver}/hang/0"), None);
    let mut sent = 0;
    while sent < due {
        sent += load(place.port, &source, 32, Duration::from_secs(2), None).len() as u64;
    }
    // All of them are due before the measurement begins.
    while fanned_out(place.port) < sent + before.2 + first.2 {
        std::thread::sleep(Duration::from_millis(500));
    }
    let after = measure(place.port, &sources, &log, length);
    print(&sent.to_string(), &after);
    let (one, other) = (before.0.at(0.99).as_secs_f64(), after.0.at(0.99).as_secs_f64());
    println!("\nThe p99 moves by {:+.0} percent.", (other / one - 1.0) * 100.0);
}

fn measure(port: u16, sources: &[String], log: &Log, length: Duration) -> (Times, Times, u64) {
    let accepted = load(port, sources, 16, length, Some(RATE));
    wait_for(log, &accepted);
    let lag = |id: &str, sent| Some(log.of(id).first()?.at.saturating_duration_since(sent));
    let lags = Times::of(accepted.iter().filter_map(|each| lag(&each.id, each.sent)));
    let took = Times::of(accepted.iter().map(|each| each.took));
    (lags, took, accepted.len() as u64)
}

fn print(due: &str, (lags, took, _): &(Times, Times, u64)) {
    row(&[due.to_owned(), lags.ms(0.5), lags.ms(0.99), took.ms(0.99)]);
}

/// How many events have their deliveries.
fn fanned_out(port: u16) -> u64 {
    let (_, page) = attempt(port, "", "GET", "/metrics", b"").expect("an answer");
    let page = String::from_utf8_lossy(&page).into_owned();
    let name = "sortkey_worker_runs_total{worker=\"accept\",outcome=\"done\"} ";
    page.lines().find_map(|line| line.strip_prefix(name)?.parse().ok()).unwrap_or(0)
}
