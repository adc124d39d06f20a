//! Answers with items of several entities, and the document that describes them.

use crate::support::{Api, runtime_of};
use serde_json::json;
use sortkey_design::{NoFiles, compile};
use sortkey_gateway::{Admission, document};

const DESIGN: &str = r#"
table Things "things" { key (PK | SK) }
entity A in Things { PK = "R#{r}"  SK = "A#{a}"  r slug  a slug  tags set(string(1..9), max 5) = ["new"] }
entity B in Things { PK = "R#{r}"  SK = "B#{b}"  r slug  b slug }
pattern everything = collect A, B by r page 50
pattern a = get A by r, a
operation addA = create A
operation addB = create B
"#;

// F-25: the items of `collect` did not name their entity, and a set that may be absent was required.
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

// F-25: the document promised every answer all attributes, also where a pattern selects some of them, an operation may have
// nothing to return, or an item is older than an attribute.
#[test]
fn the_document_describes_the_answers_that_are_given() {
    const ANSWERS: &str = r#"
table Things "things" { key (PK | SK) }
entity A in Things {
  PK = "R#{r}"  SK = "A#{a}"  r slug  a slug  n int = 1  at time(iso) = now  until time(iso) = at + 30d  twice int = n * 2
  far int = 0  pin token("p_", 8) = new @secret
}
entity B in Things { PK = "R#{r}"  SK = "B#{b}"  r slug  b slug }
pattern some = list A by r page 5 select [a, pin]
pattern both = collect A, B by r page 5 select [r, a]
pattern sums = sum(n, far) A by r
pattern a = get A by r, a
operation addA = create A
operation maybe(r, b, go: bool) { create B { r, b } when go }
operation found(r, a) { let x = get A(r, a)  return x }
operation sure(r, a) { let x = a(r, a) else NotFound  return x.n }
"#;
    let design = compile("things.sk", ANSWERS, &NoFiles).design;
    let document = document(&runtime_of(design.clone()));
    let api = Api::on(runtime_of(design), Admission::Open);
    assert_eq!(api.post("/api/addA", &[], &json!({ "r": "x", "a": "a_1.b" })).status, 200);
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["A"]["properties"]["a"]["pattern"], "^[A-Za-z0-9._-]+$");
    assert_eq!(schemas["A"]["required"], json!(["r", "a", "n", "twice", "far"]));

    let answer = |path: &str, verb: &str| {
        document["paths"][path][verb]["responses"]["200"]["content"]["application/json"]["schema"].clone()
    };
    let some = answer("/api/some", "get")["properties"]["items"]["items"].clone();
    assert_eq!(some["required"], json!(["a"]));
    assert!(some["properties"]["pin"].is_object() && some["properties"].get("n").is_none());
    let item = api.get("/api/some?r=x", &[]).json()["items"][0].clone();
    assert!(item["pin"].is_string() && item.get("n").is_none(), "{item}");
    let both = &answer("/api/both", "get")["properties"]["items"]["items"]["oneOf"];
    assert_eq!(both[0]["allOf"][0]["required"], json!(["r", "a"]));
    assert_eq!(both[1]["allOf"][1]["properties"]["$entity"]["enum"], json!(["B"]));
    assert_eq!(answer("/api/sums", "get")["required"], json!(["n", "far"]));

    for (path, arguments, empty) in [
        ("/api/maybe", json!({ "r": "x", "b": "b", "go": false }), true),
        ("/api/found", json!({ "r": "x", "a": "nope" }), true),
        ("/api/sure", json!({ "r": "x", "a": "a_1.b" }), false),
        ("/api/addA", json!({ "r": "x", "a": "two" }), false),
    ] {
        let responses = &document["paths"][path]["post"]["responses"];
        assert!(responses["200"].is_object(), "{path}");
        assert_eq!(responses["204"].is_object(), empty, "{path}");
        assert_eq!(api.post(path, &[], &arguments).status, if empty { 204 } else { 200 }, "{path}");
    }
}
