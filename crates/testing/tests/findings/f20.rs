// F-20: an encrypted attribute that did not decrypt was left out of a 200, and opened in another item.

use serde_json::json;
use sortkey_core::FailureKind;
use sortkey_value::AttributeValue;

use crate::support::{App, DEFAULTS, Database};

fn app(database: &Database) -> App {
    database.up(&format!(
        r#"design f20
        {DEFAULTS}
        table Ks "kss" {{ key (PK | SK)  index ByBox (box) project [code] }}
        entity K in Ks {{
          PK = "K#{{id}}"  SK = "K"
          id slug  box slug
          code string(1..20) @secret @encrypted("alias/{{box}}")
          other? string(1..20) @encrypted("alias/{{box}}")
        }}
        pattern k = get K by id strong
        pattern codeOf = get K by id select [id, code] strong
        pattern inBox = list K by box via ByBox select [id, code] page 10
        operation mk = create K
        operation rotate(id, box, code) {{ update K(id) {{ box, code, other: absent }} }}
        operation copy(id, to: slug) {{
          let k = get K(id) strong else NotFound
          create K {{ ...k, id: to }}
        }}
        operation adopt(id, from: slug) {{
          let k = get K(id: from) strong else NotFound
          update K(id) {{ box: k.box, code: k.code, other: absent }}
        }}"#
    ))
}

fn two(database: &Database) -> App {
    let app = app(database);
    for (id, code) in [("a", "red"), ("b", "blue")] {
        app.call("mk", json!({ "id": id, "box": "x", "code": code, "other": "seen" }));
    }
    app
}

fn key(id: &str) -> serde_json::Value {
    json!({ "PK": format!("K#{id}"), "SK": "K" })
}

#[test]
fn what_does_not_decrypt_is_an_error_that_names_it() {
    let flip = |value: &mut AttributeValue| {
        let AttributeValue::B(bytes) = value else { panic!("stored as bytes") };
        *bytes.last_mut().expect("some") ^= 1;
    };
    let database = Database::new();
    let app = two(&database);
    database.tamper("kss", (key("a"), "code"), (key("a"), "code"), flip);
    database.tamper("kss", (key("a"), "other"), (key("a"), "other"), flip);
    for (name, arguments, field) in [
        ("codeOf", json!({ "id": "a" }), "code"),
        ("k", json!({ "id": "a" }), "other"),
        ("inBox", json!({ "box": "x" }), "code"),
    ] {
        let failure = app.fails(name, arguments);
        assert_eq!(
            (&failure.kind, failure.field.as_deref()),
            (&FailureKind::Unreadable, Some(field)),
            "{name}"
        );
        assert!(failure.message.contains(r#"PK = "K#a""#), "{name}: {failure}");
    }
    assert_eq!(app.call("codeOf", json!({ "id": "b" }))["code"], "blue");
}

#[test]
fn a_value_is_of_no_use_in_another_item_or_attribute() {
    for (from, name, to, into, pattern) in
        [("a", "code", "b", "code", "codeOf"), ("a", "code", "a", "other", "k")]
    {
        let database = Database::new();
        let app = two(&database);
        database.tamper("kss", (key(from), name), (key(to), into), |_| {});
        assert_eq!(app.fails(pattern, json!({ "id": to })).kind, FailureKind::Unreadable, "{from} {to}");
    }
}

#[test]
fn what_an_operation_copies_is_encrypted_for_its_new_place() {
    let database = Database::new();
    let app = two(&database);
    app.call("copy", json!({ "id": "a", "to": "c" }));
    assert_eq!(app.call("codeOf", json!({ "id": "c" }))["code"], "red");
    app.call("adopt", json!({ "id": "b", "from": "a" }));
    assert_eq!(app.call("codeOf", json!({ "id": "b" }))["code"], "red");
    app.call("rotate", json!({ "id": "a", "box": "x", "code": "green" }));
    assert_eq!(app.call("codeOf", json!({ "id": "a" }))["code"], "green");
    assert_eq!(app.call("inBox", json!({ "box": "x" })).as_array().map(Vec::len), Some(3));
}
