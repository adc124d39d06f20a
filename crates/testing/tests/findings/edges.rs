// F-07, F-08, F-20: the edges of writes: sets in maps, secrets that an `upsert` makes, versions, and plain text where something
// encrypted is declared.

use serde_json::json;
use sortkey_core::FailureKind;

use crate::support::{DEFAULTS, Database};

#[test]
fn an_empty_set_in_a_map_is_refused() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design edges
        {DEFAULTS}
        table Ns "nss" {{ key (id) }}
        entity N in Ns {{ id slug  tags map(set(string(1..9), max 9), max 9) = {{}}  rows list({{ s? set(int, max 3) }}, max 9) = [] }}
        pattern n = get N by id strong
        operation mk = create N
        operation tag(id, tags) {{ update N(id) {{ tags }} }}
        operation one(id, key: string(1..9), t: set(string(1..9), max 9)) {{ update N(id) {{ tags[key]: t }} }}"#
    ));
    assert_eq!(app.call("mk", json!({ "id": "a", "tags": { "x": ["1"] } }))["tags"], json!({ "x": ["1"] }));
    for (name, arguments) in [
        ("mk", json!({ "id": "b", "tags": { "x": [] } })),
        ("tag", json!({ "id": "a", "tags": { "x": ["1"], "y": [] } })),
        ("one", json!({ "id": "a", "key": "x", "t": [] })),
    ] {
        let failure = app.fails(name, arguments);
        assert_eq!(failure.kind, FailureKind::Invalid, "{name}: {failure}");
    }
    assert_eq!(app.call("n", json!({ "id": "a" }))["tags"], json!({ "x": ["1"] }));
    // Optional attributes are absent.
    let made = app.call("mk", json!({ "id": "c", "rows": [{ "s": [] }, { "s": [1] }] }));
    assert_eq!(made["rows"], json!([{}, { "s": [1] }]));
    assert_eq!(app.call("n", json!({ "id": "c" }))["rows"], json!([{}, { "s": [1] }]));
}

#[test]
fn an_upsert_begins_like_a_create_and_shows_what_it_made() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design edges
        {DEFAULTS}
        table Ks "kss" {{ key (id) }}
        entity K in Ks {{
          id slug  key token("k_", 12) = new @transient @secret  keyHash string(64) := sha256(key) @secret
          word string(1..9) = "w"  version int = 0 @version
        }}
        system pattern byKey(key: string) = get K by id filter keyHash = sha256(key) strong
        system pattern k = get K by id strong
        operation mk = create K
        operation save(id, word) {{ upsert K(id) {{ word }} }}
        operation saveAll(id, word) {{ transact {{ let k2 = upsert K(id) {{ word }} }}  return k2 }}
        operation swap(id, word) {{ upsert K(id) if word != "never" else Never {{ word }} }}"#
    ));
    for name in ["save", "saveAll", "swap"] {
        let id = name.to_lowercase();
        let made = app.call(name, json!({ "id": id, "word": "one" }));
        assert_eq!(made["version"], 1, "{name}: {made}");
        let key = made["key"].as_str().unwrap_or_else(|| panic!("{name} made no key: {made}"));
        assert!(!app.call("byKey", json!({ "id": id, "key": key })).is_null(), "{name}");
        // The key of an item that exists stays, although nothing can compute it any more.
        let changed = app.call(name, json!({ "id": id, "word": "two" }));
        assert_eq!((&changed["version"], &changed["word"]), (&json!(2), &json!("two")), "{name}");
        assert!(changed["key"].is_null(), "{name}: {changed}");
        assert!(!app.call("byKey", json!({ "id": id, "key": key })).is_null(), "{name}");
    }
}

#[test]
fn plain_text_in_an_encrypted_attribute_is_an_error() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design edges
        {DEFAULTS}
        table Cs "css" {{ key (id) }}
        entity C in Cs {{ id slug  token? string(..99) @encrypted("alias/k")  n int = 0 }}
        pattern c = get C by id strong
        operation mk = create C
        operation bump(id) {{ update C(id) {{ n: n + 1 }} }}"#
    ));
    app.call("mk", json!({ "id": "a", "token": "hidden" }));
    assert_eq!(app.call("c", json!({ "id": "a" }))["token"], "hidden");
    database.put("css", json!({ "id": "b", "token": "plain", "n": 1 }));
    for (name, arguments) in [("c", json!({ "id": "b" })), ("bump", json!({ "id": "b" }))] {
        let failure = app.fails(name, arguments);
        assert_eq!(failure.kind, FailureKind::Unreadable, "{name}: {failure}");
        assert!(!failure.message.contains("plain"), "{name}: {failure}");
    }
}

