//! A load of signed webhooks to receivers that behave and misbehave, while the server is killed again and again. The clock is
//! moved by hand, so that hours of retries take seconds. Afterwards every event is held against what the receivers saw.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::http::Wire;
use crate::receiver::{self, Log};
use crate::relay::{Account, Place, Relay, call, event_id, signed};

/// How many runs one connection may have at a time, and so how many of its deliveries a kill can interrupt.
const IN_FLIGHT: usize = 4;

/// How many connections send.
const SENDERS: usize = 16;

/// The behaviour of a receiver, its share of 1,000 webhooks, and the number of sources that share is spread over.
const LOADS: [(&str, usize, usize); 5] =
    [("ok", 960, 32), ("broken", 10, 4), ("reset", 10, 4), ("redirect", 10, 4), ("busy", 10, 4)];

/// Receivers that keep a sender waiting or take no more webhooks: a few each.
const FEW: [(&str, usize); 3] = [("hang", 3), ("slow", 3), ("gone", 3)];

/// One source with its connections, and what arrived of its webhooks.
struct Source {
    id: String,
    behaviour: &'static str,
    /// The connections by the path that they deliver to.
    connections: BTreeMap<String, String>,
    accepted: Mutex<Vec<String>>,
}

/// The result of a run.
#[derive(Debug, Default)]
#[allow(dead_code, reason = "all of it is printed")]
pub(crate) struct Outcome {
    pub(crate) events: usize,
    pub(crate) kills: usize,
    pub(crate) deliveries: usize,
    pub(crate) attempts: usize,
    pub(crate) arrivals: usize,
    /// Arrivals that no attempt was recorded of: their run was interrupted and done again.
    pub(crate) twice: usize,
    pub(crate) load: Duration,
    pub(crate) whole: Duration,
}

/// How long deliveries may take that are due.
const PATIENCE: Duration = Duration::from_secs(300);

/// Runs everything, and panics with the reason if something was lost or done too often.
pub(crate) fn run(place: &Place, events: usize, kills: usize) -> Outcome {
    let begin = Instant::now();
    let log: Arc<Log> = Arc::default();
    let receiver = receiver::start(&log);
    let mut relay = Relay::start(place);
    let account = Account::new(place.port, "kills");
    let sources = sources(&account, receiver);
    let ended = ["paused", "deleted"].map(|change| ending(&account, receiver, change));

    let sent = AtomicUsize::new(0);
    let mut ended_at = None;
    std::thread::scope(|scope| {
        for _ in 0..SENDERS {
            scope.spawn(|| send(place.port, &sources, &ended, &sent, events));
        }
        for kill in 1..=kills {
            while sent.load(Ordering::Relaxed) < events * kill / (kills + 1) {
                std::thread::sleep(Duration::from_millis(2));
            }
            relay.kill_and_restart();
            if kill == kills.div_ceil(2) {
                ended.iter().for_each(|source| end(&account, source));
                ended_at = Some(Instant::now());
            }
        }
    });
    let load = begin.elapsed();

    // Leases of interrupted runs end after twenty seconds; retries come after up to ten hours, and jitter.
    let mut clock = Clock { port: place.port };
    rest(&log, Duration::from_secs(2));
    for step in [30_000, 400_000, 2_400_000, 11 * 3_600_000].into_iter().chain([13 * 3_600_000; 7]) {
        clock.advance(step);
        rest(&log, Duration::from_millis(1_500));
    }
    // Receivers that hang are called one after the other, which takes real time.
    let patience = Instant::now();
    while !sources.iter().all(|source| is_settled(&account, place.port, source))
        && patience.elapsed() < PATIENCE
    {
        clock.advance(400_000);
        rest(&log, Duration::from_millis(1_500));
    }
    let mut outcome = Outcome { events, kills, load, ..Outcome::default() };
    for source in &sources {
        verify(&account, place.port, source, &log, kills, &mut outcome);
    }
    for source in &ended {
        quiet(&log, source, ended_at);
    }
    counters(&account, &sources, &mut clock);
    log.each(|id, arrivals| {
        assert!(arrivals.iter().all(|each| each.is_signed), "{id} arrived without a signature");
        outcome.arrivals += arrivals.len();
    });
    drop(relay);
    outcome.whole = begin.elapsed();
    outcome
}

