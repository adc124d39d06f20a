//! Every kind of change with items that are there: the answers afterwards are those of a database in which the new design
//! made the same items from the beginning.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use futures_util::future::{Either, select};
use serde_json::{Value as Json, json};
use sortkey_api::operations::{PutItemInput, ScanInput};
use sortkey_api::{Backend, Pending, Request, Response};
use sortkey_core::{Answer, Call, Failure, Runtime, Settings};
use sortkey_design::{NoFiles, compile};
use sortkey_embedded::{Embedded, KeyFile, ephemeral};
use sortkey_engine::Engine;
use sortkey_testing::invariants::broken;
use sortkey_value::AttributeValue;

use crate::{Change, Coverage, DeployError, Deployment, prepare};

mod beside;
mod served;

use served::every;

const NOW_MS: u64 = 1_767_225_600_000;

const SHOP: &str = r#"design shop
table Orders "orders" { key (PK | SK)  index ByStatus (statusKey | SK) }
entity Order in Orders {
  PK = "U#{userId}"  SK = "O#{orderId}"
  statusKey = "S#{status}" when status != void
  userId  slug
  orderId slug
  status  open | paid | void | lost = open
  total   int(0..1_000)
  note?   string(1..80)
  email   string(3..60)
  shard   int(0..9) := hash(orderId) % 4
  hits    int(0..) = 0
}
entity Other in Orders { PK = "OTHER#{userId}"  SK = "OTHER"  userId slug  note string(1..80) }
system operation place = create Order
system operation other = create Other
system operation hit(userId, orderId) { update Order(userId, orderId) { hits += 1 } }
system operation set(userId, orderId, status) { update Order(userId, orderId) { status } }
system pattern ofUser = list Order by userId page 100
system pattern inStatus = list Order by status where status != void via ByStatus page 100
system pattern others = get Other by userId
"#;

