//! How many webhooks a second are accepted and delivered, and how long that takes, beside the raw transactions of the same server.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::http::Wire;
use crate::receiver::{self, Log};
use crate::relay::{Account, Place, Relay, event_id, signed};
use crate::report::{Times, row};

/// How many sources with one connection each.
const SOURCES: usize = 64;

/// How many connections send.
const SENDERS: usize = 32;

/// How long raw transactions are measured.
const RAW: Duration = Duration::from_secs(5);

/// One webhook that was accepted: its id, when it was sent, and how long the answer took.
pub(crate) struct Accepted {
    pub(crate) id: String,
    pub(crate) sent: Instant,
    pub(crate) took: Duration,
}

/// Prints one row for raw transactions and one for each rate; no rate is as fast as possible.
pub(crate) fn run(place: &Place, seconds: u64, rates: &[Option<f64>]) {
    let relay = Relay::start(place);
    let log: Arc<Log> = Arc::default();
    let receiver = receiver::start(&log);
    let account = Account::new(place.port, "speed");
    let sources: Vec<String> = (0..SOURCES)
        .map(|at| {
            let source = account.source(&format!("source {at}"));
            account.connection(&source, &format!("http://127.0.0.1:{receiver}/ok/{at}"), None);
            source
        })
        .collect();
    create_raw_table(place.port);
    println!(
        "| load | /s accepted | /s delivered | accepted p50 ms | p99 ms | lag p50 ms | p99 ms | CPU ms each |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    raw(place.port, &relay);
    for rate in rates.iter().copied() {
        let (began, cpu) = (Instant::now(), relay.cpu_seconds());
        let accepted = load(place.port, &sources, SENDERS, Duration::from_secs(seconds), rate);
        let taken = accepted_until(&accepted).duration_since(began);
        let name = rate.map_or("as fast as possible".to_owned(), |rate| format!("{rate} /s"));
        let last = wait_for(&log, &accepted);
        let lags = accepted
            .iter()
            .filter_map(|each| Some(log.of(&each.id).first()?.at.saturating_duration_since(each.sent)));
        let (times, lags) = (Times::of(accepted.iter().map(|each| each.took)), Times::of(lags));
        let count = accepted.len() as f64;
        let delivered = count / last.duration_since(began).as_secs_f64();
        let cpu = (relay.cpu_seconds() - cpu) * 1_000.0 / count;
        row(&[
            name,
            format!("{:.0}", count / taken.as_secs_f64()),
            format!("{delivered:.0}"),
            times.ms(0.5),
            times.ms(0.99),
            lags.ms(0.5),
            lags.ms(0.99),
            format!("{cpu:.2}"),
        ]);
        // Wait for pending counter updates, so that they do not fall into the next measurement.
        std::thread::sleep(Duration::from_secs(3));
    }
}

/// Sends webhooks for a while, as fast as answers come or at a rate.
pub(crate) fn load(
    port: u16,
    sources: &[String],
    senders: usize,
    length: Duration,
    rate: Option<f64>,
) -> Vec<Accepted> {
    let all: Mutex<Vec<Accepted>> = Mutex::default();
    let (next, begin) = (AtomicU64::new(0), Instant::now());
    std::thread::scope(|scope| {
        for sender in 0..senders {
            let (all, next) = (&all, &next);
            scope.spawn(move || {
                let mut wire = Wire::connect(port).expect("a connection");
                let mut own = Vec::new();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let due = rate.map_or(begin, |rate| begin + Duration::from_secs_f64(at as f64 / rate));
                    if due.max(Instant::now()) >= begin + length {
                        break;
                    }
                    std::thread::sleep(due.saturating_duration_since(Instant::now()));
                    // At a rate, a webhook that waits for its sender is late, and that counts.
                    let sent = if rate.is_some() { due } else { Instant::now() };
                    // GitHub signs the body, and a repeat is recognised by it, so every load has bodies of its own.
                    let load = format!("{begin:?}").replace('"', "");
                    let body =
                        format!("{{\"number\":{at},\"load\":\"{load}\",\"text\":\"{}\"}}", "x".repeat(260));
                    let headers = signed(body.as_bytes(), &format!("{sender}-{at}-{:?}", begin));
                    let path = format!("/in/{}", sources[at as usize % sources.len()]);
                    let (status, answer) =
                        wire.ask("POST", &path, &headers, body.as_bytes()).expect("an answer");
                    let took = sent.elapsed();
                    assert_eq!(status, 202, "{}", String::from_utf8_lossy(&answer));
                    own.push(Accepted { id: event_id(&answer), sent, took });
                }
                all.lock().expect("all").extend(own);
            });
        }
    });
    all.into_inner().expect("all")
}

