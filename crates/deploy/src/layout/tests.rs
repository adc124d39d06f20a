use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};
use sortkey_design::{FileLoader, compile};
use sortkey_engine::Engine;

use sortkey_core::{Answer, Call, Pending, Runtime, Settings};
use sortkey_embedded::{Embedded, KeyFile, ephemeral};

use crate::{Change, Coverage, DeployError, Deployment, prepare};

const DESIGN: &str = r#"
design shop
table Orders "orders" {
  key (PK | SK)
  index Open (openFor | at) project all
}
entity Order in Orders {
  PK = "U#{userId}"  SK = "O#{orderId}"
  openFor = "{userId}" when status = open
  userId  string(1..20)
  orderId string(1..20)
  status  open | closed = open
  at      time(s) = now
  total   int(0..) = 0
  note?   string(..80)
  due?    date
}
system operation place = create Order
system pattern ofUser = list Order by userId page 10
"#;

fn up(engine: &Engine, text: &str) -> Result<(Runtime, Deployment), Vec<String>> {
    with_key(engine, text, [7; 32])
}

fn with_key(engine: &Engine, text: &str, key: [u8; 32]) -> Result<(Runtime, Deployment), Vec<String>> {
    let compilation = compile("shop.sk", text, &FileLoader);
    let errors: Vec<&str> = compilation.diagnostics.iter().map(|each| each.title.as_str()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let settings = ephemeral().expect("a system with randomness");
    let settings = Settings { keyring: Arc::new(KeyFile::from_key(key)), ..settings };
    let backend = Arc::new(Embedded::new(engine.clone()));
    let runtime = Runtime::new(compilation.design, backend, settings).expect("the design runs");
    let pause = |_: Duration| -> Pending<'_, ()> { Box::pin(async { Ok(()) }) };
    match pollster::block_on(prepare(&runtime, Coverage::AsMarked, &pause, &mut |_| {})) {
        Ok(deployment) => Ok((runtime, deployment)),
        Err(DeployError::Refused(refusals)) => {
            Err(refusals.iter().map(|each| format!("{}. {}", each.title, each.notes.join(" "))).collect())
        }
        Err(other) => panic!("{other:?}"),
    }
}

fn call(runtime: &Runtime, name: &str, arguments: &Json) -> Json {
    let arguments = arguments.as_object().cloned().unwrap_or_default().try_into().expect("kept");
    let answer =
        pollster::block_on(runtime.call(Call { name, arguments, ..Call::default() })).expect("answered");
    match answer {
        Answer::Value(value) => value,
        Answer::Page { items, .. } => json!(items),
        Answer::Nothing => Json::Null,
    }
}

fn changed(from: &str, to: &str) -> String {
    assert!(DESIGN.contains(from), "{from}");
    DESIGN.replace(from, to)
}

/// Changes that would hide or misread items, and the message for each.
const BREAKING: [(&str, &str, &str); 4] = [
    (
        "O#{orderId}",
        "ORDER#{orderId}",
        "the Order items that are there have another `SK`. The items that are there: \"O#{orderId}\".",
    ),
    ("U#{userId}", "USER#{userId}", "the Order items that are there have another `PK`."),
    (
        "at      time(s)",
        "at      time(ms)",
        "`Order.at` is stored in another form. The items that are there: time(s).",
    ),
    ("total   int(0..) = 0", "total   string(..9) = \"0\"", "`Order.total` is stored in another form."),
];

#[test]
fn what_would_hide_or_misread_items_is_refused_and_leaves_them_be() {
    let engine = Engine::memory(sortkey_engine::Settings::default());
    let (runtime, _) = up(&engine, DESIGN).expect("deployed");
    call(&runtime, "place", &json!({ "userId": "ada", "orderId": "1" }));
    for (from, to, said) in BREAKING {
        let refused = up(&engine, &changed(from, to)).err().unwrap_or_default();
        assert!(refused.len() == 1 && refused[0].starts_with(said), "{to}: {refused:?}");
    }
    let (runtime, _) = up(&engine, DESIGN).expect("deployed again");
    assert_eq!(call(&runtime, "ofUser", &json!({ "userId": "ada" })).as_array().map(Vec::len), Some(1));
}

#[test]
fn an_empty_table_takes_any_layout() {
    for (from, to, _) in BREAKING {
        let engine = Engine::memory(sortkey_engine::Settings::default());
        up(&engine, DESIGN).expect("deployed");
        let (runtime, _) = up(&engine, &changed(from, to)).expect(to);
        call(&runtime, "place", &json!({ "userId": "ada", "orderId": "1" }));
        assert!(up(&engine, DESIGN).is_err(), "{to}");
    }
}

#[test]
fn what_keeps_its_meaning_is_let_through_and_nothing_is_forgotten() {
    let engine = Engine::memory(sortkey_engine::Settings::default());
    let (runtime, _) = up(&engine, DESIGN).expect("deployed");
    call(&runtime, "place", &json!({ "userId": "ada", "orderId": "1" }));
    for (from, to) in [
        ("total   int(0..) = 0", "total   decimal(12, 2) = 0"),
        ("note?   string(..80)", "note?   string(..200)"),
        ("note?   string(..80)", "note?   string(..80)\n  colour string(..9) = \"red\""),
    ] {
        up(&engine, &changed(from, to)).expect(to);
    }
    // An attribute that was gone for a while cannot come back as something else.
    up(&engine, &changed("  note?   string(..80)\n", "")).expect("without notes");
    assert!(up(&engine, &changed("note?   string(..80)", "note?   int(0..)")).is_err());
    // Every day is text, though not every text a day.
    up(&engine, &changed("due?    date", "due?    string(..10)")).expect("days as text");
    assert!(up(&engine, DESIGN).is_err());
}

#[test]
fn items_that_a_new_index_would_not_find_are_rewritten() {
    let engine = Engine::memory(sortkey_engine::Settings::default());
    let later = DESIGN
        .replace("project all\n}", "project all\n  index ByNote (noteOf | at) project all\n}")
        .replace("  userId  string", "  noteOf = \"N#{note}\"\n  userId  string")
        .replace("note?   string(..80)", "note    string(..80) = \"-\"");
    let (runtime, _) = up(&engine, DESIGN).expect("deployed");
    assert_eq!(up(&engine, &later).expect("deployed").1.remarks, Vec::<String>::new());

    let engine = Engine::memory(sortkey_engine::Settings::default());
    drop(runtime);
    let (runtime, _) = up(&engine, DESIGN).expect("deployed");
    call(&runtime, "place", &json!({ "userId": "ada", "orderId": "1" }));
    let deployment = up(&engine, &later).expect("deployed").1;
    assert!(deployment.changes.iter().any(|(_, change)| matches!(change, Change::Rewrite(_))));
    assert_eq!(deployment.remarks, Vec::<String>::new());
    assert_eq!(up(&engine, &later).expect("again").1.changes, []);
}

#[test]
fn a_master_key_that_is_not_the_items_own_is_refused() {
    let engine = Engine::memory(sortkey_engine::Settings::default());
    let secret = changed("note?   string(..80)", "note?   string(..80) @encrypted");
    up(&engine, &secret).expect("deployed");
    let (runtime, _) = with_key(&engine, &secret, [8; 32]).expect("nothing is encrypted yet");
    call(&runtime, "place", &json!({ "userId": "ada", "orderId": "1", "note": "hush" }));
    with_key(&engine, &secret, [8; 32]).expect("the same key");
    let refused = up(&engine, &secret).err().unwrap_or_default();
    assert!(refused.len() == 1 && refused[0].starts_with("the encrypted `Order.note`"), "{refused:?}");
}