fn changed(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(SHOP.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

fn engine() -> Engine {
    let engine = Engine::memory(sortkey_engine::Settings::default());
    engine.stop_clock_at(NOW_MS);
    engine
}

fn runtime_on(engine: &Engine, backend: Arc<dyn Backend>, text: &str) -> Runtime {
    let compilation = compile("shop.sk", text, &NoFiles);
    let errors: Vec<&str> = compilation.diagnostics.iter().map(|each| each.title.as_str()).collect();
    assert!(!compilation.has_errors(), "{errors:?} in {text}");
    let settings = Settings {
        clock: Arc::new(Embedded::new(engine.clone())),
        keyring: Arc::new(KeyFile::from_key([7; 32])),
        ..ephemeral().expect("a system with randomness")
    };
    Runtime::new(compilation.design, backend, settings).expect("the design runs")
}

fn runtime(engine: &Engine, text: &str) -> Runtime {
    runtime_on(engine, Arc::new(Embedded::new(engine.clone())), text)
}

async fn deployed(runtime: &Runtime) -> Result<Deployment, DeployError> {
    let pause = |_: Duration| -> Pending<'_, ()> { Box::pin(async { Ok(()) }) };
    prepare(runtime, Coverage::AsMarked, &pause, &mut |_| {}).await
}

fn up(engine: &Engine, text: &str) -> (Runtime, Vec<Change>) {
    let runtime = runtime(engine, text);
    let deployment = pollster::block_on(deployed(&runtime)).expect("deployed");
    (runtime, deployment.changes.into_iter().map(|(_, change)| change).collect())
}

fn refused(engine: &Engine, text: &str) -> Vec<String> {
    match pollster::block_on(deployed(&runtime(engine, text))) {
        Err(DeployError::Refused(refusals)) => {
            refusals.iter().map(|each| format!("{}. {}", each.title, each.notes.join(" "))).collect()
        }
        other => panic!("{other:?}"),
    }
}

fn try_call(runtime: &Runtime, name: &str, arguments: &Json) -> Result<Json, Failure> {
    let arguments = arguments.as_object().cloned().unwrap_or_default().try_into()?;
    Ok(match pollster::block_on(runtime.call(Call { name, arguments, ..Call::default() }))? {
        Answer::Nothing => Json::Null,
        Answer::Value(value) => value,
        Answer::Page { items, .. } => json!(items),
    })
}

fn call(runtime: &Runtime, name: &str, arguments: Json) -> Json {
    try_call(runtime, name, &arguments).unwrap_or_else(|failure| panic!("{name} {arguments}: {failure}"))
}

/// Puts equal orders into every database; `note` is the design's name for their note.
fn fill(runtime: &Runtime, orders: usize, note: &str) {
    for at in 0..orders {
        let mut order = json!({
            "userId": format!("u{}", at % 3), "orderId": format!("o{at}"), "total": at % 7, "email": format!("Ada{at}@x.org"),
        });
        if at % 2 == 0 {
            order[note] = json!(format!("note {at}"));
        }
        call(runtime, "place", order.clone());
        let status = ["open", "paid", "void"][at % 3];
        call(
            runtime,
            "set",
            json!({ "userId": order["userId"], "orderId": order["orderId"], "status": status }),
        );
    }
    call(runtime, "other", json!({ "userId": "u0", "note": "mine" }));
}

/// The answers of every pattern of a design.
fn answers(runtime: &Runtime, more: &[(&str, Json)]) -> Vec<Json> {
    let mut asked: Vec<(&str, Json)> = vec![("others", json!({ "userId": "u0" }))];
    asked.extend(["u0", "u1", "u2"].map(|user| ("ofUser", json!({ "userId": user }))));
    asked.extend(["open", "paid"].map(|status| ("inStatus", json!({ "status": status }))));
    asked.extend(more.iter().cloned());
    asked.into_iter().map(|(name, arguments)| call(runtime, name, arguments)).collect()
}

fn is_sound(runtime: &Runtime) {
    assert_eq!(pollster::block_on(broken(runtime)).expect("read"), None);
}

/// One kind of change: the replaced texts, whether items are rewritten, what the note is called, what else is asked.
struct Row<'a> {
    changes: &'a [(&'a str, &'a str)],
    rewrites: bool,
    note: &'a str,
    asked: Vec<(&'a str, Json)>,
}

fn check(row: &Row<'_>) {
    let (text, database, fresh) = (changed(row.changes), engine(), engine());
    fill(&up(&database, SHOP).0, 12, "note");
    let (old, made) = up(&database, &text);
    assert_eq!(
        made.iter().any(|each| matches!(each, Change::Rewrite(_))),
        row.rewrites,
        "{:?}: {made:?}",
        row.changes
    );
    let (new, _) = up(&fresh, &text);
    fill(&new, 12, row.note);
    assert_eq!(answers(&old, &row.asked), answers(&new, &row.asked), "{:?}", row.changes);
    is_sound(&old);
    // A second deployment of the same design changes nothing.
    let watched = Arc::new(Watched::of(&database, usize::MAX));
    let again = runtime_on(&database, watched.clone(), &text);
    assert_eq!(pollster::block_on(deployed(&again)).expect("deployed").changes, [], "{:?}", row.changes);
    assert_eq!(watched.writes.load(Ordering::Relaxed), 0, "{:?}", row.changes);
}

/// Changes of the classes 0 to 3.
fn rows() -> Vec<Row<'static>> {
    let plain = |changes: &'static [(&'static str, &'static str)]| Row {
        changes,
        rewrites: false,
        note: "note",
        asked: Vec::new(),
    };
    let rewritten = |changes: &'static [(&'static str, &'static str)]| Row {
        changes,
        rewrites: true,
        note: "note",
        asked: Vec::new(),
    };
    vec![
        // Class 0.
        plain(&[(
            "system pattern others",
            "system pattern again = list Order by userId page 5\nsystem pattern others",
        )]),
        // Class 1.
        plain(&[("  hits    int(0..) = 0", "  hits    int(0..) = 0\n  color? string(1..9)\n  size int = 3")]),
        plain(&[("int(0..1_000)", "int(0..2_000)")]),
        plain(&[("open | paid | void", "open | paid | late | void")]),
        // Class 2.
        Row {
            changes: &[
                ("index ByStatus", "index ByEmail (email | SK)  index ByStatus"),
                (
                    "system pattern others",
                    "system pattern byEmail = list Order by email page 5\nsystem pattern others",
                ),
            ],
            rewrites: false,
            note: "note",
            asked: vec![("byEmail", json!({ "email": "Ada3@x.org" }))],
        },
        plain(&[("key (PK | SK)  ", "key (PK | SK)  billing provisioned 30_000 rcu 30_000 wcu  ")]),
        plain(&[("key (PK | SK)  ", "key (PK | SK)  stream new_and_old_images  ")]),
        plain(&[("key (PK | SK)  ", "key (PK | SK)  recovery 35d  protect deletion  ")]),
        plain(&[("key (PK | SK)  ", "key (PK | SK)  class infrequent_access  ")]),
        plain(&[("key (PK | SK)  ", "key (PK | SK)  encryption aws_managed  ")]),
        plain(&[("key (PK | SK)  ", "key (PK | SK)  ttl until  "), ("  hits ", "  until? time(s)\n  hits ")]),
        // Class 3.
        rewritten(&[("\"S#{status}\"", "\"STATUS#{status}#\"")]),
        rewritten(&[("% 4", "% 3")]),
        rewritten(&[("  hits ", "  code string(1..90) := lower(email)\n  hits ")]),
        Row {
            changes: &[("note?   string(1..80)", "remark? string(1..80) @was(note)")],
            rewrites: true,
            note: "remark",
            asked: Vec::new(),
        },
        rewritten(&[("email   string(3..60)", "email   string(3..60) @normalize(trim, lower)")]),
        rewritten(&[("note?   string(1..80)", "note?   string(1..80) @encrypted(\"k/{userId}\")")]),
        plain(&[("int(0..1_000)", "int(0..10)")]),
        plain(&[(" | lost", "")]),
        plain(&[("  hits    int(0..) = 0", "  hits    int(0..) = 0\n  unique email\n  check total < 900")]),
        rewritten(&[("key (PK | SK)", "key (PK | SK) kind type")]),
        // Several at once, each of which needs the other.
        Row {
            changes: &[
                ("note?   string(1..80)", "remark? string(1..80) @normalize(trim, lower) @was(note)"),
                ("index ByStatus", "index ByRemark (remarkKey | SK)  index ByStatus"),
                ("  userId  slug", "  remarkKey = \"R#{remark}\"\n  userId  slug"),
                (
                    "system pattern others",
                    "system pattern said = list Order by remark page 5\nsystem pattern others",
                ),
            ],
            rewrites: true,
            note: "remark",
            asked: vec![("said", json!({ "remark": "note 4" }))],
        },
    ]
}

