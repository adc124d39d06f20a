//! Answers with items of several entities, and the document that describes them.

mod support;

use serde_json::json;
use sortkey_design::{NoFiles, compile};
use sortkey_gateway::{Admission, document};
use support::{Api, runtime_of};

const DESIGN: &str = r#"
table Things "things" { key (PK | SK) }
entity A in Things { PK = "R#{r}"  SK = "A#{a}"  r slug  a slug  tags set(string(1..9), max 5) = ["new"] }
entity B in Things { PK = "R#{r}"  SK = "B#{b}"  r slug  b slug }
pattern everything = collect A, B by r page 50
pattern a = get A by r, a
operation addA = create A
operation addB = create B
"#;

// F-25: the items of `collect` did not say which entity they are, and a set that may be absent was required.
#[test]
fn collected_items_say_which_entity_they_are() {
    let design = compile("things.sk", DESIGN, &NoFiles).design;
    let document = document(&runtime_of(design.clone()));
    let api = Api::on(runtime_of(design), Admission::Open);
    assert_eq!(api.post("/api/addA", &[], &json!({ "r": "x", "a": "one" })).status, 200);
    assert_eq!(api.post("/api/addB", &[], &json!({ "r": "x", "b": "two" })).status, 200);
    let got = api.get("/api/everything?r=x", &[]).json();
    assert_eq!(
        got["items"],
        json!([{ "$entity": "A", "r": "x", "a": "one", "tags": ["new"] }, { "$entity": "B", "r": "x", "b": "two" }])
    );
    let plain = api.get("/api/a?r=x&a=one", &[]).json();
    assert_eq!(plain, json!({ "r": "x", "a": "one", "tags": ["new"] }));

    let answer =
        "/paths/~1api~1everything/get/responses/200/content/application~1json/schema/properties/items/items";
    assert_eq!(
        document.pointer(answer),
        Some(&json!({
            "oneOf": [
                { "$ref": "#/components/schemas/A.collected" },
                { "$ref": "#/components/schemas/B.collected" },
            ],
            "discriminator": {
                "propertyName": "$entity",
                "mapping": {
                    "A": "#/components/schemas/A.collected",
                    "B": "#/components/schemas/B.collected",
                },
            },
        }))
    );
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["A"]["required"], json!(["r", "a"]));
    assert_eq!(schemas["A.collected"]["allOf"][1]["required"], json!(["$entity"]));
}
