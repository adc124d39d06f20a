// An update that reads its item first made a new transient key, so that what is derived from the key changed: whoever had the
// first one could no longer be found by it. The plan of a system and its requests disagreed about a guard, which showed it.

use serde_json::json;

use crate::support::{DEFAULTS, Database};

fn design() -> String {
    format!(
        r#"design keys
        {DEFAULTS}
        table Keys "keys" {{ key (id) }}
        entity Key in Keys {{
          id    slug
          key   token("ck_", 43) = new @transient @secret
          hash  string(64) := sha256(key) @immutable
          plain string(..20) = "fixed" @transient
          kept  string(64) := sha256(plain)
          name  string(1..50)
          note? string(1..50)
          unique hash
        }}
        system pattern byKey(key: string(1..100)) = get Key by hash = sha256(key) strong
        system operation make = create Key
        system operation list(id, name) {{ update Key(id) {{ name }} }}
        system operation read(id, name?) {{ update Key(id) {{ name: coalesce(name, it.name) }} }}
        system operation both(id, name?) {{ transact {{ let k = update Key(id) {{ name: coalesce(name, it.name), note: "x" }} }} return k }}
        system operation held(id, name) {{ update Key(id) if note absent or note = "x" {{ name }} }}
        system operation over(id, name) {{ upsert Key(id) {{ name }} }}"#
    )
}

#[test]
fn no_write_replaces_what_a_transient_key_left_behind() {
    let app = Database::new().up(&design());
    let made = app.call("make", json!({ "id": "a", "name": "n" }));
    let (key, kept) = (made["key"].clone(), made["kept"].clone());
    for name in ["list", "read", "both", "held", "over"] {
        app.call(name, json!({ "id": "a", "name": name }));
        let found = app.call("byKey", json!({ "key": key }));
        assert_eq!((&found["id"], &found["name"]), (&json!("a"), &json!(name)), "after {name}");
        assert_eq!(found["kept"], kept, "after {name}");
    }
}
