//! `sortkey diff` gave class 3 to changes that `up` refused whatever the items were, such as `time(ms)` to `time(iso)`, so that
//! `--at-most 3` let them through. One row per kind of change: `up` applies what has class 3 at most to items that fit it, and
//! refuses classes 4 and 5.

// Helpers of tests fail by panicking, as tests do.
#![allow(clippy::panic)]

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use sortkey_core::{Call, Pending, Runtime, Settings};
use sortkey_deploy::{Coverage, DeployError, Deployment, prepare};
use sortkey_design::{NoFiles, compile};
use sortkey_embedded::{Embedded, KeyFile, ephemeral};
use sortkey_engine::Engine;

const LOG: &str = r#"design log
table Log "log" {
  key (PK | SK)
  index ByKind (kind | at)
  billing on_demand
}
table Rest "rest" { key (restId)  billing on_demand }
entity Entry in Log {
  PK = "U#{userId}"  SK = "E#{entryId}"
  byState = "S#{state}"
  userId  slug
  entryId slug
  kind    string(1..9)
  at      time(ms)
  seen    time(s)
  day     date
  made    time(iso)
  number  int(0..1_000)
  price   decimal(6, 2)
  word    string(1..20)
  state   open | done = open
  note?   string(1..80)
  tags    list(string(1..9), max 5)
  times   list(time(s), max 5)
  data    json(string(1..9))
  size    int = 3
  double  int := number * 2
}
entity Kept in Rest { restId slug  text string(1..9) }
system operation add = create Entry
system operation keep = create Kept
system pattern ofUser = list Entry by userId page 9
"#;

/// The outcome of `up` for a change, with stored items that fit the change where that is possible.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Up {
    Applies,
    Refuses,
}

use Up::{Applies, Refuses};

/// The replaced text, what replaces it, the highest class, and what `up` does.
const ROWS: &[(&str, &str, u8, Up)] = &[
    ("system pattern ofUser = list Entry by userId page 9\n", "", 0, Applies),
    ("number  int(0..1_000)", "number  int(0..1_000) @secret", 0, Applies),
    ("size    int = 3", "size    int = 3\n  color? string(1..9)", 1, Applies),
    ("size    int = 3", "size    int = 3\n  color string(1..9) = \"red\"", 1, Applies),
    ("size    int = 3", "size    int = 3\n  color string(1..9)", 5, Refuses),
    ("string(1..80)", "string(1..90)", 1, Applies),
    ("string(1..80)", "string(1..60)", 3, Applies),
    ("note?   string", "note    string", 3, Applies),
    ("word    string(1..20)", "word?   string(1..20)", 1, Applies),
    ("word    string(1..20)", "text    string(1..20) @was(word)", 3, Applies),
    ("word    string(1..20)", "text    string(1..20)", 6, Refuses),
    ("word    string(1..20)", "text    int @was(word)", 5, Refuses),
    ("word    string(1..20)", "word    string(1..20) @normalize(lower)", 3, Applies),
    ("word    string(1..20)", "word    string(1..20) @encrypted(\"k/{userId}\")", 3, Applies),
    ("word    string(1..20)", "word    slug", 3, Applies),
    ("word    string(1..20)", "word    date", 5, Refuses),
    ("word    string(1..20)", "word    time(iso)", 5, Refuses),
    ("word    string(1..20)", "word    int", 5, Refuses),
    ("word    string(1..20)", "word    any", 1, Applies),
    ("open | done", "open | late | done", 1, Applies),
    ("open | done = open", "open | shut = open", 3, Applies),
    ("at      time(ms)", "at      time(iso)", 5, Refuses),
    ("at      time(ms)", "at      time(s)", 5, Refuses),
    ("at      time(ms)", "at      int", 5, Refuses),
    ("seen    time(s)", "seen    time(ms)", 5, Refuses),
    ("seen    time(s)", "seen    time(iso)", 5, Refuses),
    ("made    time(iso)", "made    time(ms)", 5, Refuses),
    ("made    time(iso)", "made    string(1..40)", 3, Applies),
    ("day     date", "day     string(1..40)", 3, Applies),
    ("day     date", "day     month", 5, Refuses),
    ("number  int(0..1_000)", "number  int(0..2_000)", 1, Applies),
    ("number  int(0..1_000)", "number  int(0..100)", 3, Applies),
    ("number  int(0..1_000)", "number  decimal(6, 2)", 1, Applies),
    ("price   decimal(6, 2)", "price   int", 3, Applies),
    ("price   decimal(6, 2)", "price   string(1..9)", 5, Refuses),
    ("size    int = 3", "size    time(ms) = now", 5, Refuses),
    ("list(string(1..9), max 5)", "list(string(1..9), max 9)", 1, Applies),
    ("list(string(1..9), max 5)", "list(int, max 5)", 5, Refuses),
    ("list(string(1..9), max 5)", "set(string(1..9), max 5)", 5, Refuses),
    ("list(time(s), max 5)", "list(time(ms), max 5)", 5, Refuses),
    ("json(string(1..9))", "string(1..20)", 5, Refuses),
    ("json(string(1..9))", "json(string(1..99))", 1, Applies),
    ("size    int = 3", "size    int = 4", 3, Applies),
    ("number * 2", "number * 3", 3, Applies),
    ("\"S#{state}\"", "\"STATE#{state}\"", 3, Applies),
    ("\"S#{state}\"", "\"S#{state}\" when state = open", 3, Applies),
    ("  tags ", "  unique word\n  check number < 900\n  tags ", 3, Applies),
    ("\"E#{entryId}\"", "\"ENTRY#{entryId}\"", 4, Refuses),
    ("Kept in Rest { restId slug", "Kept in Log { PK = \"K#{restId}\"  SK = \"K\"  restId slug", 5, Refuses),
    ("table Rest \"rest\"", "table Rest \"rest-2\"", 5, Refuses),
    ("  index ByKind (kind | at)", "  index ByKind (kind | at)  index ByWord (word)", 2, Applies),
    ("  index ByKind (kind | at)", "  index ByKind (kind | number)", 6, Refuses),
    ("  index ByKind (kind | at)\n", "", 6, Applies),
    ("(kind | at)\n  billing on_demand", "(kind | at)\n  billing provisioned 5 rcu 5 wcu", 2, Applies),
    (
        "(kind | at)\n  billing on_demand",
        "(kind | at)\n  billing on_demand stream new_image recovery 35d",
        2,
        Applies,
    ),
    ("(kind | at)\n  billing on_demand", "(kind | at)\n  billing on_demand kind type", 3, Applies),
    ("(kind | at)\n  billing on_demand", "(kind | at)\n  billing on_demand replicas eu-west-1", 0, Applies),
];