fn accepted_until(accepted: &[Accepted]) -> Instant {
    accepted.iter().map(|each| each.sent + each.took).max().expect("something was accepted")
}

/// Waits until everything has arrived. When the last did.
pub(crate) fn wait_for(log: &Log, accepted: &[Accepted]) -> Instant {
    let end = Instant::now() + Duration::from_secs(120);
    let mut last = Instant::now();
    for each in accepted {
        loop {
            if let Some(first) = log.of(&each.id).first() {
                last = last.max(first.at);
                break;
            }
            assert!(Instant::now() < end, "{} was accepted and has not arrived after two minutes", each.id);
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    let mut latest = None;
    for each in accepted {
        latest = latest.max(log.of(&each.id).first().map(|arrival| arrival.at));
    }
    latest.unwrap_or(last)
}

/// Transactions of three puts with the same number of connections: what an accepted webhook writes.
fn raw(port: u16, relay: &Relay) {
    let (stop, times) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let (begin, cpu) = (Instant::now(), relay.cpu_seconds());
    std::thread::scope(|scope| {
        for sender in 0..SENDERS {
            let (stop, times) = (&stop, &times);
            scope.spawn(move || {
                let mut wire = Wire::connect(port).expect("a connection");
                let mut own = Vec::new();
                for at in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let body = raw_transaction(sender, at);
                    let sent = Instant::now();
                    dynamodb(&mut wire, "TransactWriteItems", &body);
                    own.push(sent.elapsed());
                }
                times.lock().expect("times").extend(own);
            });
        }
        std::thread::sleep(RAW);
        stop.store(true, Ordering::Relaxed);
    });
    let times = times.into_inner().expect("times");
    let rate = times.len() as f64 / begin.elapsed().as_secs_f64();
    let cpu = (relay.cpu_seconds() - cpu) * 1_000.0 / times.len() as f64;
    let times = Times::of(times.into_iter());
    let dash = || "-".to_owned();
    let (p50, p99) = (times.ms(0.5), times.ms(0.99));
    let name = "raw transactions of 3 puts".to_owned();
    row(&[name, format!("{rate:.0}"), dash(), p50, p99, dash(), dash(), format!("{cpu:.2}")]);
}

/// A table of its own, so that no worker follows what is written to it.
fn create_raw_table(port: u16) {
    let key = |name: &str, kind: &str| format!(r#"{{"AttributeName":"{name}","KeyType":"{kind}"}}"#);
    let text = |name: &str| format!(r#"{{"AttributeName":"{name}","AttributeType":"S"}}"#);
    let table = format!(
        r#"{{"TableName":"raw","KeySchema":[{},{}],"AttributeDefinitions":[{},{}],"BillingMode":"PAY_PER_REQUEST"}}"#,
        key("PK", "HASH"),
        key("SK", "RANGE"),
        text("PK"),
        text("SK")
    );
    dynamodb(&mut Wire::connect(port).expect("a connection"), "CreateTable", &table);
}

/// A request of the DynamoDB API that must succeed.
pub(crate) fn dynamodb(wire: &mut Wire, operation: &str, body: &str) {
    let credential = "Credential=k/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0";
    let headers = format!(
        "x-amz-target: DynamoDB_20120810.{operation}\r\ncontent-type: application/x-amz-json-1.0\r\n\
         authorization: AWS4-HMAC-SHA256 {credential}\r\nx-amz-date: 20260101T000000Z\r\n"
    );
    let (status, answer) = wire.ask("POST", "/", &headers, body.as_bytes()).expect("an answer");
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&answer));
}

fn raw_transaction(sender: usize, at: u64) -> String {
    let put = |part: &str| {
        let text = "x".repeat(300);
        format!(
            r#"{{"Put":{{"TableName":"raw","Item":{{"PK":{{"S":"raw#{sender}#{at}"}},"SK":{{"S":"{part}"}},"text":{{"S":"{text}"}}}},"ConditionExpression":"attribute_not_exists(PK)"}}}}"#
        )
    };
    format!(r#"{{"TransactItems":[{},{},{}]}}"#, put("a"), put("b"), put("c"))
}
