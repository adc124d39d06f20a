// F-27: an empty string in a key or index attribute, and `any` nested too deep, were internal errors.

use serde_json::{Value as Json, json};
use sortkey_core::FailureKind;

use crate::support::{App, DEFAULTS, Database};

fn app(database: &Database) -> App {
    database.up(&format!(
        r#"design f27
        {DEFAULTS}
        table Ns "nss" {{ key (id)  index ByTag (tag) project all  index ByTopic (topicKey) project all }}
        entity N in Ns {{
          id string(0..20)  tag? string(0..20)  topic? string(0..20)  data? any
          topicKey = "{{topic}}"
        }}
        pattern n = get N by id strong
        pattern tagged = list N by tag via ByTag page 10
        pattern about = list N by topic page 10
        operation mk = create N
        operation retag(id, tag?) {{ update N(id) {{ tag }} }}
        operation save(id, tag?) {{ upsert N(id) {{ tag }} }}
        operation both(id, tag?) {{ transact {{ update N(id) {{ tag }}  create N {{ id: "other", tag }} }} }}
        operation fill(id, data?) {{ update N(id) {{ data }} }}"#
    ))
}

fn nested(levels: usize) -> Json {
    (0..levels).fold(json!(1), |inner, _| json!([inner]))
}

#[test]
fn the_error_is_the_caller_s_and_names_the_field() {
    let database = Database::new();
    let app = app(&database);
    app.call("mk", json!({ "id": "a", "tag": "t", "data": nested(30) }));
    for (name, arguments, field) in [
        ("mk", json!({ "id": "" }), "id"),
        ("mk", json!({ "id": "b", "tag": "" }), "tag"),
        ("retag", json!({ "id": "a", "tag": "" }), "tag"),
        ("save", json!({ "id": "a", "tag": "" }), "tag"),
        ("both", json!({ "id": "a", "tag": "" }), "tag"),
        ("mk", json!({ "id": "b", "data": nested(60) }), "data"),
        ("fill", json!({ "id": "a", "data": nested(60) }), "data"),
    ] {
        let failure = app.fails(name, arguments);
        assert_eq!(
            (&failure.kind, failure.field.as_deref()),
            (&FailureKind::Invalid, Some(field)),
            "{name}: {failure}"
        );
    }
    // However deep it is by then, it is never an internal error.
    for levels in 28..40 {
        if let Err(failure) = app.try_call("fill", json!({ "id": "a", "data": nested(levels) })) {
            assert_eq!(failure.kind, FailureKind::Invalid, "{levels}");
        }
    }
    for name in ["n", "tagged", "about"] {
        let argument = match name {
            "n" => "id",
            "tagged" => "tag",
            _ => "topic",
        };
        if let Err(failure) = app.try_call(name, json!({ argument: "" })) {
            assert_eq!(failure.kind, FailureKind::Invalid, "{name}: {failure}");
        }
    }
}
