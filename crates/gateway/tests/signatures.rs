//! F-01: the checker, the runtime and the OpenAPI document take the parameters of a call from one signature. Each of them
//! once had an order, and a list of what may be left out, of its own.

use serde_json::{Value as Json, json};
use sortkey_design::{NoFiles, compile};
use sortkey_gateway::document;

use crate::support::Api;

const DEFAULTS: &str = "design sig
    defaults { billing on_demand  recovery 35d  encryption aws_owned  protect deletion }\n";

/// Two patterns' worth of order: the declared parameter comes first in the text, and its attribute in `by`.
const BY_TAG: &str = r#"
table T "notes" { key (noteId)  index byTag (tag | day) project all }
table L "links" { key (linkId) }
entity Note in T { noteId uuid = new  tag string(1..80)  day string(1..80) }
entity Link in L { linkId uuid = new  noteId uuid }
pattern byTagDay(tag: string(1..80)) = get Note by tag, day via byTag
operation note = create Note
operation link(x: string(1..80)) {
  let n = byTagDay("red", x) else NoSuchNote
  create Link { noteId: n.noteId }
}
"#;

/// A tenant: the caller says whose the note is, and may say so in the arguments as well.
const BY_OWNER: &str = r#"
caller { ownerId uuid }
table T "notes" { key (ownerId | noteId) }
entity Note in T { ownerId uuid  noteId uuid = new  title string(1..80)  tag string(1..80)  tenant ownerId }
pattern notes = list Note by ownerId page 10
operation write = create Note
operation milk(title) { return write(caller.ownerId, title, "red") }
"#;

/// An upsert may make the note, so it needs all that a new one needs.
const SAVED: &str = r#"
table T "notes" { key (noteId) }
entity Note in T { noteId slug(1..9)  title string(1..80)  tag string(1..80)  words? string(..9)  stars int(0..5) = 0 }
pattern note = get Note by noteId
operation save = upsert Note
"#;

fn api(text: &str) -> Api {
    Api::of_text(&format!("{DEFAULTS}{text}"))
}

/// The diagnostics of an added line.
fn said(text: &str, line: &str) -> Vec<String> {
    let found = compile("sig.sk", &format!("{DEFAULTS}{text}{line}"), &NoFiles).diagnostics;
    found.into_iter().map(|each| each.title).collect()
}

/// The operation of the document that serves a path.
fn described(text: &str, path: &str, method: &str) -> Json {
    let runtime = Api::runtime_of_text(&format!("{DEFAULTS}{text}"));
    document(&runtime)["paths"][path][method].clone()
}

/// The names that a body must have, in order.
fn required(operation: &Json) -> Vec<&str> {
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect()
}

#[test]
fn a_pattern_has_one_order_of_parameters() {
    assert_eq!(
        said(BY_TAG, "operation other(x: string(1..80)) { let n = byTagDay(x, \"mon\") else No  return n }"),
        [""; 0]
    );
    let api = api(BY_TAG);
    let note = |tag: &str, day: &str| api.post("/api/note", &[], &json!({ "tag": tag, "day": day })).json();
    let (right, wrong) = (note("red", "mon"), note("mon", "red"));
    let link = api.post("/api/link", &[], &json!({ "x": "mon" })).json();
    assert_eq!(link["noteId"], right["noteId"]);
    for (query, expected) in
        [("tag=red&day=mon", &right), ("day=mon&tag=red", &right), ("tag=mon&day=red", &wrong)]
    {
        assert_eq!(api.get(&format!("/api/byTagDay?{query}"), &[]).json(), *expected, "{query}");
    }
    let pattern = described(BY_TAG, "/api/byTagDay", "get");
    let names = pattern["parameters"].as_array().expect("parameters").iter();
    let names: Vec<(&str, bool)> = names
        .filter(|each| each["in"] == "query")
        .map(|each| (each["name"].as_str().unwrap_or_default(), each["required"] == true))
        .collect();
    assert_eq!(names, [("tag", true), ("day", true)]);
    assert_eq!(required(&described(BY_TAG, "/api/link", "post")), ["x"]);
}

#[test]
fn a_tenant_is_a_parameter_that_may_be_left_out() {
    let owner = "00000000-0000-4000-8000-000000000001";
    let line = "operation short(title) { return write(title: title, tag: \"red\") }";
    assert_eq!(said(BY_OWNER, line), [""; 0]);
    let swapped = "operation swapped(title) { return write(title, caller.ownerId, \"red\") }";
    assert_ne!(said(BY_OWNER, swapped), [""; 0]);
    let api = api(BY_OWNER);
    let caller = json!({ "ownerId": owner }).to_string();
    let mine = [("sortkey-caller", caller.as_str())];
    for (path, arguments) in [
        ("/api/write", json!({ "title": "milk", "tag": "red" })),
        ("/api/write", json!({ "ownerId": owner, "title": "milk", "tag": "red" })),
        ("/api/milk", json!({ "title": "milk" })),
    ] {
        let note = api.post(path, &mine, &arguments).json();
        assert_eq!(
            (&note["ownerId"], &note["title"], &note["tag"]),
            (&json!(owner), &json!("milk"), &json!("red"))
        );
    }
    assert_eq!(required(&described(BY_OWNER, "/api/write", "post")), ["title", "tag"]);
}

#[test]
fn an_upsert_requires_what_a_new_item_needs() {
    let lacking = "operation bad { save(noteId: \"a\", title: \"b\") }";
    assert_eq!(said(SAVED, lacking), ["`save` is not given `tag`"]);
    assert_eq!(said(SAVED, "operation good { save(\"a\", \"b\", \"c\") }"), [""; 0]);
    let api = api(SAVED);
    let (status, _, field, _) = api.post("/api/save", &[], &json!({ "noteId": "a", "title": "b" })).problem();
    assert_eq!((status, field.as_deref()), (400, Some("tag")));
    let saved = api.post("/api/save", &[], &json!({ "noteId": "a", "title": "b", "tag": "c" })).json();
    assert_eq!(saved, json!({ "noteId": "a", "title": "b", "tag": "c", "stars": 0 }));
    assert_eq!(required(&described(SAVED, "/api/save", "post")), ["noteId", "title", "tag"]);
}