#[test]
fn every_class_of_change_answers_as_if_it_had_always_been_so() {
    rows().iter().for_each(check);
}

/// A backend that counts writes, and stops answering at some request.
struct Watched {
    inner: Embedded,
    writes: AtomicUsize,
    left: AtomicUsize,
    is_stopped: AtomicBool,
}

impl Watched {
    fn of(engine: &Engine, requests: usize) -> Watched {
        Watched {
            inner: Embedded::new(engine.clone()),
            writes: AtomicUsize::new(0),
            left: AtomicUsize::new(requests),
            is_stopped: AtomicBool::new(false),
        }
    }
}

impl Backend for Watched {
    fn send(&self, request: Request) -> Pending<'_, Response> {
        use Request::*;
        if matches!(
            request,
            PutItem(_)
                | UpdateItem(_)
                | DeleteItem(_)
                | TransactWriteItems(_)
                | BatchWriteItem(_)
                | CreateTable(_)
                | UpdateTable(_)
        ) {
            self.writes.fetch_add(1, Ordering::Relaxed);
        }
        let left = self.left.fetch_sub(1, Ordering::Relaxed);
        Box::pin(async move {
            // Every other time, the request happens and only its answer is lost.
            if left > 1 {
                return self.inner.send(request).await;
            }
            if left == 1 && self.writes.load(Ordering::Relaxed).is_multiple_of(2) {
                let _lost = self.inner.send(request).await;
            }
            self.left.store(0, Ordering::Relaxed);
            self.is_stopped.store(true, Ordering::Relaxed);
            std::future::pending().await
        })
    }
}

