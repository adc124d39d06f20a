//! Whether a long queue slows down the claims: the deliveries of a relay in which a million others are due.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::http::Wire;
use crate::receiver::{self, Log};
use crate::relay::{Account, Place, Relay};
use crate::report::{Times, row};
use crate::speed::{dynamodb, load, wait_for};

/// How many webhooks a second are sent.
const RATE: f64 = 300.0;

/// Prints how late deliveries are, without and with many that are due for a receiver that does not answer.
pub(crate) fn run(place: &Place, due: u64, seconds: u64) {
    let relay = Relay::start(place);
    let log: Arc<Log> = Arc::default();
    let receiver = receiver::start(&log);
    let account = Account::new(place.port, "queue");
    let sources: Vec<String> = (0..16)
        .map(|at| {
            let source = account.source(&format!("source {at}"));
            account.connection(&source, &format!("http://127.0.0.1:{receiver}/ok/{at}"), None);
            source
        })
        .collect();
    println!("| due | lag p50 ms | lag p99 ms | accepted p99 ms | CPU ms each |");
    println!("|---|---|---|---|---|");
    let measure = |due: &str, length: u64| {
        let cpu = relay.cpu_seconds();
        let accepted = load(place.port, &sources, 16, Duration::from_secs(length), Some(RATE));
        wait_for(&log, &accepted);
        let lag = |id: &str, sent| Some(log.of(id).first()?.at.saturating_duration_since(sent));
        let lags = Times::of(accepted.iter().filter_map(|each| lag(&each.id, each.sent)));
        let took = Times::of(accepted.iter().map(|each| each.took));
        let cpu = (relay.cpu_seconds() - cpu) * 1_000.0 / accepted.len() as f64;
        if !due.is_empty() {
            row(&[due.to_owned(), lags.ms(0.5), lags.ms(0.99), took.ms(0.99), format!("{cpu:.2}")]);
        }
    };
    measure("", 3);
    measure("0", seconds);
    let source = account.source("queue");
    let connection = account.connection(&source, &format!("http://127.0.0.1:{receiver}/hang/0"), None);
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for part in 0..8 {
            let (source, connection, user) = (&source, &connection, &account.user_id);
            scope.spawn(move || fill(place.port, part, due / 8, source, connection, user));
        }
    });
    eprintln!("{due} deliveries were written in {:.0} s", begin.elapsed().as_secs_f64());
    // The streams are followed to their end first.
    std::thread::sleep(Duration::from_secs(due / 50_000));
    measure(&due.to_string(), seconds);
}

/// Writes deliveries that are due, as fan-outs store them.
fn fill(port: u16, part: u64, count: u64, source: &str, connection: &str, user: &str) {
    let mut wire = Wire::connect(port).expect("a connection");
    for batch in 0..count / 25 {
        let put = |at: u64| {
            let id = format!("evt_queue{part}x{batch:06}x{at:02}");
            let (shard, due_at) = ((part * 2 + at % 2) % 16, 1_790_000_000_000_u64 + batch);
            format!(
                r#"{{"PutRequest":{{"Item":{{"PK":{{"S":"EVT#{id}"}},"SK":{{"S":"DLV#{connection}"}},"dueShard":{{"S":"{shard:02}"}},"dueAt":{{"S":"{due_at}"}},"eventId":{{"S":"{id}"}},"receivedAt":{{"N":"{due_at}"}},"connectionId":{{"S":"{connection}"}},"sourceId":{{"S":"{source}"}},"userId":{{"S":"{user}"}},"status":{{"S":"pending"}},"attempts":{{"N":"0"}},"nextAttemptAt":{{"N":"{due_at}"}},"shard":{{"N":"{shard}"}},"expiresAt":{{"N":"1990000000"}}}}}}}}"#
            )
        };
        let puts: Vec<String> = (0..25).map(put).collect();
        let body = format!(r#"{{"RequestItems":{{"ferryhook-events":[{}]}}}}"#, puts.join(","));
        dynamodb(&mut wire, "BatchWriteItem", &body);
    }
}
