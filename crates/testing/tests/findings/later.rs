// F-11: members and objects that were added later could not be changed: calls failed as conflicts for ever, and numbers
// were counted from 0 instead of from their defaults.

use serde_json::{Value as Json, json};

use crate::support::{App, DEFAULTS, Database};

fn app(database: &Database) -> App {
    database.up(&format!(
        r#"design later
        {DEFAULTS}
        table Ns "nss" {{ key (id) }}
        entity N in Ns {{
          id slug
          stats {{ views int = 5, left int(0..10) = 9, tags? set(string(1..9), max 9), inner {{ deep int = 7 }} = {{}} }} = {{}}
          note? {{ text string(1..20), rank int = 3 }}
          word string(1..20) = "w"
        }}
        pattern n = get N by id strong
        operation mk = create N
        operation view(id)   {{ update N(id) {{ stats.views += 1 }} }}
        operation take(id)   {{ update N(id) {{ stats.left -= 1 }} }}
        operation deep(id)   {{ update N(id) {{ stats.inner.deep += 1 }} }}
        operation set(id)    {{ update N(id) {{ stats.views: 100 }} }}
        operation rank(id)   {{ update N(id) {{ note.rank += 1 }} }}
        operation both(id)   {{ update N(id) {{ stats.views += 1, stats.left -= 2, word: "b" }} }}
        operation viewAll(id) {{ transact {{ update N(id) {{ stats.views += 1 }} }} }}
        operation upView(id) {{ upsert N(id) {{ stats.views += 1 }} }}
        operation upTake(id) {{ upsert N(id) {{ stats.left -= 1 }} }}
        operation upDeep(id) {{ upsert N(id) {{ stats.inner.deep -= 1 }} }}"#
    ))
}

#[test]
fn what_an_item_lacks_counts_from_its_default() {
    let whole = json!({ "views": 5, "left": 9, "inner": { "deep": 7 } });
    for (which, stored) in [
        ("no object", json!({ "id": "a", "word": "w" })),
        ("an empty object", json!({ "id": "a", "word": "w", "stats": {} })),
        ("no member", json!({ "id": "a", "word": "w", "stats": { "inner": {} } })),
        ("everything", json!({ "id": "a", "word": "w", "stats": whole })),
    ] {
        for (name, path, expected) in [
            ("view", "/stats/views", 6),
            ("take", "/stats/left", 8),
            ("deep", "/stats/inner/deep", 8),
            ("set", "/stats/views", 100),
            ("both", "/stats/left", 7),
            ("viewAll", "/stats/views", 6),
            ("upView", "/stats/views", 6),
            ("upTake", "/stats/left", 8),
            ("upDeep", "/stats/inner/deep", 6),
        ] {
            let database = Database::new();
            let app = app(&database);
            database.put("nss", stored.clone());
            let pick = |item: &Json| item.pointer(path).cloned();
            app.try_call(name, json!({ "id": "a" })).unwrap_or_else(|why| panic!("{which}, {name}: {why}"));
            let item = app.call("n", json!({ "id": "a" }));
            assert_eq!(pick(&item), Some(json!(expected)), "{which}, {name}: {item}");
            // Nothing else changed.
            let left = if name == "both" || path.ends_with("left") { json!(null) } else { json!(9) };
            assert!(left.is_null() || item["stats"]["left"] == left, "{which}, {name}: {item}");
        }
    }
}

#[test]
fn an_upsert_makes_the_same_item() {
    let database = Database::new();
    let app = app(&database);
    let whole =
        |views: i64, left: i64, deep: i64| json!({ "views": views, "left": left, "inner": { "deep": deep } });
    for (name, expected) in
        [("upView", whole(6, 9, 7)), ("upTake", whole(5, 8, 7)), ("upDeep", whole(5, 9, 6))]
    {
        app.call(name, json!({ "id": name.to_lowercase() }));
        assert_eq!(app.call("n", json!({ "id": name.to_lowercase() }))["stats"], expected, "{name}");
    }
}
