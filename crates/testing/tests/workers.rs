//! Workers of a small relay, run by the tests of the design.

#![expect(clippy::panic, reason = "a test that cannot go on says why")]

#[path = "workers/line.rs"]
mod line;
#[path = "workers/streams.rs"]
mod streams;
#[path = "workers/tenure.rs"]
mod tenure;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use sortkey_core::{
    Answer, Call, Deed, Effects, Outgoing, Pending, Performed, Performing, Ran, Runtime, Settings, Which,
};
use sortkey_deploy::deploy;
use sortkey_design::program::{Id, WorkerId};
use sortkey_design::{NoFiles, compile};
use sortkey_embedded::{Embedded, ephemeral};
use sortkey_engine::Engine;
use sortkey_testing::Suite;

const RELAY: &str = r#"
design relay
table T "relay" {
  key (PK | SK)
  index Due (dueShard | nextAt) project keys sparse
  stream new_and_old_images
}
entity Order in T {
  PK = "O#{orderId}"  SK = "O"
  orderId uuid = new
  url url(..200)
  jobs int(0..) = 0 @counter
}
entity Job in T {
  PK = "O#{orderId}"  SK = "J#{jobId}"
  dueShard = "{shard:pad(2)}" when state = waiting
  orderId -> Order
  jobId string(..40)
  url url(..200)
  state waiting | done | failed = waiting
  tries int(0..8) = 0 @counter
  shard int(0..15) := hash(orderId) % 16
  nextAt time(ms) = now when state = waiting
}
entity Tick in T { PK = "TICK"  SK = "{at}"  at time(ms) = now }
effect post(url: url, headers: map(string(..200)), body: bytes) -> { status int(0..599), error? string(..200) } = http POST url timeout 15s
effect render(text: string) -> { text string } = extern

pattern job = get Job by orderId, jobId strong
pattern order = get Order by orderId strong
pattern ticks = count Tick by `PK` = "TICK"
operation place(url) { create Order { url } }
operation refuse(orderId) { delete Order(orderId) }

worker plan on create Order as o {
  let r = do render(text: o.orderId)
  upsert Job(orderId: o.orderId, jobId: "one") { url: o.url }
  update Order(orderId: o.orderId) { jobs += 1 }
}
worker forget on delete Order as o { delete Job(orderId: o.orderId, jobId: "one") }
worker send due Job as j by nextAt when state = waiting lease 30s attempts 3 {
  require j.url != "https://bad.example" else Bad
  let r = do post(url: j.url, headers: { id: run }, body: "x")
  update Job(...j) {
    state: choose { r.status in 200..299: done, j.tries = 2: failed, otherwise: waiting }
    tries += 1
    nextAt: choose { r.status in 200..299: absent, j.tries = 2: absent, otherwise: now + 5m }
  }
}
worker tick every 1h { create Tick }

test "a job is sent, again and again until it fails" {
  given render -> { text: "x" }
  given post -> { status: 200 }
  given post(url: "https://a.example") -> { status: 500 }
  let good = place("https://b.example")
  let bad = place("https://a.example")
  work
  expect job(good.orderId, "one").state = done
  expect job(bad.orderId, "one").state = waiting
  expect job(bad.orderId, "one").tries = 1
  expect did post(url: "https://a.example") 1 times
  advance 5m
  work
  advance 5m
  work
  expect job(bad.orderId, "one").state = failed
  expect did post(url: "https://a.example") 3 times
  expect did post(url: "https://b.example") 1 times
  expect did post
  expect order(good.orderId).jobs = 1
  work
  expect did post(url: "https://a.example") 3 times
}

test "a request that fails has no status" {
  given render -> { text: "x" }
  given post fails Timeout
  let o = place("https://a.example")
  work
  expect job(o.orderId, "one").tries = 1
}

test "a failing run is tried again, then put aside" {
  given render -> { text: "x" }
  given post -> { status: 200 }
  let o = place("https://bad.example")
  work
  advance 10m
  work
  advance 10m
  work
  advance 10m
  work
  expect job(o.orderId, "one").state = waiting
  expect did post 0 times
}