/// Deploys a design until a number of requests have been sent; none if the deployment was cut off.
fn cut_off(engine: &Engine, text: &str, requests: usize) -> Option<Deployment> {
    let watched = Arc::new(Watched::of(engine, requests));
    let runtime = runtime_on(engine, watched.clone(), text);
    let stopped = std::future::poll_fn(|_| match watched.is_stopped.load(Ordering::Relaxed) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    });
    match pollster::block_on(select(Box::pin(deployed(&runtime)), stopped)) {
        Either::Left((done, _)) => Some(done.expect("deployed")),
        Either::Right(_) => None,
    }
}

const SEVERAL: &[(&str, &str)] = &[
    ("note?   string(1..80)", "remark? string(1..80) @was(note)"),
    ("% 4", "% 3"),
    ("email   string(3..60)", "email   string(3..60) @normalize(lower)"),
    ("\"S#{status}\"", "\"STATUS#{status}#\""),
];

#[test]
fn a_deployment_that_is_cut_off_at_any_request_is_finished_by_the_next() {
    let text = changed(SEVERAL);
    let fresh = engine();
    let (new, _) = up(&fresh, &text);
    fill(&new, 9, "remark");
    let expected = answers(&new, &[]);
    for requests in 1.. {
        let database = engine();
        fill(&up(&database, SHOP).0, 9, "note");
        let was_done = cut_off(&database, &text, requests).is_some();
        // Another version is not let in between, and the old one only while nothing has been changed.
        let other = changed(&[("% 4", "% 5")]);
        let begun = matches!(
            pollster::block_on(deployed(&runtime(&database.fork().expect("a fork"), &other))),
            Err(DeployError::Refused(_))
        );
        database.stop_clock_at(database.now_ms() + 60_000);
        if !begun && !was_done {
            let (old, _) = up(&database.fork().expect("a fork"), SHOP);
            assert_eq!(call(&old, "ofUser", json!({ "userId": "u0" }))[0]["note"], "note 0");
        }
        let (old, _) = up(&database, &text);
        assert_eq!(answers(&old, &[]), expected, "cut off at request {requests}");
        is_sound(&old);
        if was_done {
            assert!(requests > 20, "{requests}");
            return;
        }
    }
}

#[test]
fn writers_lose_nothing_while_items_are_rewritten() {
    let (database, text) = (engine(), changed(SEVERAL));
    let (old, _) = up(&database, SHOP);
    fill(&old, 300, "note");
    let (is_done, acknowledged) = (AtomicBool::new(false), AtomicUsize::new(0));
    let new = runtime(&database, &text);
    std::thread::scope(|threads| {
        // Both versions count, and the new one also makes orders.
        for (writer, name) in [(&old, "old"), (&new, "new")] {
            let (is_done, acknowledged) = (&is_done, &acknowledged);
            threads.spawn(move || {
                for at in 0.. {
                    let order = at % 300;
                    let key = json!({ "userId": format!("u{}", order % 3), "orderId": format!("o{order}") });
                    if try_call(writer, "hit", &key).is_ok() {
                        acknowledged.fetch_add(1, Ordering::Relaxed);
                    }
                    if name == "new" && at < 200 {
                        let order = json!({
                            "userId": "new", "orderId": format!("n{at}"), "total": 1, "email": "New@x.org", "remark": "new",
                        });
                        call(writer, "place", order);
                    }
                    if is_done.load(Ordering::Relaxed) {
                        return;
                    }
                }
            });
        }
        pollster::block_on(deployed(&new)).expect("deployed");
        is_done.store(true, Ordering::Relaxed);
    });
    let (after, _) = up(&database, &text);
    let mut hits = 0;
    for user in ["u0", "u1", "u2"] {
        for order in call(&after, "ofUser", json!({ "userId": user })).as_array().expect("a page") {
            hits += order["hits"].as_u64().expect("a number");
            assert!(order.get("note").is_none());
        }
    }
    assert_eq!(hits, acknowledged.load(Ordering::Relaxed) as u64);
    is_sound(&after);
}

