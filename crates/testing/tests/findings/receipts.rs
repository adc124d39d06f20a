// The receipt of an idempotent operation was part of its first write. If a later step failed, by its own condition or because
// the database was throttled, the call found the receipt that it had just written, and answered with success and with the item
// of the first step. So did every repeat, and what was missing was never made.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use serde_json::{Value as Json, json};
use sortkey_embedded::Embedded;

use crate::support::{App, DEFAULTS, Database, Killed};

fn app(database: &Database) -> App {
    let app = database.up(&format!(
        r#"design receipts
        {DEFAULTS}
        caller {{ who slug(1..20) }}
        table Data "data" {{ key (PK | SK) }}
        entity Counter in Data {{ PK = "COUNTER#{{name}}"  SK = "COUNTER"  name slug(1..10)  n int(0..) = 0 @counter  hidden string(1..9) = "hidden" }}
        entity Thing in Data {{ PK = "THING#{{thingId}}"  SK = "THING"  thingId slug(1..10)  n int  note? string(1..200) }}
        pattern thing   = get Thing by thingId strong
        pattern counter = get Counter by name strong
        system operation init = create Counter
        operation remove = delete Thing
        operation steps(thingId) idempotent by requestId {{
          let c = update Counter("things") {{ n += 1 }}
          let t = create Thing {{ thingId, n: c.n }}
          return t
        }}
        operation named(thingId) idempotent by requestId {{
          let c = update Counter("things") {{ n += 1 }}
          let t = create Thing {{ thingId, n: c.n }}
          return {{ id: t.thingId, of: c.name }}
        }}
        operation late(thingId, n) idempotent by requestId {{
          let t = create Thing {{ thingId, n }}
          require n > 5 else TooSmall
          return t
        }}
        operation together(thingId) idempotent by requestId {{
          transact {{
            let c = update Counter("things") {{ n += 1 }}
            let t = create Thing {{ thingId, n: 1 }}
          }}
          return {{ id: t.thingId, n: c.n }}
        }}
        operation read(thingId) idempotent by requestId {{
          create Thing {{ thingId, n: 1 }}
          return thing(thingId)
        }}
        operation skips(thingId, wanted: bool) idempotent by requestId {{
          let before = thing(thingId)
          create Thing {{ thingId, n: 1 }} when wanted = true and before absent
          return {{ id: thingId }}
        }}
        operation many(ids: list(slug(1..10), max 9)) idempotent by requestId {{
          each id in ids {{ put Thing {{ thingId: id, n: 1 }} }}
          return {{ made: count(ids) }}
        }}
        operation calls(thingId) idempotent by requestId {{
          let t = plain(thingId)
          upsert Counter("calls") {{ n += 1 }}
          return t
        }}
        operation plain(thingId) {{ let t = create Thing {{ thingId, n: 1 }}  return t }}
        operation handled(thingId) idempotent by requestId {{
          update Thing(thingId) {{ n: 2 }}
        }} on NotFound {{ upsert Counter("missed") {{ n += 1 }} }}"#
    ));
    app.call("init", json!({ "name": "things" }));
    app.caller(json!({ "who": "ada" }))
}

/// The design of `app` in a process that is killed after some requests.
fn dying(database: &Database, app: &App, after: i64) -> App {
    let inner = Embedded::new(database.engine.clone());
    let backend = Arc::new(Killed { inner: inner.clone(), left: AtomicI64::new(after) });
    App { runtime: app.runtime.on(backend, Arc::new(inner)).expect("it runs"), caller: app.caller.clone() }
}

fn kind(app: &App, name: &str, arguments: Json) -> String {
    app.fails(name, arguments).kind.name().to_owned()
}

#[test]
fn a_call_that_fails_answers_its_failure_and_so_does_its_repeat() {
    let database = Database::new();
    let app = app(&database);
    let one = app.call("steps", json!({ "thingId": "a", "requestId": "1" }));
    assert_eq!(one, json!({ "thingId": "a", "n": 1 }));
    assert_eq!(app.call("steps", json!({ "thingId": "a", "requestId": "1" })), one);
    for _ in 0..2 {
        assert_eq!(kind(&app, "steps", json!({ "thingId": "a", "requestId": "2" })), "AlreadyExists");
    }
    // The obstacle is gone: the repeat does what it was asked for.
    app.call("remove", json!({ "thingId": "a" }));
    assert_eq!(app.call("steps", json!({ "thingId": "a", "requestId": "2" }))["thingId"], "a");
    assert_eq!(app.call("steps", json!({ "thingId": "a", "requestId": "1" })), one);
    for _ in 0..2 {
        assert_eq!(kind(&app, "late", json!({ "thingId": "b", "n": 1, "requestId": "3" })), "TooSmall");
    }
    let large = json!({ "thingId": "c", "n": 6, "requestId": "4" });
    assert_eq!(app.call("late", large.clone()), app.call("late", large));
}