test "what is deleted is forgotten" {
  given render -> { text: "x" }
  given post -> { status: 500 }
  let o = place("https://a.example")
  work
  refuse(o.orderId)
  work
  expect job(o.orderId, "one") absent
}

test "an hour ticks once" {
  work
  work
  expect ticks() = 1
  advance 30m
  work
  expect ticks() = 1
  advance 31m
  work
  expect ticks() = 2
}
"#;

fn run(design: &str) -> Vec<(String, Option<String>)> {
    let compilation = compile("relay.sk", design, &NoFiles);
    let problems: Vec<_> = compilation.diagnostics.iter().map(|each| &each.title).collect();
    assert!(problems.is_empty(), "{problems:?}");
    pollster::block_on(async {
        let suite = Suite::new(compilation.design, BTreeMap::new()).await.expect("a suite");
        let mut outcomes = Vec::new();
        for at in 0..suite.tests().len() {
            let outcome = suite.run_once(at).await;
            let failure = outcome.failure.map(|failure| {
                let line = design[..failure.primary.span.start as usize].lines().count();
                format!("line {line}: {} {:?}", failure.title, failure.notes)
            });
            outcomes.push((outcome.title, failure));
        }
        outcomes
    })
}

#[test]
fn workers_do_what_the_tests_of_the_design_expect() {
    for (title, failure) in run(RELAY) {
        assert_eq!(failure, None, "{title}");
    }
}

#[test]
fn an_effect_without_an_answer_fails_the_test() {
    let without = RELAY.replacen("given post -> { status: 200 }", "", 1);
    let (_, failure) = run(&without).into_iter().next().expect("a test");
    assert!(failure.expect("a failure").contains("no `given` says what comes of it"));
}

/// A world in which every request succeeds.
struct Kind;

impl Effects for Kind {
    fn perform(&self, effect: Outgoing) -> Performing<'_> {
        let performed = match effect.deed {
            Deed::Extern => Performed::Result(json!({ "text": "x" })),
            _ => Performed::Http {
                status: 200,
                headers: Vec::new(),
                body: Vec::new(),
                latency_ms: 1,
                error: None,
            },
        };
        Box::pin(async { Ok(performed) })
    }
}

fn relay() -> (Runtime, Engine) {
    runtime_of(RELAY, Arc::new(Kind))
}

fn runtime_of(text: &str, effects: Arc<dyn Effects>) -> (Runtime, Engine) {
    runtime_on(text, effects, sortkey_engine::Settings::default())
}

fn runtime_on(
    text: &str,
    effects: Arc<dyn Effects>,
    settings: sortkey_engine::Settings,
) -> (Runtime, Engine) {
    let compilation = compile("relay.sk", text, &NoFiles);
    let problems: Vec<_> = compilation.diagnostics.iter().map(|each| &each.title).collect();
    assert!(problems.is_empty(), "{problems:?}");
    let design = compilation.design;
    let engine = Engine::memory(settings);
    engine.stop_clock_at(1_767_225_600_000);
    let backend = Embedded::new(engine.clone());
    let settings = Settings {
        clock: Arc::new(backend.clone()),
        effects,
        ..ephemeral().expect("a system with randomness")
    };
    let pause = |_: Duration| -> Pending<'_, ()> { Box::pin(async { Ok(()) }) };
    pollster::block_on(deploy(&design, &settings.naming(), &backend, &pause, &mut |_| {})).expect("deployed");
    (Runtime::new(design, Arc::new(backend), settings).expect("the design runs"), engine)
}

