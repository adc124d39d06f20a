// F-11: after an attribute with a default was added, older items came back without it, and updates that read first failed for ever.

use serde_json::json;

use crate::support::{App, DEFAULTS, Database};

const KEY: &str = r#"{ "PK": "THING#t1", "SK": "THING" }"#;

fn things(more: &str) -> String {
    format!(
        r#"design shop
        {DEFAULTS}
        table Things "things" {{
          key (PK | SK)
          index ByOwner (ownerKey | SK) project all
          index Slim (slimKey | SK) project [label, color]
        }}
        entity Thing in Things {{
          PK = "THING#{{id}}"  SK = "THING"
          ownerKey = "OWNER#{{owner:escape}}#{{kind}}"
          slimKey  = "SLIM#{{owner:escape}}"
          id    slug
          owner string(1..40) @normalize(trim)
          kind  string(1..40) @normalize(trim)
          label string(1..40)
          size  {{ wide int = 1 }}
          {more}
        }}
        entity Other in Things {{ PK = "OTHER#{{id}}"  SK = "OTHER"  id slug }}
        system pattern thing = get Thing by id
        system pattern ofOwner = list Thing by owner, kind page 10
        system operation make = create Thing
        system operation setKind = update Thing [kind]
        system operation setLabel = update Thing [label]
        "#
    )
}

const MORE: &str = r#"
          color  red | blue = red
          price  int(0..10) = 9
          limit  int(0..10) = 8
          shade  string(1..80) = concat("dark ", label)
          short  string(1..40) := first(owner, 1)
          seenAt time(ms) = now @immutable
"#;

const USES: &str = r#"
        system pattern reds = list Thing by owner, kind filter color = red page 10
        system pattern blues = list Thing by owner, kind filter color != red page 10
        system pattern slim = list Thing by owner via Slim select [label, color] page 10
        system operation paint(id, color) { update Thing(id) { color } }
        system operation ifRed(id) { update Thing(id) if color = red else NotRed { label: "was red" } }
        system operation ifNotRed(id) { update Thing(id) if color != red else WasRed { label: "was not red" } }
        system operation ifNot(id) { update Thing(id) if not color = red else WasRed { label: "was not red" } }
        system operation ifDearer(id) { update Thing(id) if price > limit else Cheap { label: "dear" } }
        system operation ifCheaper(id) { update Thing(id) if price <= limit else Dear { label: "cheap" } }
        system operation ifPainted(id) { update Thing(id) if color exists else Unpainted { label: "painted" } }
        system operation dearer(id) { update Thing(id) { price += 1 } }
        system operation cheaper(id) { update Thing(id) { price -= 1 } }
        system operation setPrice(id, price) { update Thing(id) { price } }
        system operation paintedLabel(id) { update Thing(id) { label: color } }
        system operation dropRed(id) { delete Thing(id) if color = red else NotRed }
"#;

fn old_item() -> (Database, App) {
    let database = Database::new();
    let before = database.up(&things(""));
    let thing = json!({ "id": "t1", "owner": "ada", "kind": "k", "label": "l", "size": { "wide": 2 } });
    before.call("make", thing);
    let after = things(MORE).replace("wide int = 1", "wide int = 1, high int = 3");
    let after = database.up(&format!("{after}{USES}"));
    (database, after)
}

#[test]
fn older_items_read_as_having_the_default() {
    let (_, app) = old_item();
    let whole = json!({
        "id": "t1", "owner": "ada", "kind": "k", "label": "l", "color": "red", "price": 9, "limit": 8,
        "shade": "dark l", "short": "a", "size": { "wide": 2, "high": 3 },
    });
    let of = json!({ "owner": "ada", "kind": "k" });
    assert_eq!(app.call("thing", json!({ "id": "t1" })), whole);
    assert_eq!(app.call("ofOwner", of.clone()), json!([whole]));
    assert_eq!(app.call("reds", of.clone()), json!([whole]));
    assert_eq!(app.call("blues", of), json!([]));
    assert_eq!(app.call("slim", json!({ "owner": "ada" })), json!([{ "label": "l", "color": "red" }]));
}

#[test]
fn older_items_can_be_updated() {
    let (database, app) = old_item();
    // The label needs no read; the kind is part of an index key and does.
    assert_eq!(app.call("setLabel", json!({ "id": "t1", "label": "m" }))["color"], "red");
    let moved = app.call("setKind", json!({ "id": "t1", "kind": "k2" }));
    assert_eq!((&moved["kind"], &moved["color"]), (&json!("k2"), &json!("red")));
    // Values that depend on the moment are filled by the first write that reads.
    assert_eq!(moved["seenAt"], 1_767_225_600_000_i64);
    let key = serde_json::from_str(KEY).expect("a key");
    assert_eq!(database.get("things", key).expect("there")["ownerKey"], "OWNER#ada#k2");
    assert_eq!(app.call("paintedLabel", json!({ "id": "t1" }))["label"], "red");
    app.call("paint", json!({ "id": "t1", "color": "blue" }));
    assert_eq!(app.call("thing", json!({ "id": "t1" }))["color"], "blue");
}

#[test]
fn conditions_see_the_default() {
    let (_, app) = old_item();
    let id = || json!({ "id": "t1" });
    assert_eq!(app.fails("ifNotRed", id()).kind.name(), "WasRed");
    assert_eq!(app.fails("ifNot", id()).kind.name(), "WasRed");
    assert_eq!(app.fails("ifCheaper", id()).kind.name(), "Dear");
    assert_eq!(app.call("ifDearer", id())["label"], "dear");
    assert_eq!(app.call("ifPainted", id())["label"], "painted");
    assert_eq!(app.call("ifRed", id())["label"], "was red");
    app.call("setPrice", json!({ "id": "t1", "price": 8 }));
    assert_eq!(app.fails("ifDearer", id()).kind.name(), "Cheap");
    assert_eq!(app.call("ifCheaper", id())["label"], "cheap");
    app.call("paint", json!({ "id": "t1", "color": "blue" }));
    assert_eq!(app.fails("ifRed", id()).kind.name(), "NotRed");
    assert_eq!(app.call("ifNot", id())["label"], "was not red");
    assert_eq!(app.fails("dropRed", id()).kind.name(), "NotRed");
    app.call("paint", json!({ "id": "t1", "color": "red" }));
    app.call("dropRed", id());
}

#[test]
fn counting_starts_at_the_default() {
    let (_, app) = old_item();
    assert_eq!(app.call("cheaper", json!({ "id": "t1" }))["price"], 8);
    let (_, app) = old_item();
    assert_eq!(app.call("dearer", json!({ "id": "t1" }))["price"], 10);
    assert_eq!(app.fails("dearer", json!({ "id": "t1" })).kind.name(), "CheckFailed");
}

#[test]
fn an_attribute_that_may_be_absent_stays_absent() {
    let database = Database::new();
    let text = things("note? string(1..9) = \"new\"");
    let text = format!("{text} system operation clear(id) {{ update Thing(id) {{ note: absent }} }}");
    let app = database.up(&text);
    let thing = json!({ "id": "t1", "owner": "ada", "kind": "k", "label": "l", "size": {} });
    assert_eq!(app.call("make", thing)["note"], "new");
    app.call("clear", json!({ "id": "t1" }));
    assert_eq!(app.call("setKind", json!({ "id": "t1", "kind": "k2" })).get("note"), None);
    assert_eq!(app.call("thing", json!({ "id": "t1" })).get("note"), None);
}