#[test]
fn an_item_without_the_attribute_keeps_the_default_that_it_had() {
    let database = engine();
    fill(&up(&database, SHOP).0, 1, "note");
    let (sized, _) = up(&database, &changed(&[("  hits ", "  size int = 3\n  hits ")]));
    assert_eq!(call(&sized, "ofUser", json!({ "userId": "u0" }))[0]["size"], 3);
    for (to, expected) in [("size int = 4", 3), ("size int", 3), ("size? int", 3)] {
        let (later, _) = up(&database, &changed(&[("  hits ", &format!("  {to}\n  hits "))]));
        assert_eq!(call(&later, "ofUser", json!({ "userId": "u0" }))[0]["size"], expected, "{to}");
    }
}

#[test]
fn values_that_do_not_fit_are_listed_and_nothing_is_changed() {
    let database = engine();
    fill(&up(&database, SHOP).0, 14, "note");
    for (changes, parts) in [
        ([("int(0..1_000)", "int(0..4)"), ("% 4", "% 3")], ["`Order.total`", "PK = \"U#u2\", SK = \"O#o5\""]),
        ([("shard   int(0..9)", "shard   int(0..1)"), ("% 4", "% 3")], ["`Order.shard`", "PK = "]),
        (
            [
                ("email   string(3..60)", "email   string(3..60) @normalize(lower)"),
                ("  hits ", "  unique total\n  hits "),
            ],
            ["one value that only one may have", "the other"],
        ),
        ([("  hits ", "  check total < 5\n  hits "), ("% 4", "% 3")], ["break a check of `Order`", "O#o5"]),
    ] {
        let refusals = refused(&database, &changed(&changes));
        assert_eq!(refusals.len(), 1, "{refusals:?}");
        for part in parts {
            assert!(refusals[0].contains(part), "{part} in {refusals:?}");
        }
        let (old, made) = up(&database, SHOP);
        assert_eq!(
            (made.len(), &call(&old, "ofUser", json!({ "userId": "u0" }))[0]["note"]),
            (0, &json!("note 0"))
        );
    }
}

#[test]
fn encryption_follows_a_name_and_can_be_taken_away() {
    let database = engine();
    let sealed = changed(&[("note?   string(1..80)", "note?   string(1..80) @encrypted(\"k/{userId}\")")]);
    fill(&up(&database, &sealed).0, 4, "note");
    for to in [
        "remark? string(1..80) @encrypted(\"k/{userId}\") @was(note)",
        "remark? string(1..80) @encrypted(\"other/{userId}\")",
        "remark? string(1..80)",
    ] {
        let (runtime, made) = up(&database, &changed(&[("note?   string(1..80)", to)]));
        assert!(made.iter().any(|each| matches!(each, Change::Rewrite(_))), "{to}: {made:?}");
        assert_eq!(call(&runtime, "ofUser", json!({ "userId": "u0" }))[0]["remark"], "note 0", "{to}");
    }
}

#[test]
fn entities_and_tables_with_items_do_not_vanish_silently() {
    let database = engine();
    fill(&up(&database, SHOP).0, 2, "note");
    let without = SHOP
        .replace("entity Other in Orders { PK = \"OTHER#{userId}\"  SK = \"OTHER\"  userId slug  note string(1..80) }\n", "")
        .replace("system operation other = create Other\n", "")
        .replace("system pattern others = get Other by userId\n", "");
    let refusals = refused(&database, &without);
    assert!(refusals.len() == 1 && refusals[0].contains("`Other` is gone from the design"), "{refusals:?}");
    let pause = |_: Duration| -> Pending<'_, ()> { Box::pin(async { Ok(()) }) };
    let options = crate::Options { keeps_removed: true, ..crate::Options::default() };
    let lean = runtime(&database, &without);
    pollster::block_on(prepare(&lean, options, &pause, &mut |_| {})).expect("deployed");
    // The entity that was left out is still there.
    let (whole, _) = up(&database, SHOP);
    assert_eq!(call(&whole, "others", json!({ "userId": "u0" }))["note"], "mine");
}