fn call(runtime: &Runtime, name: &str, arguments: Json) -> Json {
    let Json::Object(arguments) = arguments else { panic!("an object") };
    let call = Call { name, arguments: arguments.try_into().expect("arguments"), ..Call::default() };
    match pollster::block_on(runtime.call(call)).expect("an answer") {
        Answer::Value(value) => value,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_run_that_wakes_up_too_late_writes_nothing() {
    let (runtime, engine) = relay();
    let work = sortkey_work::Work::new(runtime.clone(), Arc::new(|_, _, _| {})).expect("workers");
    let order = call(&runtime, "place", json!({ "url": "https://a.example" }));
    let send = WorkerId::new(2);
    assert_eq!(&*runtime.program().workers[send].name, "send");
    pollster::block_on(async {
        // The order is planned, and its job is due; two processes try to claim it.
        let plan = WorkerId::new(0);
        let image = engine_image(&engine, &order);
        assert!(matches!(runtime.run_change(plan, &image, "run-1").await, Ok(Ran::Done)));
        let due = runtime.due(send, Which::Oldest, None).await.expect("a page").items;
        assert_eq!(due.len(), 1);
        let first = runtime.claim(send, &due[0].key, None).await.expect("a claim").expect("it is free");
        assert!(runtime.claim(send, &due[0].key, None).await.expect("a claim").is_none(), "one run owns it");
        // The first process sleeps for longer than its lease; the second takes over.
        engine.advance_clock(31_000);
        let second =
            runtime.claim(send, &due[0].key, None).await.expect("a claim").expect("the lease is over");
        assert_eq!(second.tries, 2);
        let late = runtime.run_due(send, &first, "run-2").await;
        assert!(late.is_err(), "a run without its lease must not write: {late:?}");
        assert!(!runtime.give_back(&first, None).await.expect("an answer"), "nor end the lease of another");
        assert_eq!(runtime.run_due(send, &second, "run-2").await.expect("a run"), Ran::Done);
        assert!(runtime.due(send, Which::Oldest, None).await.expect("a page").items.is_empty());
    });
    let job = call(&runtime, "job", json!({ "orderId": order["orderId"], "jobId": "one" }));
    assert_eq!((&job["state"], &job["tries"]), (&json!("done"), &json!(1)));
    // The position of the stream was never advanced: following it again changes nothing.
    pollster::block_on(work.settle()).expect("settled");
    let job = call(&runtime, "job", json!({ "orderId": order["orderId"], "jobId": "one" }));
    assert_eq!((&job["state"], &job["tries"]), (&json!("done"), &json!(1)));
}

/// The stored item of an order.
/// A body that writes elsewhere first, then to its item twice.
const SEVERAL: &str = r#"
design several
table T "several" { key (PK | SK)  index Due (lane | nextAt) project keys sparse }
entity Job in T {
  PK = "J#{jobId}"  SK = "J"
  jobId  uuid = new
  state  waiting | begun | done = waiting
  steps  int(0..) = 0 @counter
  nextAt time(ms) = now when state in [waiting, begun]
  lane   int(0..3) := hash(jobId) % 4 when state in [waiting, begun]
}
entity Mark in T { PK = "M#{jobId}"  SK = "M#{step}"  jobId -> Job  step int(0..9)  n int(0..) = 0 @counter }
effect ask() -> { text string } = extern
pattern job = get Job by jobId strong
pattern marks = list Mark by jobId strong
operation place() { create Job }
worker go due Job as j by nextAt when state in [waiting, begun] lease 10s attempts 3 {
  upsert Mark(jobId: j.jobId, step: 1) { n += 1 }
  update Job(...j) { state: begun, steps += 1 }
  let r = do ask()
  each step in [2, 3] { upsert Mark(jobId: j.jobId, step) { n += 1 } }
  update Job(...j) { state: done, steps += 1, nextAt: absent }
}
"#;

/// Every write of a run is fenced, also those to other items and those after the first.
#[test]
fn a_run_without_its_lease_writes_nothing_anywhere() {
    let (runtime, engine) = runtime_of(SEVERAL, Arc::new(Kind));
    let order = call(&runtime, "place", json!({}));
    let go = WorkerId::new(0);
    let marks = |runtime: &Runtime| call_page(runtime, "marks", json!({ "jobId": order["jobId"] })).len();
    pollster::block_on(async {
        let due = runtime.due(go, Which::Oldest, None).await.expect("a page").items;
        let zombie = runtime.claim(go, &due[0].key, None).await.expect("a claim").expect("it is free");
        engine.advance_clock(11_000);
        let owner = runtime.claim(go, &due[0].key, None).await.expect("a claim").expect("the lease is over");
        let late = runtime.run_due(go, &zombie, "run").await.expect_err("fenced");
        assert!(late.message.contains("the lease of this run is over"), "{late}");
        assert_eq!(marks(&runtime), 0, "nothing was written elsewhere");
        assert_eq!(runtime.run_due(go, &owner, "run").await.expect("a run"), Ran::Done);
        assert!(runtime.due(go, Which::Oldest, None).await.expect("a page").items.is_empty());
    });
    assert_eq!(marks(&runtime), 3);
    let job = call(&runtime, "job", json!({ "jobId": order["jobId"] }));
    assert_eq!((&job["state"], &job["steps"]), (&json!("done"), &json!(2)));
}

/// A run that loses its lease in the middle writes nothing from then on.
#[test]
fn a_lease_that_ends_during_an_effect_stops_the_run() {
    /// Lets the lease end, and another run begin and finish, while the effect is carried out.
    struct Slow(std::sync::Mutex<Option<Box<dyn FnOnce() + Send>>>);
    impl Effects for Slow {
        fn perform(&self, _: Outgoing) -> Performing<'_> {
            let meanwhile = self.0.lock().expect("unpoisoned").take();
            if let Some(meanwhile) = meanwhile {
                meanwhile();
            }
            Box::pin(async { Ok(Performed::Result(json!({ "text": "x" }))) })
        }
    }
    let slow = Arc::new(Slow(std::sync::Mutex::new(None)));
    let (runtime, engine) = runtime_of(SEVERAL, slow.clone());
    let order = call(&runtime, "place", json!({}));
    let go = WorkerId::new(0);
    let due = pollster::block_on(runtime.due(go, Which::Oldest, None)).expect("a page").items;
    let (other, key) = (runtime.clone(), due[0].key.clone());
    *slow.0.lock().expect("unpoisoned") = Some(Box::new(move || {
        engine.advance_clock(11_000);
        let second =
            pollster::block_on(other.claim(go, &key, None)).expect("a claim").expect("the lease is over");
        assert_eq!(pollster::block_on(other.run_due(go, &second, "run")).expect("a run"), Ran::Done);
    }));
    let first =
        pollster::block_on(runtime.claim(go, &due[0].key, None)).expect("a claim").expect("it is free");
    pollster::block_on(runtime.run_due(go, &first, "run")).expect_err("the lease ended on the way");
    let job = call(&runtime, "job", json!({ "jobId": order["jobId"] }));
    // One step of the first run, two of the second.
    assert_eq!((&job["state"], &job["steps"]), (&json!("done"), &json!(3)));
    let marks = call_page(&runtime, "marks", json!({ "jobId": order["jobId"] }));
    let counts: Vec<&Json> = marks.iter().map(|mark| &mark["n"]).collect();
    assert_eq!(counts, [&json!(2), &json!(1), &json!(1)]);
}

fn call_page(runtime: &Runtime, name: &str, arguments: Json) -> Vec<Json> {
    let Json::Object(arguments) = arguments else { panic!("an object") };
    let call = Call { name, arguments: arguments.try_into().expect("arguments"), ..Call::default() };
    match pollster::block_on(runtime.call(call)).expect("an answer") {
        Answer::Page { items, .. } => items,
        other => panic!("{other:?}"),
    }
}

fn engine_image(engine: &Engine, order: &Json) -> sortkey_value::Item {
    use sortkey_api::operations::GetItemInput;
    let id = order["orderId"].as_str().expect("an id");
    let key = sortkey_value::Item::from([("PK", format!("O#{id}")), ("SK", "O".to_owned())]);
    let input = GetItemInput { table_name: "relay".into(), key: key.into(), ..GetItemInput::default() };
    pollster::block_on(engine.get_item(input)).expect("an answer").item.expect("an item")
}
