// F-37: a renamed table began empty, a renamed enum value and a narrower type started silently, another design took tables over.

use serde_json::json;

use crate::support::{DEFAULTS, Database};

fn shop() -> String {
    format!(
        r#"design shop
        {DEFAULTS}
        table Orders "orders" {{ key (PK | SK) }}
        table Others "others" {{ key (id) }}
        entity Order in Orders {{
          PK = "U#{{userId}}"  SK = "O#{{orderId}}"
          userId  slug
          orderId slug
          status  open | closed = open
          total   int(0..1_000) = 0
          label   string(1..40) = "none"
          note?   string(1..80)
          tags    list(string(1..9), max 3) = []
        }}
        entity Other in Others {{ id slug }}
        system operation place = create Order
        system pattern orders = list Order by userId page 10"#
    )
}

fn changed(from: &str, to: &str) -> String {
    let text = shop();
    assert!(text.contains(from), "{from}");
    text.replace(from, to)
}

fn with_an_order() -> Database {
    let database = Database::new();
    let app = database.up(&shop());
    let order =
        json!({ "userId": "ada", "orderId": "1", "total": 500, "label": "a long label", "tags": ["a", "b"] });
    app.call("place", order);
    database
}

#[test]
fn a_renamed_table_does_not_begin_empty() {
    for text in [
        changed("table Orders \"orders\"", "table Orders \"purchases\""),
        changed("Orders", "Purchases").replace("\"orders\"", "\"purchases\""),
    ] {
        let database = with_an_order();
        let refused = database.try_up(&text).err().unwrap_or_default();
        assert_eq!(refused.len(), 1, "{refused:?}");
        for part in [
            "\"purchases\" would begin empty",
            "\"orders\" of this design has items",
            "call it \"orders\" again",
        ] {
            assert!(refused[0].contains(part), "{refused:?}");
        }
        assert!(database.engine.now_ms() > 0);
        // The old one is as it was, and the new one was not made.
        assert_eq!(
            database.up(&shop()).call("orders", json!({ "userId": "ada" })).as_array().map(Vec::len),
            Some(1)
        );
    }
    // A table without items may be called anything.
    let database = with_an_order();
    database.up(&changed("\"others\"", "\"strangers\""));
}

#[test]
fn what_allows_less_than_the_items_that_are_there_is_refused() {
    for (from, to, part) in [
        ("status  open | closed = open", "status  pending | closed = pending", "Order.status"),
        ("total   int(0..1_000) = 0", "total   int(0..100) = 0", "Order.total"),
        ("label   string(1..40)", "label   string(1..4)", "Order.label"),
        ("note?   string(1..80)", "note    string(1..80)", "Order.note"),
        ("list(string(1..9), max 3)", "list(string(1..9), max 1)", "Order.tags"),
        ("note?   string(1..80)", "note?   string(1..80)\n color string(1..9)", "Order.color"),
    ] {
        let database = with_an_order();
        let refused = database.try_up(&changed(from, to)).err().unwrap_or_default();
        assert_eq!(refused.len(), 1, "{to}: {refused:?}");
        for part in [part, "PK = \"U#ada\"", "SK = \"O#1\""] {
            assert!(refused[0].contains(part), "{to}: {refused:?}");
        }
        // Nothing was remembered of what was refused.
        database.up(&shop());
    }
}

#[test]
fn what_no_item_contradicts_is_let_through() {
    for (from, to) in [
        ("status  open | closed = open", "status  open | pending = open"),
        ("status  open | closed = open", "status  open | closed | lost = open"),
        ("total   int(0..1_000) = 0", "total   int(0..600) = 0"),
        ("label   string(1..40)", "label   string(1..20)"),
        ("note?   string(1..80)", "note    string(1..80) = \"-\""),
        ("note?   string(1..80)", "note?   string(1..80)\n color string(1..9) = \"red\""),
    ] {
        with_an_order().up(&changed(from, to));
        // And from there on it is what counts.
    }
}

#[test]
fn another_design_does_not_take_tables_over() {
    let database = with_an_order();
    let refused = database.try_up(&changed("design shop", "design store")).err().unwrap_or_default();
    assert!(!refused.is_empty());
    assert!(refused[0].contains("\"orders\" belongs to another design"), "{refused:?}");
    assert!(refused[0].contains("of the design `shop`"), "{refused:?}");
    database.up(&shop());
}
