// F-05: items that were there before the design, with attributes only in their keys, were hidden, and an upsert wrote over them.

use serde_json::json;

use crate::support::{DEFAULTS, Database};

fn conversations() -> String {
    format!(
        r#"design f05
        caller {{ tenant_id slug }}
        {DEFAULTS}
        table Cs "conv" {{ key (pk | sk) }}
        entity C in Cs {{
          pk = "{{tenant_id}}"  sk = "{{cid}}"
          tenant_id slug  cid slug
          messages list(string(1..99), max 20) = []
          tenant tenant_id
        }}
        pattern c  = get C by tenant_id, cid strong
        pattern cs = list C by tenant_id page 10
        operation say(tenant_id, cid, w: string(1..99)) {{
          let o = c(tenant_id, cid)
          upsert C(tenant_id, cid) {{ messages: last(coalesce(o.messages, []) + [w], 20) }}
        }}
        operation clear(tenant_id, cid) {{ update C(tenant_id, cid) if size(messages) > 0 {{ messages: [] }} }}"#
    )
}

#[test]
fn what_a_key_determines_is_read_from_the_key() {
    let database = Database::new();
    let app = database.up(&conversations()).caller(json!({ "tenant_id": "acme" }));
    database.put("conv", json!({ "pk": "acme", "sk": "c1", "messages": ["hello"] }));
    let whole = json!({ "tenant_id": "acme", "cid": "c1", "messages": ["hello"] });
    assert_eq!(app.call("c", json!({ "cid": "c1" })), whole);
    assert_eq!(app.call("cs", json!({})), json!([whole]));
    assert_eq!(
        app.call("say", json!({ "tenant_id": "acme", "cid": "c1", "w": "again" }))["messages"],
        json!(["hello", "again"])
    );
    let stored = database.get("conv", json!({ "pk": "acme", "sk": "c1" })).expect("there");
    assert_eq!(stored["messages"], json!(["hello", "again"]));
    app.call("clear", json!({ "tenant_id": "acme", "cid": "c1" }));
    assert_eq!(app.call("c", json!({ "cid": "c1" }))["messages"], json!([]));
    // Another tenant's stay another tenant's.
    let other = app.caller(json!({ "tenant_id": "other" }));
    assert_eq!(other.call("cs", json!({})), json!([]));
}

#[test]
fn an_item_that_cannot_be_interpreted_is_named_and_left_alone() {
    let database = Database::new();
    let app = database.up(&conversations()).caller(json!({ "tenant_id": "acme" }));
    let foreign = json!({ "pk": "acme", "sk": "c1", "messages": "hello" });
    database.put("conv", foreign.clone());
    for (name, arguments) in [
        ("c", json!({ "cid": "c1" })),
        ("cs", json!({})),
        ("say", json!({ "tenant_id": "acme", "cid": "c1", "w": "x" })),
    ] {
        let failure = app.fails(name, arguments);
        assert_eq!(failure.kind.name(), "Unreadable", "{name}: {failure}");
        for part in ["conv", "acme", "c1", "messages"] {
            assert!(failure.message.contains(part), "{name}: {failure}");
        }
    }
    assert_eq!(database.get("conv", json!({ "pk": "acme", "sk": "c1" })), Some(foreign));
}

