// Plan and runtime derived the keys of a read twice, and differed: the plan was right, and the runtime sent
// something else.

use serde_json::{Value as Json, json};

use crate::support::{App, DEFAULTS, Database};

fn app(design: &str) -> App {
    Database::new().up(&format!("design paths\n{DEFAULTS}{design}"))
}

/// One attribute of every item of a page, sorted.
fn column(page: &Json, name: &str) -> Vec<String> {
    let items = page.as_array().expect("a page");
    let mut values: Vec<String> = items.iter().map(|item| item[name].to_string()).collect();
    values.sort();
    values
}

#[test]
fn a_collection_of_several_parents_has_their_children() {
    let app = app(r#"
        table Shop "shop" { key (PK | SK) }
        entity Parent in Shop { PK = "P#{parentId}"  SK = "PARENT"  parentId slug  name string(1..9) }
        entity Child in Shop { PK = "P#{parentId}"  SK = "CHILD#{n:pad(2)}"  parentId slug  n int(0..99)  name string(1..9) }
        pattern families(ids: list(slug, max 9)) = collect Parent, Child by parentId in ids page 50
        operation newParent = create Parent
        operation newChild = create Child"#);
    for parent in ["a", "b", "c"] {
        app.call("newParent", json!({"parentId": parent, "name": parent}));
        app.call("newChild", json!({"parentId": parent, "n": 1, "name": format!("{parent}1")}));
    }
    let found = app.call("families", json!({"ids": ["a", "b"]}));
    assert_eq!(column(&found, "name"), ["\"a\"", "\"a1\"", "\"b\"", "\"b1\""]);
}

const EVENTS: &str = r#"
    table Events "events" { key (PK | SK)  index Days (GPK | GSK) project keys }
    entity Event in Events {
      PK = "E#{eventId}"  SK = "EVENT"
      GPK = "KIND#{kind}"  GSK = "{at:date}#{eventId}"
      eventId slug  kind slug  at time(iso)  note string(1..9)
    }
    operation newEvent = create Event
    pattern at = list Event by kind, at page 50
    pattern since(kind, from: time) = count Event by kind where at >= from
    pattern anySince(kind, from: time) = exists Event by kind where at >= from
    pattern between(kind, low: string(1..40), high: string(1..40)) = count Event by kind where GSK > low and GSK < high
"#;

#[test]
fn a_day_in_a_key_does_not_say_which_time_of_the_day() {
    let app = app(EVENTS);
    for (id, at) in
        [("a", "2026-03-01T08:00:00Z"), ("b", "2026-03-02T08:00:00Z"), ("c", "2026-03-02T20:00:00Z")]
    {
        app.call("newEvent", json!({"eventId": id, "kind": "k", "at": at, "note": id}));
    }
    // A question about a time is asked with that time, not with its day.
    let asked = json!({"kind": "k", "at": "2026-03-02T20:00:00.000Z"});
    assert_eq!(column(&app.call("at", asked), "eventId"), ["\"c\""]);
    for (from, count) in [
        ("2026-02-01T00:00:00Z", 3),
        ("2026-03-01T09:00:00Z", 2),
        ("2026-03-02T09:00:00Z", 1),
        ("2026-03-02T21:00:00Z", 0),
    ] {
        let asked = json!({"kind": "k", "from": from});
        assert_eq!(app.call("since", asked.clone()), json!(count), "{from}");
        assert_eq!(app.call("anySince", asked), json!(count > 0), "{from}");
    }
}

#[test]
fn the_ends_of_a_range_of_texts_are_left_out_where_an_index_holds_keys_alone() {
    let app = app(EVENTS);
    for id in ["a", "b", "c"] {
        app.call("newEvent", json!({"eventId": id, "kind": "k", "at": "2026-03-01T08:00:00Z", "note": id}));
    }
    let asked = json!({"kind": "k", "low": "2026-03-01#a", "high": "2026-03-01#c"});
    assert_eq!(app.call("between", asked), json!(1));
}