fn runtime(engine: &Engine, text: &str) -> Runtime {
    let compilation = compile("log.sk", text, &NoFiles);
    let errors: Vec<&str> = compilation.diagnostics.iter().map(|each| each.title.as_str()).collect();
    assert!(!compilation.has_errors(), "{errors:?} in {text}");
    let settings = Settings {
        clock: Arc::new(Embedded::new(engine.clone())),
        keyring: Arc::new(KeyFile::from_key([7; 32])),
        ..ephemeral().expect("a system with randomness")
    };
    let backend = Arc::new(Embedded::new(engine.clone()));
    Runtime::new(compilation.design, backend, settings).expect("the design runs")
}

async fn deployed(runtime: &Runtime) -> Result<Deployment, DeployError> {
    let pause = |_: Duration| -> Pending<'_, ()> { Box::pin(async { Ok(()) }) };
    prepare(runtime, Coverage::AsMarked, &pause, &mut |_| {}).await
}

fn call(runtime: &Runtime, name: &str, arguments: &Json) {
    let arguments = arguments.as_object().cloned().unwrap_or_default().try_into().expect("kept");
    let done = pollster::block_on(runtime.call(Call { name, arguments, ..Call::default() }));
    assert!(done.is_ok(), "{name}: {:?}", done.err());
}

#[test]
fn up_does_what_diff_says() {
    let database = Engine::memory(sortkey_engine::Settings::default());
    let before = runtime(&database, LOG);
    pollster::block_on(deployed(&before)).expect("deployed");
    let entry = json!({
        "userId": "ada", "entryId": "e1", "kind": "call", "at": 1_767_225_600_000_u64, "seen": 1_767_225_600, "day": "2026-01-01",
        "made": "2026-01-01T00:00:00.000Z", "number": 7, "price": 3, "word": "milk", "note": "bread", "tags": ["a"],
        "times": [1_767_225_600], "data": "x",
    });
    call(&before, "add", &entry);
    call(&before, "keep", &json!({ "restId": "r1", "text": "x" }));
    let mut wrong = Vec::new();
    for (from, to, class, expected) in ROWS {
        assert!(LOG.contains(from), "{from}");
        let new = runtime(&database.fork().expect("a fork"), &LOG.replacen(from, to, 1));
        let found = sortkey_change::diff(before.program(), new.program());
        let highest = found.iter().map(|each| each.class.number()).max().unwrap_or_default();
        let done = match pollster::block_on(deployed(&new)) {
            Ok(_) => Applies,
            Err(_) => Refuses,
        };
        let is_promised = match highest {
            0..=3 => done == Applies,
            4 | 5 => done == Refuses,
            // Indexes and tables that are no longer needed stay.
            _ => true,
        };
        if (highest, done) != (*class, *expected) || !is_promised {
            wrong.push(format!("{from} -> {to}: class {highest}, {done:?}, not class {class}, {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