#[test]
fn the_writes_of_a_handler_make_no_receipt() {
    let database = Database::new();
    let app = app(&database);
    for _ in 0..2 {
        assert_eq!(kind(&app, "handled", json!({ "thingId": "a", "requestId": "1" })), "NotFound");
    }
    assert_eq!(app.call("counter", json!({ "name": "missed" }))["n"], 2);
    app.call("plain", json!({ "thingId": "a" }));
    let done = app.call("handled", json!({ "thingId": "a", "requestId": "1" }));
    assert_eq!(done, json!({ "thingId": "a", "n": 2 }));
    assert_eq!(app.call("handled", json!({ "thingId": "a", "requestId": "1" })), done);
    assert_eq!(app.call("counter", json!({ "name": "missed" }))["n"], 2);
}

#[test]
fn a_repeat_of_what_wrote_nothing_is_a_repeat() {
    let database = Database::new();
    let app = app(&database);
    let skips = |wanted: bool, word: &str| {
        app.call("skips", json!({ "thingId": "a", "wanted": wanted, "requestId": word }))
    };
    skips(false, "1");
    assert_eq!(skips(false, "1"), json!({ "id": "a" }));
    skips(true, "2");
    app.call("remove", json!({ "thingId": "a" }));
    assert_eq!(skips(true, "2"), json!({ "id": "a" }));
    assert_eq!(app.call("thing", json!({ "thingId": "a" })), Json::Null);
}

#[test]
fn a_call_that_was_interrupted_anywhere_is_completed_by_its_repeat() {
    let cases = [
        ("steps", json!({ "thingId": "a" })),
        ("named", json!({ "thingId": "a" })),
        ("together", json!({ "thingId": "a" })),
        ("read", json!({ "thingId": "a" })),
        ("skips", json!({ "thingId": "a", "wanted": true })),
        ("many", json!({ "ids": ["a", "b"] })),
        ("late", json!({ "thingId": "a", "n": 7 })),
    ];
    for (name, mut arguments) in cases {
        arguments["requestId"] = json!("1");
        let whole = {
            let database = Database::new();
            app(&database).call(name, arguments.clone())
        };
        for after in 0..12 {
            let database = Database::new();
            let app = app(&database);
            let first = dying(&database, &app, after).try_call(name, arguments.clone());
            let repeated = app.try_call(name, arguments.clone());
            let repeated = repeated.unwrap_or_else(|failure| panic!("{name} {after}: {failure}"));
            if let Ok(first) = first {
                assert_eq!(first, repeated, "{name} {after}");
            }
            let names = |answer: &Json| -> Vec<String> {
                answer.as_object().into_iter().flat_map(|fields| fields.keys().cloned()).collect()
            };
            assert_eq!(names(&repeated), names(&whole), "{name} {after}: {repeated}");
            assert_eq!(app.call(name, arguments.clone()), repeated, "{name} {after}");
            if name == "together" {
                assert_eq!(
                    (repeated, app.call("counter", json!({ "name": "things" }))["n"].clone()),
                    (whole.clone(), json!(1))
                );
            }
        }
    }
}

#[test]
fn a_repeat_remembers_its_own_result_although_the_item_has_changed() {
    let database = Database::new();
    let app = app(&database);
    let call = |word: &str| app.call("together", json!({ "thingId": word, "requestId": word }));
    let (one, two) = (call("one"), call("two"));
    assert_eq!((&one["n"], &two["n"]), (&json!(1), &json!(2)));
    assert_eq!((call("one"), call("two")), (one, two));
    let calls = json!({ "thingId": "c", "requestId": "c" });
    assert_eq!(app.call("calls", calls.clone()), app.call("calls", calls));
    assert_eq!(app.call("counter", json!({ "name": "calls" }))["n"], 1);
}