fn sources(account: &Account, receiver: u16) -> Vec<Source> {
    let few = FEW.into_iter().map(|(behaviour, _)| (behaviour, 1));
    let many = LOADS.into_iter().map(|(behaviour, _, count)| (behaviour, count));
    let all = many.chain(few).flat_map(|(behaviour, count)| (0..count).map(move |at| (behaviour, at)));
    let mut sources: Vec<Source> = all
        .map(|(behaviour, at)| {
            let id = account.source(&format!("{behaviour} {at}"));
            let path = format!("/{behaviour}/{at}");
            // Those that take fifteen seconds for each attempt have two.
            let delays: Option<&[u32]> = matches!(behaviour, "hang" | "slow").then_some(&[1, 1]);
            let url = format!("http://127.0.0.1:{receiver}{path}");
            let connection = account.connection(&id, &url, delays);
            let connections = [(path, connection)].into_iter().collect();
            Source { id, behaviour, connections, accepted: Mutex::default() }
        })
        .collect();
    // The first source has a second receiver, and a third whose filter never lets anything pass.
    let first = &mut sources[0];
    let url = format!("http://127.0.0.1:{receiver}/ok/second");
    first.connections.insert("/ok/second".to_owned(), account.connection(&first.id, &url, None));
    let input = json!({
        "sourceId": first.id, "name": "never", "destinationUrl": format!("http://127.0.0.1:{receiver}/never"),
        "signingSecret": "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz",
        "filters": [{ "path": "/number", "op": "eq", "value": "nothing" }],
    });
    account.post("/api/connections/create", &json!({ "input": input }));
    sources
}

/// A source whose connection is paused or deleted on the way.
fn ending(account: &Account, receiver: u16, change: &'static str) -> Source {
    let id = account.source(change);
    let path = format!("/ok/{change}");
    let connection = account.connection(&id, &format!("http://127.0.0.1:{receiver}{path}"), None);
    let connections = [(path, connection)].into_iter().collect();
    Source { id, behaviour: change, connections, accepted: Mutex::default() }
}

/// Pauses or deletes the connection of such a source.
fn end(account: &Account, source: &Source) {
    let connection = source.connections.values().next().expect("one");
    let mut change = json!({ "sourceId": source.id, "connectionId": connection });
    if source.behaviour == "paused" {
        change["status"] = json!("paused");
        account.post("/api/connections/update", &change);
    } else {
        account.post("/api/connections/delete", &change);
    }
}

/// Sends webhooks until all are acknowledged. Each is repeated until it is, as providers do.
fn send(port: u16, sources: &[Source], ended: &[Source], sent: &AtomicUsize, events: usize) {
    let mut wire = None;
    loop {
        let at = sent.fetch_add(1, Ordering::Relaxed);
        if at >= events {
            return;
        }
        let source = destination(at, sources, ended);
        let body = format!("{{\"number\":{at},\"text\":\"{}\"}}", "x".repeat(200));
        let headers = signed(body.as_bytes(), &format!("delivery-{at}"));
        let path = format!("/in/{}", source.id);
        let id = loop {
            if wire.is_none() {
                wire = Wire::connect(port);
            }
            let answer = wire.as_mut().and_then(|wire| wire.ask("POST", &path, &headers, body.as_bytes()));
            match answer {
                Some((202, answer)) => break event_id(&answer),
                Some((status, answer)) => {
                    assert!(status >= 500, "{status} {}", String::from_utf8_lossy(&answer));
                }
                None => wire = None,
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        source.accepted.lock().expect("accepted").push(id);
    }
}

/// The destination of a webhook: the first ones go to the receivers that get few.
fn destination<'a>(at: usize, sources: &'a [Source], ended: &'a [Source]) -> &'a Source {
    let of = |behaviour: &'static str| sources.iter().filter(move |source| source.behaviour == behaviour);
    let mut rest = at;
    for (behaviour, count) in FEW {
        if rest < count {
            return of(behaviour).next().expect("one");
        }
        rest -= count;
    }
    if at % 50 >= 48 {
        return &ended[at % 2];
    }
    let mut place = at * 7 % 1_000;
    for (behaviour, share, count) in LOADS {
        if place < share {
            return of(behaviour).nth(at % count).expect("one");
        }
        place -= share;
    }
    &sources[0]
}

/// Waits until nothing has arrived for a while.
fn rest(log: &Log, length: Duration) {
    let mut before = usize::MAX;
    loop {
        let mut now = 0;
        log.each(|_, arrivals| now += arrivals.len());
        if now == before {
            return;
        }
        before = now;
        std::thread::sleep(length);
    }
}

/// The clock of the database.
struct Clock {
    port: u16,
}

impl Clock {
    fn advance(&mut self, by_ms: u64) {
        call(self.port, "", "POST", "/_sortkey/clock", &json!({ "advanceMs": by_ms }));
    }
}

/// Whether every delivery of a source has come to its end. A connection that was disabled keeps what waits for it.
fn is_settled(account: &Account, port: u16, source: &Source) -> bool {
    let mut wire = Wire::connect(port).expect("a connection");
    let token = format!("authorization: Bearer {}\r\n", account.token);
    source.behaviour == "gone"
        || source.accepted.lock().expect("accepted").iter().all(|id| {
            let path = format!("/api/eventInFull?eventId={id}");
            let (_, answer) = wire.ask("GET", &path, &token, b"").expect("an answer");
            let whole: Json = serde_json::from_slice(&answer).expect("JSON");
            let deliveries: Vec<&Json> = whole["items"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|item| item["$entity"] == "Delivery")
                .collect();
            let is_open = |item: &&Json| item["status"] == "pending" || item["status"] == "retrying";
            deliveries.len() == source.connections.len() && !deliveries.iter().any(is_open)
        })
}

/// Holds every event of a source against what arrived.
fn verify(account: &Account, port: u16, source: &Source, log: &Log, kills: usize, outcome: &mut Outcome) {
    let accepted = source.accepted.lock().expect("accepted");
    let mut twice: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wire = Wire::connect(port).expect("a connection");
    let token = format!("authorization: Bearer {}\r\n", account.token);
    for id in accepted.iter() {
        let path = format!("/api/eventInFull?eventId={id}");
        let (status, answer) = wire.ask("GET", &path, &token, b"").expect("an answer");
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&answer));
        let whole: Json = serde_json::from_slice(&answer).expect("JSON");
        let items = whole["items"].as_array().expect("items");
        let of = |kind: &str, connection: &str| -> Vec<&Json> {
            let is_it = |item: &&Json| item["$entity"] == kind && item["connectionId"] == json!(connection);
            items.iter().filter(is_it).collect()
        };
        let arrivals = log.of(id);
        for (path, connection) in &source.connections {
            let arrived = arrivals.iter().filter(|arrival| arrival.path == *path).count();
            let attempts = of("Attempt", connection);
            let deliveries = of("Delivery", connection);
            // A connection that was disabled by 410 gets nothing more.
            if source.behaviour == "gone" && deliveries.is_empty() {
                continue;
            }
            assert_eq!(deliveries.len(), 1, "{id} has no delivery to {path}: {whole}");
            let state = deliveries[0]["status"].as_str().unwrap_or_default();
            let (wanted, count) = match source.behaviour {
                "ok" => ("delivered", 1),
                "hang" | "slow" => ("failed", 2),
                "gone" if state == "pending" => ("pending", 0),
                "gone" => ("failed", 1),
                _ => ("failed", 8),
            };
            assert_eq!((state, attempts.len()), (wanted, count), "{id} to {path}: {whole}");
            assert!(arrived >= attempts.len(), "{id} to {path}: an attempt was recorded that nobody saw");
            outcome.deliveries += 1;
            outcome.attempts += attempts.len();
            *twice.entry(path).or_default() += arrived - attempts.len();
        }
    }
    for (path, count) in twice {
        assert!(count <= kills * IN_FLIGHT, "{count} deliveries to {path} came twice in {kills} kills");
        outcome.twice += count;
    }
}

