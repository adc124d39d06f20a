// F-23: `percentage`, an int(0..100) that is computed on reading, was 160.

use serde_json::json;
use sortkey_core::FailureKind;

use crate::support::{App, DEFAULTS, Database};

fn app(database: &Database) -> App {
    database.up(&format!(
        r#"design f23
        {DEFAULTS}
        table Cs "css" {{ key (id) }}
        entity C in Cs {{ id slug  sold int  of int  percentage int(0..100) := sold * 100 / of @virtual }}
        pattern c = get C by id strong
        pattern cs = scan C page 10
        operation mk = create C
        operation sell(id, sold) {{ update C(id) {{ sold }} }}"#
    ))
}

#[test]
fn a_computed_value_is_of_its_type_or_left_out() {
    let database = Database::new();
    let app = app(&database);
    assert_eq!(app.call("mk", json!({ "id": "a", "sold": 4, "of": 5 }))["percentage"], 80);
    let failure = app.fails("mk", json!({ "id": "b", "sold": 8, "of": 5 }));
    assert_eq!((failure.kind, failure.field.as_deref()), (FailureKind::CheckFailed, Some("percentage")));
    assert_eq!(app.call("c", json!({ "id": "b" })), json!(null));
    // A value that no longer has its type is left out; everything else of the item can be read.
    assert_eq!(app.call("sell", json!({ "id": "a", "sold": 8 })).get("percentage"), None);
    assert_eq!(app.call("c", json!({ "id": "a" })), json!({ "id": "a", "sold": 8, "of": 5 }));
    assert_eq!(app.call("cs", json!({})), json!([{ "id": "a", "sold": 8, "of": 5 }]));
}