#[test]
fn normalised_keys_are_let_through_where_no_item_would_have_another() {
    let database = engine();
    let normal = changed(&[("  userId  slug\n", "  userId  string(1..9) @normalize(lower)\n")]);
    let plain = changed(&[("  userId  slug\n", "  userId  string(1..9)\n")]);
    let (runtime, _) = up(&database, &plain);
    let order = |user: &str| json!({ "userId": user, "orderId": "o1", "total": 1, "email": "a@x.org" });
    call(&runtime, "place", order("ada"));
    up(&database.fork().expect("a fork"), &normal);
    call(&runtime, "place", order("Bob"));
    let refusals = refused(&database, &normal);
    assert!(refusals.len() == 1 && refusals[0].contains("another key. PK = \"U#Bob\""), "{refusals:?}");
}

/// Fifteen ordinary changes, one after the other.
const FIFTEEN: [(&str, &str); 15] = [
    ("  hits ", "  color? string(1..9)\n  hits "),
    ("  color? string(1..9)", "  color string(1..9) = \"red\""),
    ("index ByStatus", "index ByColor (color | SK) index ByStatus"),
    ("open | paid | void", "open | paid | late | void"),
    ("\"S#{status}\"", "\"STATUS#{status}\""),
    ("note?   string(1..80)", "remark? string(1..80) @was(note)"),
    ("email   string(3..60)", "email   string(3..60) @normalize(lower)"),
    ("  userId  slug\n  orderId", "  mailKey = \"M#{email}\"\n  userId  slug\n  orderId"),
    ("index ByColor", "index ByMail (mailKey | SK) index ByColor"),
    ("% 4", "% 2"),
    ("int(0..1_000)", "int(0..100)"),
    ("= \"red\"", "= \"blue\""),
    ("remark? string(1..80)", "remark? string(1..80) @encrypted(\"k/{userId}\")"),
    ("  hits ", "  unique email\n  hits "),
    ("key (PK | SK)", "key (PK | SK) kind type"),
];

/// Counts on every order in turn until it is told to stop. A version that was superseded may be refused.
fn count(runtime: &Runtime, orders: usize, is_done: &AtomicBool, acknowledged: &AtomicUsize) {
    for at in 0.. {
        let order = at % orders;
        let key = json!({ "userId": format!("u{}", order % 3), "orderId": format!("o{order}") });
        if try_call(runtime, "hit", &key).is_ok() {
            acknowledged.fetch_add(1, Ordering::Relaxed);
        }
        if is_done.load(Ordering::Relaxed) {
            return;
        }
    }
}

#[test]
fn fifteen_ordinary_changes_keep_every_item() {
    // SORTKEY_CHANGE_ITEMS=99999 walks through more items than the tests do; a multiple of three.
    let orders =
        std::env::var("SORTKEY_CHANGE_ITEMS").ok().and_then(|count| count.parse().ok()).unwrap_or(600);
    let (database, mut text) = (engine(), SHOP.to_owned());
    let (mut now, _) = up(&database, &text);
    fill(&now, orders, "note");
    let acknowledged = AtomicUsize::new(0);
    for (from, to) in FIFTEEN {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
        let is_done = AtomicBool::new(false);
        // The version before counts on the orders for as long as it may.
        now = std::thread::scope(|threads| {
            threads.spawn(|| count(&now, orders, &is_done, &acknowledged));
            let changed = catch_unwind(AssertUnwindSafe(|| up(&database, &text).0));
            is_done.store(true, Ordering::Relaxed);
            changed.unwrap_or_else(|panic| resume_unwind(panic))
        });
        if orders <= 1_000 {
            is_sound(&now);
            let found = |name: &str, arguments: Json| every(&now, name, &arguments, None).len();
            for user in ["u0", "u1", "u2"] {
                assert_eq!(found("ofUser", json!({ "userId": user })), orders / 3, "{to}");
            }
            for status in ["open", "paid"] {
                assert_eq!(found("inStatus", json!({ "status": status })), orders / 3, "{to}");
            }
            assert_eq!(call(&now, "others", json!({ "userId": "u0" }))["note"], "mine", "{to}");
        }
    }
    let text = text
        + "system pattern ofColor = list Order by color page 100\nsystem pattern ofMail = get Order by email\n";
    let (after, _) = up(&database, &text);
    let every = |name: &str, arguments: Json| every(&after, name, &arguments, None);
    let mut hits = 0;
    // The items as they were made, changed by hand like the fifteen changes.
    for user in 0..3 {
        let found = every("ofUser", json!({ "userId": format!("u{user}") }));
        assert_eq!(found.len(), orders / 3);
        for order in found {
            let at: usize = order["orderId"].as_str().and_then(|id| id[1..].parse().ok()).expect("an order");
            let status = ["open", "paid", "void"][at % 3];
            let mut expected = json!({
                "userId": format!("u{user}"), "orderId": format!("o{at}"), "status": status,
                "total": at % 7, "email": format!("ada{at}@x.org"), "shard": order["shard"], "hits": order["hits"], "color": "red",
            });
            hits += order["hits"].as_u64().expect("a number");
            if at.is_multiple_of(2) {
                expected["remark"] = json!(format!("note {at}"));
            }
            assert_eq!(order, expected);
            assert!(order["shard"].as_u64().is_some_and(|shard| shard < 2));
        }
    }
    assert_eq!(hits, acknowledged.load(Ordering::Relaxed) as u64, "no write of a version before is lost");
    assert_eq!(every("ofColor", json!({ "color": "red" })).len(), orders);
    assert_eq!(every("inStatus", json!({ "status": "paid" })).len(), orders / 3);
    assert_eq!(call(&after, "ofMail", json!({ "email": "ADA7@x.org" }))["orderId"], "o7");
}

