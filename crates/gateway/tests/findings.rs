//! F-24: a limit above the page was cut, a repeat was not marked as one, and `x-sortkey-fork` was ignored under `/api`.

use std::sync::Arc;

use crate::support::Api;
use serde_json::json;
use sortkey_gateway::{Admission, Gateway};

const DESIGN: &str = r#"
design f24
defaults { billing on_demand  recovery 35d  protect deletion  encryption aws_owned }
table Ns "nss" { key (box | id) }
entity N in Ns { box slug  id slug }
pattern ns = list N by box page 2
operation mk(box, id) idempotent by requestId { create N { box, id } }
"#;

#[test]
fn a_limit_above_the_page_is_refused() {
    let api = Api::of_text(DESIGN);
    for (limit, status) in [(1, 200), (2, 200), (3, 400)] {
        let got = api.get(&format!("/api/ns?box=a&limit={limit}"), &[]);
        assert_eq!(got.status, status, "{limit}: {}", got.text());
    }
    let (status, _, field, detail) = api.get("/api/ns?box=a&limit=500", &[]).problem();
    assert_eq!((status, field.as_deref()), (400, Some("limit")));
    assert!(detail.contains("at most 2 items"), "{detail}");
}

#[test]
fn a_repeat_is_marked() {
    let api = Api::of_text(DESIGN);
    let call = || api.post("/api/mk", &[("idempotency-key", "k1")], &json!({ "box": "a", "id": "x" }));
    let first = call();
    assert_eq!((first.status, first.headers.get("idempotent-replayed")), (200, None), "{}", first.text());
    let again = call();
    assert_eq!(again.json(), first.json());
    assert_eq!(again.headers["idempotent-replayed"], "true");
}

#[test]
fn a_fork_that_is_not_there_is_not_taken_for_the_main_database() {
    let api = Api::of_text(DESIGN);
    let fork = [("x-sortkey-fork", "copy")];
    let (status, _, field, _) = api.post("/api/mk", &fork, &json!({ "box": "a", "id": "x" })).problem();
    assert_eq!((status, field.as_deref()), (404, Some("x-sortkey-fork")));
    assert_eq!(api.get("/api/ns?box=a", &[]).json()["items"], json!([]));
}

#[test]
fn a_call_with_the_name_of_a_fork_runs_on_the_fork() {
    let (main, copy) = (Api::runtime_of_text(DESIGN), Api::runtime_of_text(DESIGN));
    let forks = Arc::new(move |name: &str| (name == "copy").then(|| copy.clone()));
    let api = Api::of_gateway(Gateway::new(main, Admission::Open).with_forks(forks));
    let fork = [("x-sortkey-fork", "copy")];
    let made = api.post("/api/mk", &fork, &json!({ "box": "a", "id": "x" }));
    assert_eq!(made.status, 200, "{}", made.text());
    assert_eq!(api.get("/api/ns?box=a", &[]).json()["items"], json!([]));
    assert_eq!(api.get("/api/ns?box=a", &fork).json()["items"], json!([{ "box": "a", "id": "x" }]));
}
