// F-07: the repeat of an idempotent call answered with something else than the first call: with the item as it was by then,
// with nothing, or with another one's secret.

use serde_json::{Value as Json, json};

use crate::support::{App, DEFAULTS, Database};

fn app(database: &Database) -> App {
    database.up(&format!(
        r#"design repeats
        {DEFAULTS}
        caller {{ account slug }}
        table Ns "nss" {{ key (account | id) }}
        entity N in Ns {{
          account slug  id ulid = new  word string(1..20)  n int(0..) = 0  at time(ms) = now  tags? set(string(1..9), max 9)
          price decimal(9, 2) = 1.5  secret? string(1..20) @secret  version int = 1 @version
          tenant account
        }}
        pattern ns = list N by account page 10
        operation make(word) idempotent by request {{ create N {{ word }} }}
        operation edit(id, word) idempotent by request {{ update N(id) {{ word }} }}
        operation bump(id) idempotent by request {{ upsert N(id) {{ n += 1, word: "bumped" }} }}
        operation drop(id) idempotent by request {{ delete N(id) }}
        operation both(id) idempotent by request {{
          transact {{ let a = update N(id) {{ n += 1 }}  create N {{ word: "beside" }} }}
          return {{ n: a.n, at: a.at, price: a.price }}
        }}
        operation when2(id) idempotent by request {{ let a = update N(id) {{ n += 5 }}  return a.at }}
        operation list2(id) idempotent by request {{ let a = update N(id) {{ n += 1 }}  return [a, a] }}
        operation free(id, word) {{ update N(id) {{ word }} }}
        operation purge2(id) {{ purge N(id) }}"#
    ))
    .caller(json!({ "account": "one" }))
}

/// Calls twice with something between, and compares.
fn twice(app: &App, name: &str, mut arguments: Json, between: &dyn Fn(&Json)) {
    arguments["request"] = json!(format!("r-{name}"));
    let first = app.call(name, arguments.clone());
    between(&first);
    assert_eq!(app.call(name, arguments), first, "{name}");
}

#[test]
fn a_repeat_answers_what_the_first_call_answered() {
    let database = Database::new();
    let app = app(&database);
    let change = |id: &Json| drop(app.call("free", json!({ "id": id, "word": "changed" })));
    let one = app.call("make", json!({ "word": "one" }))["id"].clone();
    twice(&app, "make", json!({ "word": "two" }), &|first| change(&first["id"]));
    for name in ["bump", "both", "when2", "list2"] {
        twice(&app, name, json!({ "id": one }), &|_| change(&one));
    }
    twice(&app, "edit", json!({ "id": one, "word": "edited" }), &|_| {
        database.advance_ms(1_000);
        change(&one);
    });
    twice(&app, "drop", json!({ "id": one }), &|_| {});
    // The item is gone by then.
    let request = json!({ "word": "four", "request": "gone" });
    let first = app.call("make", request.clone());
    app.call("purge2", json!({ "id": first["id"] }));
    assert_eq!(app.call("make", request), first);
}