#[test]
fn a_design_is_compared_with_the_one_that_is_deployed() {
    let database = engine();
    let compared = |text: &str| {
        let found = pollster::block_on(crate::differences(&runtime(&database, text))).expect("compared");
        found.map(|found| {
            found.iter().map(|each| format!("{}: {}", each.subject, each.change)).collect::<Vec<_>>()
        })
    };
    assert_eq!(compared(SHOP), None);
    up(&database, SHOP);
    assert_eq!(compared(SHOP), Some(Vec::new()));
    let expected = ["Order.shard: := hash(orderId) % 3 instead of := hash(orderId) % 4".to_owned()];
    assert_eq!(compared(&changed(&[("% 4", "% 3")])), Some(expected.to_vec()));
}

#[test]
fn a_process_of_the_version_before_notices_that_items_were_rewritten() {
    let database = engine();
    let old = runtime(&database, SHOP);
    let deployment = pollster::block_on(deployed(&old)).expect("deployed");
    let is_superseded = || pollster::block_on(crate::is_superseded(&old, &deployment)).expect("read");
    fill(&old, 3, "note");
    up(&database, &changed(&[("  hits ", "  color? string(1..9)\n  hits ")]));
    assert!(!is_superseded(), "nothing was rewritten");
    up(&database, &changed(&[("  hits ", "  color? string(1..9)\n  hits "), ("% 4", "% 3")]));
    assert!(is_superseded());
}

#[test]
fn a_record_that_cannot_be_read_counts_as_none() {
    let database = engine();
    fill(&up(&database, SHOP).0, 3, "note");
    let all = ScanInput { table_name: "orders".into(), ..ScanInput::default() };
    for item in pollster::block_on(database.scan(all)).expect("scanned").items.unwrap_or_default() {
        let mut item = item.to_map();
        let is_part =
            matches!(item.get("PK"), Some(AttributeValue::S(key)) if key.starts_with("unique##design#"));
        if is_part {
            item.insert("part".to_owned(), AttributeValue::B(vec![1]));
            let put =
                PutItemInput { table_name: "orders".into(), item: item.into(), ..PutItemInput::default() };
            pollster::block_on(database.put_item(put)).expect("written");
        }
    }
    // Without the record, only the recorded forms show how the items were stored.
    let refusals = refused(&database, &changed(&[("\"S#{status}\"", "\"STATUS#{status}\"")]));
    assert!(refusals.len() == 1 && refusals[0].contains("have another `statusKey`"), "{refusals:?}");
    let renamed = runtime(&database, &changed(&[("  hits ", "  color? string(1..9)\n  hits ")]));
    let deployment = pollster::block_on(deployed(&renamed)).expect("deployed");
    assert!(
        deployment.remarks.iter().any(|remark| remark.contains("another version of Sortkey")),
        "{deployment:?}"
    );
}
