// F-03: `upsert { n -= 1 }` was refused although 2 was stored: the default was checked instead of the item.

use serde_json::json;
use sortkey_core::FailureKind;

use crate::support::{App, DEFAULTS, Database};

fn app(database: &Database) -> App {
    database.up(&format!(
        r#"design f03
        {DEFAULTS}
        table Ls "lss" {{ key (id) }}
        entity L in Ls {{
          id slug  open int(0..3) = 0  limit int = 0  used int = 0  madeBy? string(1..9) @immutable
          check used <= limit else OverLimit
        }}
        pattern l = get L by id strong
        operation inc(id) {{ upsert L(id) {{ open += 1 }} }}
        operation dec(id) {{ upsert L(id) {{ open -= 1 }} }}
        operation decBy(id, madeBy) {{ upsert L(id) {{ open -= 1, madeBy }} }}
        operation grant(id, limit) {{ upsert L(id) {{ limit }} }}
        operation use(id, used) {{ upsert L(id) {{ used }} }}
        operation move(from: slug, to: slug) {{
          transact {{ upsert L(id: from) {{ open -= 1 }}  upsert L(id: to) {{ open += 1 }} }}
        }}"#
    ))
}

#[test]
fn a_count_is_checked_against_the_item() {
    let database = Database::new();
    let app = app(&database);
    for (name, open) in [("inc", 1), ("inc", 2), ("dec", 1), ("dec", 0)] {
        assert_eq!(app.call(name, json!({ "id": "a" }))["open"], open, "{name}");
    }
    assert_eq!(app.fails("dec", json!({ "id": "a" })).kind, FailureKind::CheckFailed);
    assert_eq!(app.call("l", json!({ "id": "a" }))["open"], 0);
}

#[test]
fn without_an_item_it_is_checked_against_the_default() {
    let database = Database::new();
    let app = app(&database);
    let failure = app.fails("dec", json!({ "id": "a" }));
    assert_eq!((failure.kind, failure.field.as_deref()), (FailureKind::CheckFailed, Some("open")));
    assert_eq!(app.call("l", json!({ "id": "a" })), json!(null));
    // An item that is older than the attribute counts from the default too.
    app.call("grant", json!({ "id": "a", "limit": 1 }));
    database.strip("lss", json!({ "id": "a" }), &["open"]);
    assert_eq!(app.fails("dec", json!({ "id": "a" })).kind, FailureKind::CheckFailed);
}

#[test]
fn a_transaction_moves_from_one_to_the_other() {
    let database = Database::new();
    let app = app(&database);
    let both = json!({ "from": "a", "to": "b" });
    assert_eq!(app.fails("move", both.clone()).kind, FailureKind::CheckFailed);
    assert_eq!(app.call("l", json!({ "id": "b" })), json!(null));
    app.call("inc", json!({ "id": "a" }));
    app.call("move", both);
    assert_eq!(app.call("l", json!({ "id": "a" }))["open"], 0);
    assert_eq!(app.call("l", json!({ "id": "b" }))["open"], 1);
}

#[test]
fn a_check_is_made_against_the_item() {
    let database = Database::new();
    let app = app(&database);
    let over = FailureKind::Declared("OverLimit".to_owned());
    assert_eq!(app.fails("use", json!({ "id": "a", "used": 2 })).kind, over);
    app.call("grant", json!({ "id": "a", "limit": 3 }));
    assert_eq!(app.call("use", json!({ "id": "a", "used": 2 }))["used"], 2);
    assert_eq!(app.fails("use", json!({ "id": "a", "used": 4 })).kind, over);
}

#[test]
fn what_is_given_once_and_for_all_stays() {
    let database = Database::new();
    let app = app(&database);
    for _ in 0..3 {
        app.call("inc", json!({ "id": "a" }));
    }
    app.call("decBy", json!({ "id": "a", "madeBy": "one" }));
    app.call("decBy", json!({ "id": "a", "madeBy": "two" }));
    assert_eq!(app.call("l", json!({ "id": "a" }))["madeBy"], "one");
}
