//! F-24: successful writes had four shapes of answers. An operation answers the item that it wrote, as a pattern that gets
//! it does: the same attributes, status 200, no envelope; the document says so, and 204 where nothing is answered.

use serde_json::{Value as Json, json};
use sortkey_gateway::document;

use crate::support::Api;

const DESIGN: &str = r#"
design answers
defaults { billing on_demand  recovery 35d  protect deletion  encryption aws_owned }
table Ns "nss" { key (id) }
entity N in Ns { id slug  n int = 0  w slug = "w"  hidden slug = "h" @internal }
pattern one = get N by id

operation create1 = create N
operation create2(id) { create N { id, n: 1 } }
operation create3(id) { let v = create N { id, n: 1 }  return v }
operation create4(id) { transact { let v = create N { id, n: 1 } }  return v }
operation create5(id) idempotent by requestId { create N { id, n: 1 } }
operation create6(id) { put N { id, n: 1 } }

operation change1 = update N [n]
operation change2(id) { update N(id) { n: 1 } }
operation change3(id) { let v = update N(id) { n: 1 }  return v }
operation change4(id) { transact { let v = update N(id) { n: 1 } }  return v }
operation change5(id) idempotent by requestId { update N(id) { n: 1 } }
operation change6 = upsert N [n]
operation change7(id) { upsert N(id) { n: 1 } }
operation change8(id) { transact { let v = upsert N(id) { n: 1 } }  return v }

operation remove1 = delete N
operation remove2(id) { delete N(id) }
operation remove3(id) { let v = delete N(id)  return v }
operation remove4 = purge N

operation nothing1(id) { transact { update N(id) { n: 1 } } }
"#;

/// The names of all operations that begin so.
fn named(document: &Json, start: &str) -> Vec<String> {
    let paths = document["paths"].as_object().expect("paths").keys();
    paths.filter(|path| path.starts_with(&format!("/api/{start}"))).cloned().collect()
}

#[test]
fn every_write_answers_the_item() {
    let runtime = Api::runtime_of_text(DESIGN);
    let document = document(&runtime);
    let paths: Vec<String> =
        ["create", "change", "remove"].iter().flat_map(|start| named(&document, start)).collect();
    assert_eq!(paths.len(), 18, "{paths:?}");
    for (at, path) in paths.iter().enumerate() {
        let described = &document["paths"][path]["post"]["responses"];
        let schema = &described["200"]["content"]["application/json"]["schema"];
        assert_eq!(schema["$ref"], "#/components/schemas/N", "{path}: {described}");
        assert!(described["204"].is_null(), "{path}: {described}");

        let api = Api::of_text(DESIGN);
        let id = format!("a{at}");
        if !path.contains("create") {
            api.post("/api/create1", &[], &json!({ "id": id, "n": 1 }));
        }
        let takes_n = ["create1", "change1", "change6"].iter().any(|name| path.ends_with(name));
        let arguments = if takes_n { json!({ "id": id, "n": 1 }) } else { json!({ "id": id }) };
        let headers = [("idempotency-key", "k")];
        let headers = if path.ends_with('5') { &headers[..] } else { &[] };
        let got = api.post(path, headers, &arguments);
        assert_eq!(got.status, 200, "{path}: {}", got.text());
        assert_eq!(got.headers["content-type"], "application/json", "{path}");
        assert_eq!(got.json(), json!({ "id": id, "n": 1, "w": "w" }), "{path}");
        if !path.contains("remove") {
            assert_eq!(api.get(&format!("/api/one?id={id}"), &[]).json(), got.json(), "{path}");
        }
    }
}

#[test]
fn what_answers_nothing_is_204() {
    let runtime = Api::runtime_of_text(DESIGN);
    let document = document(&runtime);
    let described = &document["paths"]["/api/nothing1"]["post"]["responses"];
    assert!(described["200"].is_null() && described["204"].is_object(), "{described}");
    let api = Api::on(runtime, sortkey_gateway::Admission::Open);
    api.post("/api/create1", &[], &json!({ "id": "a" }));
    let got = api.post("/api/nothing1", &[], &json!({ "id": "a" }));
    assert_eq!((got.status, got.body.len()), (204, 0));
}
