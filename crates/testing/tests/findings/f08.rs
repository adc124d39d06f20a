// F-08: empty sets vanished: a required one, one inside JSON, and a caller's, which then was allowed everything.

use serde_json::json;
use sortkey_design::{NoFiles, compile};

use crate::support::{DEFAULTS, Database};

fn design() -> String {
    format!(
        r#"design f08
        caller {{ id slug, scopes? set(read | write, max 2) }}
        {DEFAULTS}
        table Xs "xss" {{ key (id) }}
        record R {{ tags set(string(1..9), max 5), more? set(string(1..9), max 5), n int }}
        entity X in Xs {{
          id    slug
          tags  set(string(1..9), max 5)
          more? set(string(1..9), max 5)
          r     json(R)
          o     {{ tags? set(string(1..9), max 5) }} = {{}}
          l     list(set(string(1..9), max 5), max 5) = []
        }}
        system pattern x = get X by id strong
        system operation mk = create X
        system operation setTags(id, tags) {{ update X(id) {{ tags }} }}
        system operation setMore(id, more) {{ update X(id) {{ more }} }}
        system operation setR(id, r) {{ update X(id) {{ r }} }}
        system operation save(id, tags, r) {{ upsert X(id) {{ tags, r }} }}
        system operation untag(id, t: string(1..9)) {{ update X(id) {{ tags -= [t] }} }}
        system operation unmore(id, t: string(1..9)) {{ update X(id) {{ more -= [t] }} }}
        system operation addNone(id, more) {{ update X(id) {{ more += more }} }}
        system operation isEmpty(tags: set(string(1..9), max 5)) {{ require tags exists and size(tags) = 0 else No  put X {{ id: "e", tags: ["x"], r: {{ tags: [], n: 1 }} }} }}
        rule may(s: read | write) = caller.scopes absent or caller.scopes contains s
        pattern mine = get X by id strong requires may(read)"#
    )
}

#[test]
fn a_required_set_has_a_member() {
    let database = Database::new();
    let app = database.up(&design());
    let r = json!({ "tags": ["a"], "n": 1 });
    let failure = app.fails("mk", json!({ "id": "a", "tags": [], "r": r }));
    assert_eq!((failure.kind.name(), failure.field.as_deref()), ("Invalid", Some("tags")), "{failure}");
    assert_eq!(app.fails("mk", json!({ "id": "a", "r": r })).field.as_deref(), Some("tags"));
    assert_eq!(app.fails("save", json!({ "id": "a", "tags": [], "r": r })).field.as_deref(), Some("tags"));
    app.call("mk", json!({ "id": "a", "tags": ["a", "b"], "r": r }));
    assert_eq!(app.fails("setTags", json!({ "id": "a", "tags": [] })).field.as_deref(), Some("tags"));
    app.call("untag", json!({ "id": "a", "t": "a" }));
    let failure = app.fails("untag", json!({ "id": "a", "t": "b" }));
    assert_eq!((failure.kind.name(), failure.field.as_deref()), ("Invalid", Some("tags")), "{failure}");
    assert_eq!(app.call("x", json!({ "id": "a" }))["tags"], json!(["b"]));
    assert_eq!(
        app.fails("mk", json!({ "id": "l", "tags": ["a"], "r": r, "l": [[]] })).kind.name(),
        "Invalid"
    );
    // One that was stored before may still be changed in other ways.
    database.strip("xss", json!({ "id": "a" }), &["tags"]);
    app.call("setR", json!({ "id": "a", "r": { "tags": ["z"], "n": 2 } }));
    app.call("unmore", json!({ "id": "a", "t": "b" }));
}

#[test]
fn a_set_that_may_be_absent_may_be_empty() {
    let database = Database::new();
    let app = database.up(&design());
    let r = json!({ "tags": ["a"], "n": 1 });
    let made = app.call("mk", json!({ "id": "a", "tags": ["a"], "more": [], "r": r, "o": { "tags": [] } }));
    assert_eq!(made.get("more"), None);
    assert_eq!(made, app.call("x", json!({ "id": "a" })));
    app.call("setMore", json!({ "id": "a", "more": ["m"] }));
    assert_eq!(app.call("addNone", json!({ "id": "a", "more": [] }))["more"], json!(["m"]));
    assert_eq!(app.call("setMore", json!({ "id": "a", "more": [] })).get("more"), None);
    app.call("isEmpty", json!({ "tags": [] }));
}

#[test]
fn json_keeps_empty_sets() {
    let database = Database::new();
    let app = database.up(&design());
    let r = json!({ "tags": [], "more": [], "n": 1 });
    let made = app.call("mk", json!({ "id": "a", "tags": ["a"], "r": r }));
    assert_eq!(made["r"], r);
    assert_eq!(app.call("x", json!({ "id": "a" }))["r"], r);
    assert_eq!(app.call("setR", json!({ "id": "a", "r": r }))["r"], r);
    assert_eq!(app.call("save", json!({ "id": "b", "tags": ["b"], "r": r }))["r"], r);
    // Required attributes are given, though they may be empty.
    assert_eq!(app.fails("setR", json!({ "id": "a", "r": { "n": 1 } })).field.as_deref(), Some("r.tags"));
}

#[test]
fn a_callers_empty_set_allows_nothing() {
    let database = Database::new();
    let app = database.up(&design());
    app.call("mk", json!({ "id": "a", "tags": ["a"], "r": { "tags": [], "n": 1 } }));
    let get =
        |caller| app.caller(caller).try_call("mine", json!({ "id": "a" })).map(|answer| answer["id"].clone());
    assert_eq!(get(json!({ "id": "u" })), Ok(json!("a")));
    assert_eq!(get(json!({ "id": "u", "scopes": ["read"] })), Ok(json!("a")));
    assert_eq!(get(json!({ "id": "u", "scopes": ["write"] })).expect_err("refused").kind.name(), "Forbidden");
    assert_eq!(get(json!({ "id": "u", "scopes": [] })).expect_err("refused").kind.name(), "Forbidden");
}

#[test]
fn an_empty_set_in_the_design_is_refused_by_the_compiler() {
    let plain =
        "table T { key (id) } entity E in T { id slug  s set(int, max 3) DEFAULT  o? set(int, max 3) = [] }";
    for (from, to) in [("DEFAULT", "= []"), ("DEFAULT", "")] {
        let text = plain.replace(from, to);
        let text = if to.is_empty() {
            format!("{text} operation x(id) {{ update E(id) {{ s: [] }} }}")
        } else {
            text
        };
        let titles: Vec<String> =
            compile("t.sk", &text, &NoFiles).diagnostics.into_iter().map(|each| each.title).collect();
        assert_eq!(titles, ["this set must have a member"], "{text}");
    }
}
