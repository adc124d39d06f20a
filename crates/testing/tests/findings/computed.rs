// F-23, F-26: values that are computed when they are read: conditions on them were silently false, and one item whose value
// cannot be computed took a whole list with it.

use serde_json::json;

use crate::support::{App, DEFAULTS, Database};

fn app(database: &Database) -> App {
    database.up(&format!(
        r#"design computed
        {DEFAULTS}
        table Ns "nss" {{ key (box | id) }}
        entity N in Ns {{
          box slug  id slug  used int(0..) = 0  most int(0..) = 10  price decimal(9, 2) = 7
          share int(0..100) = used * 100 / most @virtual
          isFull bool = used >= most @virtual
          half decimal(12, 4) = price / 2 @virtual
        }}
        pattern one  = get N by box, id strong
        pattern all  = list N by box page 10
        pattern full = list N by box filter isFull page 10
        pattern open = list N by box filter not isFull page 10
        pattern many = count N by box filter isFull
        pattern heavy = list N by box filter used / most >= 1 page 10
        operation mk = create N
        operation use(box, id) {{ update N(box, id) if not isFull else Full {{ used += 1 }} }}
        operation set(box, id, used) {{ update N(box, id) {{ used }} }}
        operation halve(box, id) {{ update N(box, id) {{ price: price / 2 }} }}
        operation third(a: decimal(9, 2), b: int) {{ return a / b }}"#
    ))
}

#[test]
fn conditions_may_ask_what_is_computed() {
    let database = Database::new();
    let app = app(&database);
    for (id, used) in [("a", 3), ("b", 10)] {
        app.call("mk", json!({ "box": "x", "id": id, "used": used }));
    }
    let ids = |name: &str| {
        let items = app.call(name, json!({ "box": "x" }));
        items.as_array().into_iter().flatten().map(|item| item["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids("full"), ["b"]);
    assert_eq!(ids("open"), ["a"]);
    assert_eq!(app.call("many", json!({ "box": "x" })), json!(1));
    assert_eq!(app.call("use", json!({ "box": "x", "id": "a" }))["used"], 4);
    assert_eq!(app.fails("use", json!({ "box": "x", "id": "b" })).kind.name(), "Full");
}

#[test]
fn an_item_whose_value_cannot_be_computed_stays_readable() {
    let database = Database::new();
    let app = app(&database);
    for (id, used, most) in [("a", 3, 10), ("b", 10, 10), ("c", 3, 0)] {
        app.call("mk", json!({ "box": "x", "id": id, "used": used, "most": most }));
    }
    app.call("set", json!({ "box": "x", "id": "b", "used": 30 }));
    let items = app.call("all", json!({ "box": "x" }));
    let shares: Vec<_> = items.as_array().into_iter().flatten().map(|item| item["share"].clone()).collect();
    assert_eq!(shares, [json!(30), json!(null), json!(null)]);
    assert_eq!(app.call("one", json!({ "box": "x", "id": "b" }))["used"], 30);
    assert_eq!(app.call("one", json!({ "box": "x", "id": "c" }))["used"], 3);
    let heavy = app.call("heavy", json!({ "box": "x" }));
    assert_eq!(heavy.as_array().map(Vec::len), Some(1), "{heavy}");
}

#[test]
fn decimals_divide_as_decimals() {
    let database = Database::new();
    let app = app(&database);
    app.call("mk", json!({ "box": "x", "id": "a" }));
    assert_eq!(app.call("one", json!({ "box": "x", "id": "a" }))["half"], json!(3.5));
    assert_eq!(app.call("halve", json!({ "box": "x", "id": "a" }))["price"], json!(3.5));
    assert_eq!(app.call("third", json!({ "a": 9, "b": 2 })), json!(4.5));
}
