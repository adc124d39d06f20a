// F-07: an upsert inside a transaction answered with values that were not stored: version 1, 1, 1 while 1, 2, 3 were.

use serde_json::json;

use crate::support::{DEFAULTS, Database};

fn design() -> String {
    format!(
        r#"design f07
        {DEFAULTS}
        table Cs "css" {{ key (id) }}
        entity C in Cs {{
          id slug  n int(0..) = 0  note string(1..9) = "new"
          version int = 1 @version  createdAt time(ms) = now @immutable
          unique note when note != "new"
        }}
        entity D in Ds {{ id slug  n? int }}
        table Ds "dss" {{ key (id) }}
        pattern c = get C by id strong
        pattern d = get D by id strong
        operation save(id) {{ transact {{ let x = upsert C(id) {{ n += 1 }} }}  return x }}
        operation both(id) {{ transact {{ upsert C(id) {{ n += 1 }}  put D {{ id }} }} }}
        operation once(id) idempotent by requestId {{ upsert C(id) {{ n += 1 }} }}
        operation onceUpdated(id) idempotent by requestId {{ let x = update C(id) {{ n += 1 }}  return x }}
        operation rename(id, note) {{ update C(id) {{ note, n += 1 }} }}
        operation twice(id) {{
          transact {{ let x = upsert C(id) {{ n += 1 }} }}
          update C(id) {{ n += 1 }}
        }}
        operation copied(id) {{ transact {{ let x = upsert C(id) {{ n += 1 }}  put D {{ id, n: x.n }} }} }}"#
    )
}

#[test]
fn the_answer_is_what_is_stored() {
    for (name, arguments) in [
        ("save", json!({ "id": "a" })),
        ("both", json!({ "id": "a" })),
        ("once", json!({ "id": "a" })),
        ("onceUpdated", json!({ "id": "a", "requestId": "r2" })),
        ("rename", json!({ "id": "a", "note": "x" })),
        ("twice", json!({ "id": "a" })),
    ] {
        let database = Database::new();
        let app = database.up(&design());
        let first = app.call("save", json!({ "id": "a" }));
        assert_eq!(first, app.call("c", json!({ "id": "a" })));
        database.advance_ms(3_600_000);
        let answer = app.call(name, arguments.clone());
        assert_eq!(answer, app.call("c", json!({ "id": "a" })), "{name}");
        assert_eq!(answer["createdAt"], first["createdAt"], "{name}");
    }
}

#[test]
fn a_repeat_answers_as_the_first_call_did() {
    let database = Database::new();
    let app = database.up(&design());
    app.call("save", json!({ "id": "a" }));
    let first = app.call("once", json!({ "id": "a", "requestId": "r" }));
    assert_eq!(first["n"], 2);
    assert_eq!(app.call("once", json!({ "id": "a", "requestId": "r" })), first);
}

#[test]
fn what_is_not_known_before_is_not_made_up_inside_the_transaction() {
    let database = Database::new();
    let app = database.up(&design());
    app.call("save", json!({ "id": "a" }));
    app.call("copied", json!({ "id": "a" }));
    assert_eq!(app.call("d", json!({ "id": "a" })).get("n"), None);
}