/// A value that is not chosen is not asked for.
#[test]
fn only_the_chosen_value_is_read() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design edges
        {DEFAULTS}
        table Ns "nss" {{ key (id) }}
        entity N in Ns {{ id slug  n int = 0 }}
        pattern n = get N by id strong
        operation mk = create N
        operation bump(id) {{ update N(id) {{ n += 1 }}  return 1 }}
        operation pick(id, now2: bool) {{ return choose {{ now2: bump(id), otherwise: 0 }} }}
        operation sum2(id, now2: bool) {{ return 10 + choose {{ now2: bump(id), otherwise: 0 }} }}
        operation both(id, now2: bool) {{ return [now2 and bump(id) = 1, true] }}"#
    ));
    app.call("mk", json!({ "id": "a" }));
    assert_eq!(app.call("pick", json!({ "id": "a", "now2": false })), json!(0));
    assert_eq!(app.call("sum2", json!({ "id": "a", "now2": false })), json!(10));
    assert_eq!(app.call("both", json!({ "id": "a", "now2": false })), json!([false, true]));
    assert_eq!(app.call("n", json!({ "id": "a" }))["n"], 0);
    assert_eq!(app.call("pick", json!({ "id": "a", "now2": true })), json!(1));
    assert_eq!(app.call("sum2", json!({ "id": "a", "now2": true })), json!(11));
    assert_eq!(app.call("both", json!({ "id": "a", "now2": true })), json!([true, true]));
    assert_eq!(app.call("n", json!({ "id": "a" }))["n"], 3);
}

#[test]
fn numbers_that_are_counted_stay_in_their_types() {
    let database = Database::new();
    let app = database.up(&format!(
        r#"design edges
        {DEFAULTS}
        table Ns "nss" {{ key (id) }}
        entity N in Ns {{ id slug  price decimal(5, 2) = 1  big decimal(38, 10) = 1  total int = 0  m map(string(..9), max 9) = {{}} }}
        pattern n = get N by id strong
        operation mk = create N
        operation add(id, by: decimal(5, 2)) {{ update N(id) {{ price += by }} }}
        operation take(id, by: decimal(5, 2)) {{ update N(id) {{ price -= by }} }}
        operation addAll(id, by: decimal(5, 2)) {{ transact {{ update N(id) {{ price += by }} }} }}
        operation grow(id, by: decimal(38, 10)) {{ update N(id) {{ big += by }} }}
        operation count(id, by: int) {{ update N(id) {{ total += by }} }}
        operation set(id, key: string(..9), v: string(..9)) {{ update N(id) {{ m[key]: v }} }}"#
    ));
    app.call("mk", json!({ "id": "a" }));
    app.call("add", json!({ "id": "a", "by": 998.99 }));
    app.call("take", json!({ "id": "a", "by": 0.5 }));
    let most = json!(i64::MAX);
    app.call("count", json!({ "id": "a", "by": most }));
    for (name, by) in [
        ("add", json!(0.51)),
        ("addAll", json!(0.51)),
        ("take", json!(999.99)),
        ("count", json!(4_294_967_296_i64)),
    ] {
        let again = if name == "take" { 2 } else { 1 };
        let calls = (0..again + 1).map(|_| app.try_call(name, json!({ "id": "a", "by": by })));
        let last = calls.fold(None, |_, call| Some(call)).expect("called").expect_err(name);
        assert_eq!(last.kind, FailureKind::CheckFailed, "{name}: {last}");
    }
    let failure = app.fails("grow", json!({ "id": "a", "by": "9999999999999999999999999999.9999999999" }));
    assert_eq!(failure.kind, FailureKind::CheckFailed, "{failure}");
    let failure = app.fails("set", json!({ "id": "a", "key": "", "v": "x" }));
    assert_eq!(failure.kind, FailureKind::Invalid, "{failure}");
}
