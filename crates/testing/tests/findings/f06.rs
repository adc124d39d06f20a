// F-06: an attribute that its `when` requires could be missing: a delivery was `retrying` without a time, and never due.

use serde_json::{Value as Json, json};
use sortkey_core::FailureKind;

use crate::support::{App, DEFAULTS, Database};

fn app(database: &Database) -> App {
    database.up(&format!(
        r#"design f06
        {DEFAULTS}
        table Ds "dss" {{ key (id)  index Due (shard | nextAt) project all }}
        entity D in Ds {{
          id slug
          status pending | retrying | failed | done = pending
          shard = "D" when status = retrying
          nextAt time(ms) when status = retrying
          tries int = 1 when status in [retrying, failed]
          why? string(1..20) when status = failed
        }}
        pattern d = get D by id strong
        operation mk(id, status?, nextAt?: time(ms)) = create D
        operation retry(id, nextAt) {{ update D(id) {{ status: retrying, nextAt }} }}
        operation again(id) {{ update D(id) {{ status: retrying }} }}
        operation set(id, status, at?: time(ms)) {{ update D(id) {{ status, nextAt: at }} }}
        operation enter(id, status) {{ transact {{ update D(id) {{ status }} }} }}
        operation save(id, status, at?: time(ms)) {{ upsert D(id) {{ status, nextAt: at }} }}
        operation schedule(id, at?: time(ms)) {{ update D(id) {{ nextAt: at }} }}"#
    ))
}

#[test]
fn a_state_is_not_entered_without_what_it_requires() {
    for name in ["again", "set", "enter", "save"] {
        let database = Database::new();
        let app = app(&database);
        app.call("mk", json!({ "id": "a" }));
        let arguments =
            if name == "again" { json!({ "id": "a" }) } else { json!({ "id": "a", "status": "retrying" }) };
        let failure = app.fails(name, arguments);
        assert_eq!(
            (failure.kind, failure.field.as_deref()),
            (FailureKind::Invalid, Some("nextAt")),
            "{name}"
        );
        assert_eq!(app.call("d", json!({ "id": "a" }))["status"], "pending", "{name}");
    }
    let database = Database::new();
    let failure = app(&database).fails("mk", json!({ "id": "a", "status": "retrying" }));
    assert_eq!(failure.field.as_deref(), Some("nextAt"));
}

#[test]
fn what_is_there_already_is_enough() {
    let database = Database::new();
    let app = app(&database);
    app.call("mk", json!({ "id": "a" }));
    app.call("retry", json!({ "id": "a", "nextAt": 5 }));
    assert_eq!(app.call("again", json!({ "id": "a" }))["nextAt"], 5);
}

#[test]
fn what_is_required_cannot_be_taken_away() {
    let database = Database::new();
    let app = app(&database);
    app.call("mk", json!({ "id": "a" }));
    app.call("schedule", json!({ "id": "a" }));
    app.call("retry", json!({ "id": "a", "nextAt": 5 }));
    let failure = app.fails("schedule", json!({ "id": "a" }));
    assert_eq!((failure.kind, failure.field.as_deref()), (FailureKind::Invalid, Some("nextAt")));
    assert_eq!(app.call("schedule", json!({ "id": "a", "at": 9 }))["nextAt"], 9);
    assert_eq!(app.call("enter", json!({ "id": "a", "status": "done" })).get("nextAt"), None);
}

#[test]
fn a_default_is_stored_when_the_state_is_entered() {
    let database = Database::new();
    let app = app(&database);
    app.call("mk", json!({ "id": "a" }));
    let stored = |name: &str| database.get("dss", json!({ "id": "a" })).unwrap().get(name).cloned();
    assert_eq!(stored("tries"), None);
    app.call("enter", json!({ "id": "a", "status": "failed" }));
    assert_eq!(stored("tries"), Some(json!(1)));
    // Optional parameters are not asked for.
    assert_eq!(app.call("d", json!({ "id": "a" })).get("why"), None::<&Json>);
}
