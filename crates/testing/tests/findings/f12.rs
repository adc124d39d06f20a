// F-12: `@was(old)` had no effect: values disappeared from answers, and updates failed. Without it, they disappeared silently.

use serde_json::json;

use crate::support::{DEFAULTS, Database};

fn notes(attributes: &str, more: &str) -> String {
    format!(
        r#"design notes
        {DEFAULTS}
        table Notes "notes" {{ key (PK | SK)  index ByTag (tagKey | SK) }}
        entity Note in Notes {{
          PK = "N#{{id}}"  SK = "N"
          {attributes}
        }}
        entity Other in Notes {{ PK = "O#{{id}}"  SK = "O"  id slug  tag string(1..9) }}
        system operation write = create Note
        system operation other = create Other
        system pattern note = get Note by id
        {more}"#
    )
}

fn before() -> String {
    notes(
        r#"tagKey = "T#{tag}"  id slug  tag string(1..9)  text? string(1..80)  kind plain | loud = plain"#,
        "system pattern tagged = list Note by tag page 10",
    )
}

fn after() -> String {
    notes(
        r#"tagKey = "T#{label}"  id slug  label string(1..9) @was(tag)  words? string(1..80) @was(text)
           kind plain | loud = plain"#,
        "system pattern tagged = list Note by label page 10
         system pattern hellos = list Note by label filter words = \"hello\" page 10
         system operation setLabel(id, label) { update Note(id) { label } }
         system operation shout(id) { update Note(id) if words = \"hello\" else Quiet { kind: loud } }",
    )
}

fn with_notes() -> Database {
    let database = Database::new();
    let app = database.up(&before());
    app.call("write", json!({ "id": "a", "tag": "red", "text": "hello" }));
    app.call("write", json!({ "id": "b", "tag": "red" }));
    app.call("other", json!({ "id": "a", "tag": "mine" }));
    database
}

#[test]
fn a_renamed_attribute_keeps_its_values() {
    let database = with_notes();
    let app = database.up(&after());
    let a = json!({ "id": "a", "label": "red", "words": "hello", "kind": "plain" });
    let b = json!({ "id": "b", "label": "red", "kind": "plain" });
    assert_eq!(app.call("note", json!({ "id": "a" })), a);
    assert_eq!(app.call("tagged", json!({ "label": "red" })), json!([a, b]));
    assert_eq!(app.call("hellos", json!({ "label": "red" })), json!([a]));
    assert_eq!(app.call("shout", json!({ "id": "a" }))["kind"], "loud");
    assert_eq!(app.fails("shout", json!({ "id": "b" })).kind.name(), "Quiet");
    assert_eq!(app.call("setLabel", json!({ "id": "a", "label": "blue" }))["words"], "hello");
    assert_eq!(app.call("tagged", json!({ "label": "blue" })).as_array().map(Vec::len), Some(1));
    // The old names are gone, and another entity with an attribute of that name keeps it.
    let stored = database.get("notes", json!({ "PK": "N#a", "SK": "N" })).expect("it is there");
    assert_eq!((stored.get("tag"), stored.get("text"), &stored["tagKey"]), (None, None, &json!("T#blue")));
    let other = database.get("notes", json!({ "PK": "O#a", "SK": "O" })).expect("it is there");
    assert_eq!(other["tag"], "mine");
}

#[test]
fn a_rename_without_a_word_is_refused_while_items_have_the_value() {
    let database = with_notes();
    let refused = database.try_up(&after().replace(" @was(text)", "")).err().unwrap_or_default();
    assert_eq!(refused.len(), 1, "{refused:?}");
    for part in ["`Note.text` is gone from the design", "PK = \"N#a\"", "`@was(...)`", "--keep-removed"] {
        assert!(refused[0].contains(part), "{refused:?}");
    }
    // Nothing was changed.
    assert_eq!(database.up(&before()).call("note", json!({ "id": "a" }))["text"], "hello");
}

#[test]
fn a_new_attribute_does_not_take_the_old_name_at_once() {
    let database = with_notes();
    let refused = database.try_up(&after().replace("id slug  label", "id slug  tag? string(1..9)  label"));
    let refused = refused.err().unwrap_or_default();
    assert!(refused.len() == 1 && refused[0].contains("Deploy the rename first"), "{refused:?}");
}