/// The tenant is in no key of the table: nothing shows the owner of such an item.
#[test]
fn an_upsert_does_not_take_an_existing_item_for_absent() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design f05
        caller {{ owner slug }}
        {DEFAULTS}
        table Ns "notes" {{ key (id)  index Mine (mine | id) project all }}
        entity N in Ns {{
          mine = "O#{{owner}}"
          id slug  owner slug  words string(1..99)  n int(0..) = 0
          tenant owner
        }}
        pattern note = get N by id strong
        pattern mine = list N by owner page 10
        operation write(id, words) {{ upsert N(id) {{ words }} }}
        operation count(id) {{ update N(id) {{ n += 1 }} }}
        operation drop(id) {{ delete N(id) }}"#
    ));
    let ada = app.caller(json!({ "owner": "ada" }));
    let foreign = json!({ "id": "a", "words": "kept" });
    database.put("notes", foreign.clone());
    for (name, arguments) in [
        ("note", json!({ "id": "a" })),
        ("write", json!({ "id": "a", "words": "mine" })),
        ("count", json!({ "id": "a" })),
        ("drop", json!({ "id": "a" })),
    ] {
        let failure = ada.fails(name, arguments);
        assert_eq!(failure.kind.name(), "Unreadable", "{name}: {failure}");
        assert!(failure.message.contains("owner"), "{name}: {failure}");
    }
    assert_eq!(database.get("notes", json!({ "id": "a" })), Some(foreign));
    // A key of an index shows the owner.
    database.put("notes", json!({ "id": "b", "mine": "O#ada", "words": "mine" }));
    assert_eq!(ada.call("mine", json!({}))[0]["words"], "mine");
    assert_eq!(ada.call("count", json!({ "id": "b" }))["n"], 1);
    assert_eq!(ada.call("write", json!({ "id": "b", "words": "more" }))["words"], "more");
    let bob = app.caller(json!({ "owner": "bob" }));
    assert_eq!(bob.call("note", json!({ "id": "b" })), json!(null));
    assert_eq!(bob.fails("write", json!({ "id": "b", "words": "his" })).kind.name(), "NotFound");
    assert_eq!(bob.fails("drop", json!({ "id": "b" })).kind.name(), "NotFound");
    ada.call("drop", json!({ "id": "b" }));
    assert_eq!(database.get("notes", json!({ "id": "b" })), None);
}

#[test]
fn every_form_of_a_key_piece_is_read_back() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design f05
        {DEFAULTS}
        table Ts "things" {{ key (PK | SK)  ttl until }}
        entity Thing in Ts {{
          PK = "T#{{name:escape}}#{{kind}}"  SK = "{{at}}#{{n:pad(4)}}#{{on}}#{{flag}}"
          name string(1..40)  kind red | blue
          at time(s)  n int(0..9999)  on date  flag bool
          until? time(s)
        }}
        entity Other in Ts {{ PK = "O#{{id}}"  SK = "O"  id slug  until? time(s) }}
        pattern things = list Thing by name, kind page 10"#
    ));
    database.put("things", json!({ "PK": "T#a%23b#red", "SK": "1767225600#0042#2026-01-31#true" }));
    let expected = json!([{
        "name": "a#b", "kind": "red", "at": 1_767_225_600, "n": 42, "on": "2026-01-31", "flag": true,
    }]);
    assert_eq!(app.call("things", json!({ "name": "a#b", "kind": "red" })), expected);
    // Attributes that make another key than the one they lie under are no item of anybody's.
    database.put("things", json!({ "PK": "T#x#red", "SK": "1767225600#0042#2026-01-31#true", "n": 7 }));
    let failure = app.fails("things", json!({ "name": "x", "kind": "red" }));
    assert_eq!(failure.kind.name(), "Unreadable", "{failure}");
}

#[test]
fn an_upsert_does_not_write_over_an_item_of_another_kind() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design f05
        {DEFAULTS}
        table Ts "things" {{ key (id)  kind type }}
        entity A in Ts {{ id slug  a int = 0 }}
        entity B in Ts {{ id slug  b int = 0 }}
        operation a(id) {{ upsert A(id) {{ a += 1 }} }}
        operation b(id) {{ upsert B(id) {{ b += 1 }} }}
        operation setB(id) {{ update B(id) {{ b: 5 }} }}
        pattern getB = get B by id"#
    ));
    app.call("a", json!({ "id": "x" }));
    let stored = database.get("things", json!({ "id": "x" }));
    assert_eq!(app.fails("b", json!({ "id": "x" })).kind.name(), "Unreadable");
    assert_eq!(app.fails("setB", json!({ "id": "x" })).kind.name(), "NotFound");
    assert_eq!(database.get("things", json!({ "id": "x" })), stored);
    database.put("things", json!({ "id": "y", "b": 3 }));
    let failure = app.fails("b", json!({ "id": "y" }));
    assert!(failure.kind.name() == "Unreadable" && failure.message.contains('y'), "{failure}");
}
