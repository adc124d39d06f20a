// F-13: a new computed index key was never filled for old items, so a pattern over the index lost them for ever.

use serde_json::json;

use crate::support::{DEFAULTS, Database};

fn orders(index: &str, attributes: &str, patterns: &str) -> String {
    format!(
        r#"design shop
        {DEFAULTS}
        table Orders "orders" {{ key (PK | SK)  {index} }}
        entity Order in Orders {{
          PK = "U#{{userId}}"  SK = "O#{{orderId}}"
          userId  slug
          orderId slug
          status  open | closed = open
          {attributes}
        }}
        system operation place = create Order
        system operation close(userId, orderId) {{ update Order(userId, orderId) {{ status: closed }} }}
        system pattern orders = list Order by userId page 100
        {patterns}"#
    )
}

#[test]
fn old_items_are_found_over_a_new_computed_key() {
    let database = Database::new();
    let app = database.up(&orders("", "", ""));
    for at in 0..60 {
        app.call("place", json!({ "userId": "ada", "orderId": format!("o{at}") }));
    }
    for at in 0..20 {
        app.call("close", json!({ "userId": "ada", "orderId": format!("o{at}") }));
    }
    let app = database.up(&orders(
        "index Open (openKey | SK)",
        "openKey = \"OPEN#{userId}\" when status = open",
        "system pattern open = list Order by userId where status = open via Open page 100",
    ));
    let open = app.call("open", json!({ "userId": "ada" }));
    assert_eq!(open.as_array().map(Vec::len), Some(40));
    app.call("close", json!({ "userId": "ada", "orderId": "o30" }));
    assert_eq!(app.call("open", json!({ "userId": "ada" })).as_array().map(Vec::len), Some(39));
}

#[test]
fn a_default_that_an_index_is_made_of_is_stored() {
    let database = Database::new();
    let app = database.up(&orders("", "", ""));
    app.call("place", json!({ "userId": "ada", "orderId": "o1" }));
    // First the attribute alone, which old items read as having; then an index over it.
    let color = "color red | blue = red";
    assert_eq!(
        database.up(&orders("", color, "")).call("orders", json!({ "userId": "ada" }))[0]["color"],
        "red"
    );
    let pattern = "system pattern ofColor = list Order by color page 10";
    let app = database.up(&orders("index ByColor (color | SK)", color, pattern));
    let found = app.call("ofColor", json!({ "color": "red" }));
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
}