/// No delivery began after the pause or the deletion was acknowledged; one that had begun may still arrive.
fn quiet(log: &Log, ended: &Source, ended_at: Option<Instant>) {
    let Some(ended_at) = ended_at else { return };
    let under_way = ended_at + Duration::from_millis(500);
    for id in ended.accepted.lock().expect("accepted").iter() {
        for arrival in log.of(id) {
            assert!(
                arrival.at <= under_way,
                "{id} was delivered after its connection was {}",
                ended.behaviour
            );
        }
    }
}

/// Counts of sources and connections are those of the events. They are moved once a minute.
fn counters(account: &Account, sources: &[Source], clock: &mut Clock) {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        clock.advance(300_000);
        std::thread::sleep(Duration::from_secs(2));
        let wrong: Vec<String> = sources.iter().flat_map(|source| miscounted(account, source)).collect();
        if wrong.is_empty() {
            return;
        }
        assert!(Instant::now() < end, "{}", wrong.join("; "));
    }
}

fn miscounted(account: &Account, source: &Source) -> Vec<String> {
    let accepted = source.accepted.lock().expect("accepted").len() as u64;
    let mut wrong = Vec::new();
    // Only the operator may look a source up by its id alone.
    let path = format!("/api/sources/getById?sourceId={}", source.id);
    let found = call(account.port, "", "GET", &path, &Json::Null);
    if found["eventCount"] != json!(accepted) {
        wrong.push(format!("{} counts {} events of {accepted}", source.behaviour, found["eventCount"]));
    }
    if source.behaviour == "gone" {
        return wrong;
    }
    for (path, connection) in &source.connections {
        let query = format!("sourceId={}&connectionId={connection}", source.id);
        let found = account.get(&format!("/api/getConnection?{query}"));
        let counts = (&found["deliveryCount"], &found["failureCount"]);
        let wanted = if source.behaviour == "ok" { (accepted, 0) } else { (0, accepted) };
        if counts != (&json!(wanted.0), &json!(wanted.1)) {
            wrong.push(format!("{path} counts {counts:?} instead of {wanted:?}"));
        }
    }
    wrong
}
