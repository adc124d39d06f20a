//! F-38: there was no If-Match for `@version`, and errors came one at a time. F-28: the consumed units of a call disclosed how much
//! lies behind an id.

use crate::support::Api;
use serde_json::json;
use sortkey_gateway::{Admission, ApiKeys, Holder};

const DESIGN: &str = r#"
design f38
caller { userId slug(1..20) }
defaults { billing on_demand  recovery 35d  protect deletion  encryption aws_owned }
table Ns "notes" { key (userId | id) }
table Os "others" { key (id) }
entity N in Ns {
  userId slug(1..20)  id slug(1..20)  words string(1..20)  stars int(0..5) = 0
  version int = 1 @version
  tenant userId
}
entity O in Os { id slug(1..20)  words string(1..20) }
pattern note = get N by userId, id strong
operation write = create N
operation rewrite = update N [words, stars]
operation forget = delete N
operation save = upsert N [words]
system operation other = create O
system operation reword = update O [words]
"#;

const ADA: [(&str, &str); 1] = [("sortkey-caller", r#"{"userId":"ada"}"#)];

fn with(header: (&'static str, &'static str)) -> Vec<(&'static str, &'static str)> {
    vec![ADA[0], header]
}

#[test]
fn a_write_expects_the_version_that_was_read() {
    let api = Api::of_text(DESIGN);
    let first = api.post("/api/write", &ADA, &json!({ "id": "a", "words": "one" }));
    assert_eq!((first.status, &first.headers["etag"]), (200, &"\"1\"".parse().expect("a tag")), "{first:?}");
    assert_eq!(api.get("/api/note?id=a", &ADA).headers["etag"], "\"1\"");
    let change = json!({ "id": "a", "words": "two" });
    let second = api.post("/api/rewrite", &with(("if-match", "\"1\"")), &change);
    assert_eq!(
        (second.status, &second.headers["etag"]),
        (200, &"\"2\"".parse().expect("a tag")),
        "{second:?}"
    );
    for name in ["rewrite", "forget"] {
        let arguments = if name == "rewrite" { change.clone() } else { json!({ "id": "a" }) };
        let late = api.post(&format!("/api/{name}"), &with(("if-match", "\"1\"")), &arguments);
        let (status, code, field, detail) = late.problem();
        assert_eq!(
            (status, code.as_str(), field.as_deref()),
            (412, "VersionDiffers", Some("version")),
            "{detail}"
        );
    }
    assert_eq!(api.get("/api/note?id=a", &ADA).json()["words"], "two");
    assert_eq!(api.post("/api/forget", &with(("if-match", "\"2\"")), &json!({ "id": "a" })).status, 200);
}

#[test]
fn a_version_that_nothing_can_check_is_refused() {
    let api = Api::of_text(DESIGN);
    let reword = api.post("/api/reword", &[("if-match", "\"1\"")], &json!({ "id": "a", "words": "x" }));
    assert!(reword.problem().3.contains("no item with `@version`"), "{}", reword.text());
    let strange = api.post("/api/forget", &with(("if-match", "abc")), &json!({ "id": "a" }));
    assert_eq!((strange.status, strange.problem().2.as_deref()), (400, Some("If-Match")));
}

/// `If-Match: *` was dropped: on an `upsert` it created the item that was expected to be there. `If-None-Match` was never read.
#[test]
fn a_precondition_that_has_no_effect_is_refused() {
    let api = Api::of_text(DESIGN);
    for (name, value) in [("if-match", "*"), ("if-none-match", "*"), ("if-none-match", "\"1\"")] {
        let saved = api.post("/api/save", &with((name, value)), &json!({ "id": "a", "words": "x" }));
        let field = saved.problem().2.map(|field| field.to_lowercase());
        assert_eq!((saved.status, field.as_deref()), (400, Some(name)), "{}", saved.text());
    }
    assert_eq!(api.get("/api/note?id=a", &ADA).status, 404);
    // A cache that asks whether its copy is fresh gets the item.
    api.post("/api/write", &ADA, &json!({ "id": "a", "words": "x" }));
    assert_eq!(api.get("/api/note?id=a", &with(("if-none-match", "\"1\""))).status, 200);
}

#[test]
fn everything_that_is_wrong_is_listed() {
    let api = Api::of_text(DESIGN);
    let wrong = api.post("/api/write", &ADA, &json!({ "stars": 9, "wrds": "x", "id": "No Slug" }));
    assert_eq!(wrong.status, 400);
    let body = wrong.json();
    let fields: Vec<&str> =
        body["errors"].as_array().expect("a list").iter().filter_map(|each| each["field"].as_str()).collect();
    for field in ["stars", "wrds", "id", "words"] {
        assert!(fields.contains(&field), "{field}: {body}");
    }
    assert!(body["errors"].to_string().contains("did you mean `words`?"), "{body}");
    // One thing needs no list.
    let one = api.post("/api/write", &ADA, &json!({ "id": "a" })).json();
    assert_eq!((one["errors"].as_array(), &one["field"]), (None, &json!("words")), "{one}");
}

#[test]
fn only_operators_see_what_a_call_consumed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keys.json");
    let caller = serde_json::from_str(ADA[0].1).expect("a caller");
    let ada = ApiKeys::create(&path, "ada", Holder::Caller(caller)).expect("a key");
    let admin = ApiKeys::create(&path, "ops", Holder::Admin).expect("a key");
    let keys = ApiKeys::open(&path).expect("keys");
    let api = Api::on(Api::runtime_of_text(DESIGN), Admission::Keys(keys));
    let bearer = format!("Bearer {}", ada.secret);
    let got = api.get("/api/note?id=a", &[("authorization", &bearer)]);
    assert_eq!((got.status, got.headers.get("sortkey-consumed")), (404, None), "{}", got.text());
    let bearer = format!("Bearer {}", admin.secret);
    let got = api.get("/api/note?id=a", &[("authorization", &bearer), ADA[0]]);
    assert!(got.headers.contains_key("sortkey-consumed"), "{got:?}");
}

/// `GET /api` listed every operation, and answers distinguished unknown names from known ones, without a credential.
#[test]
fn names_are_for_those_who_may_call() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keys.json");
    let caller = serde_json::from_str(ADA[0].1).expect("a caller");
    let ada = ApiKeys::create(&path, "ada", Holder::Caller(caller)).expect("a key");
    let keys = ApiKeys::open(&path).expect("keys");
    let api = Api::on(Api::runtime_of_text(DESIGN), Admission::Keys(keys));
    let bearer = format!("Bearer {}", ada.secret);
    // The wrong method of an operation was a 405, that of anything else a 401.
    for (path, status) in [("/api", 200), ("/api/nothing", 404), ("/api/note?id=a", 404), ("/api/write", 405)]
    {
        assert_eq!(api.get(path, &[]).status, 401, "{path}");
        assert_eq!(api.get(path, &[("authorization", "Bearer wrong")]).status, 401, "{path}");
        assert_eq!(api.get(path, &[("authorization", &bearer)]).status, status, "{path}");
    }
}
