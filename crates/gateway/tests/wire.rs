//! Requests that are refused before the runtime is asked: wrong paths, methods, bodies, names, callers and keys.

use crate::support::Api;
use serde_json::{Map, json};
use sortkey_gateway::{Admission, ApiKeys, Holder};

const ADA: (&str, &str) = ("sortkey-caller", r#"{"userId":"usr_V1StGXR8_Z5jdHi6","permission":"admin"}"#);

#[test]
fn wrong_requests_are_told_what_is_wrong() {
    let api = Api::of("ferryhook", Admission::Open);
    let json = ("content-type", "application/json");
    for (method, path, headers, body, expected) in [
        (
            "POST",
            "/api/createUsr",
            &[json][..],
            "{}",
            (404, "UnknownOperation", None, "did you mean `createUser`?"),
        ),
        (
            "POST",
            "/api/users/creat",
            &[json],
            "{}",
            (404, "UnknownOperation", None, "did you mean `users.create`?"),
        ),
        ("GET", "/api/createUser", &[], "", (405, "MethodNotAllowed", None, "call it with POST")),
        ("DELETE", "/api/getUser", &[], "", (405, "MethodNotAllowed", None, "GET or POST")),
        ("POST", "/api/createUser", &[json], "[]", (400, "Invalid", None, "a JSON object")),
        ("POST", "/api/createUser", &[json], "{", (400, "Invalid", None, "not JSON")),
        (
            "POST",
            "/api/createUser",
            &[json],
            r#"{"name":"A","name":"B"}"#,
            (400, "Invalid", Some("name"), "given twice"),
        ),
        (
            "POST",
            "/api/ingest",
            &[json],
            r#"{"headers":{"a":"1","a":"2"}}"#,
            (400, "Invalid", Some("a"), "given twice"),
        ),
        (
            "POST",
            "/api/incrementUsage",
            &[json],
            r#"{"count":99999999999999999999}"#,
            (400, "Invalid", Some("count"), "not an integer of 64 bits"),
        ),
        (
            "POST",
            "/api/incrementUsage",
            &[json],
            r#"{"count":1e126}"#,
            (400, "Invalid", Some("count"), "a number that cannot be kept"),
        ),
        ("POST", "/api", &[json], "{}", (405, "MethodNotAllowed", None, "GET /api lists")),
        ("GET", "/docs/more", &[], "", (404, "NotFound", None, "there is no /docs/more")),
        ("POST", "/api/createUser?name=A", &[json], "{}", (400, "Invalid", None, "not in both")),
        (
            "POST",
            "/api/createUser",
            &[("content-type", "text/plain")],
            "{}",
            (400, "Invalid", None, "application/json"),
        ),
        (
            "POST",
            "/api/createUser",
            &[json],
            r#"{"emial":"a@x.com"}"#,
            (400, "Invalid", Some("emial"), "did you mean `email`?"),
        ),
        (
            "POST",
            "/api/users.create",
            &[json],
            r#"{"xyzzy":1}"#,
            (400, "Invalid", Some("xyzzy"), "it takes "),
        ),
        (
            "GET",
            "/api/sourceById?sourceId=a&sourceId=b",
            &[],
            "",
            (400, "Invalid", Some("sourceId"), "given twice"),
        ),
        ("GET", "/api/sourceById?sourceId=%zz", &[], "", (400, "Invalid", None, "percent-encoded")),
        ("GET", "/api/listSources?limit=0", &[ADA], "", (400, "Invalid", Some("limit"), "above zero")),
        (
            "GET",
            "/api/listSources",
            &[],
            "",
            (401, "Unauthenticated", None, "Sortkey-Caller: {\"permission\":"),
        ),
        (
            "GET",
            "/api/listSources",
            &[("sortkey-caller", "usr_1")],
            "",
            (400, "Invalid", Some("Sortkey-Caller"), "JSON object"),
        ),
        (
            "GET",
            "/api/listSources",
            &[("sortkey-caller", r#"{"userId":"usr_V1StGXR8_Z5jdHi6","userId":"usr_V1StGXR8_Z5jdHi7"}"#)],
            "",
            (400, "Invalid", Some("Sortkey-Caller"), "gives `userId` twice"),
        ),
        (
            "GET",
            "/api/listSources",
            &[("sortkey-caller", r#"{"userId":"usr_V1StGXR8_Z5jdHi6","permission":"root"}"#)],
            "",
            (400, "Invalid", Some("Sortkey-Caller.permission"), "one of read, write, admin"),
        ),
        (
            "POST",
            "/api/createUser",
            &[json, ("idempotency-key", "k")],
            "{}",
            (400, "Invalid", Some("Idempotency-Key"), "a repeat would act again"),
        ),
        (
            "POST",
            "/api/ingest",
            &[json, ("idempotency-key", "k")],
            r#"{"requestId":"other"}"#,
            (400, "Invalid", Some("Idempotency-Key"), "different things"),
        ),
    ] {
        let (status, code, field, detail) = api.send(method, path, headers, body).problem();
        let (wanted_status, wanted_code, wanted_field, part) = expected;
        assert_eq!(
            (status, code.as_str(), field.as_deref()),
            (wanted_status, wanted_code, wanted_field),
            "{path}: {detail}"
        );
        assert!(detail.contains(part), "{path}: {detail}");
    }
    let large = format!(r#"{{"name":"{}"}}"#, "x".repeat(6 << 20));
    assert_eq!(api.send("POST", "/api/createUser", &[json], &large).problem().0, 413);
}

#[test]
fn keys_let_their_holders_in_and_nobody_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keys.json");
    let caller = Map::from_iter([
        ("userId".to_owned(), json!("usr_V1StGXR8_Z5jdHi6")),
        ("permission".to_owned(), json!("admin")),
    ]);
    let make = |name: &str, holder| ApiKeys::create(&path, name, holder).expect("a key").secret;
    let bound = format!("Bearer {}", make("bound", Holder::Caller(caller)));
    let admin = format!("Bearer {}", make("admin", Holder::Admin));
    let api = Api::of("ferryhook", Admission::Keys(ApiKeys::open(&path).expect("the keys")));

    let by = |key| ("authorization", key);
    for (path, headers, expected) in [
        ("/api/listSources", &[][..], Some((401, "Unauthenticated"))),
        ("/api/listSources", &[ADA], Some((401, "Unauthenticated"))),
        ("/api/listSources", &[by("Bearer sortkey_made_up")], Some((401, "Unauthenticated"))),
        ("/api/listSources", &[by("Basic dTpw")], Some((401, "Unauthenticated"))),
        ("/api/listSources", &[by(&bound), ADA], Some((403, "Forbidden"))),
        ("/api/sourceById?sourceId=src_1", &[by(&bound)], Some((403, "Forbidden"))),
        ("/api/listSources", &[by(&admin)], Some((401, "Unauthenticated"))),
        ("/api/listSources", &[by(&bound)], None),
        ("/api/listSources", &[by(&admin), ADA], None),
        ("/api/sourceById?sourceId=src_1", &[by(&admin)], None),
    ] {
        let got = api.get(path, headers);
        let refused = matches!(got.status, 401 | 403).then(|| got.problem());
        let refused = refused.as_ref().map(|(status, code, ..)| (*status, code.as_str()));
        assert_eq!(refused, expected, "{path} {headers:?}");
    }
    assert_eq!(api.get("/api/listSources", &[]).headers["www-authenticate"], "Bearer");
}

#[test]
fn the_directory_lists_what_can_be_called() {
    let api = Api::of("ferryhook", Admission::Open);
    let directory = api.get("/api", &[]).json();
    assert_eq!(directory["design"], "ferryhook");
    let entries = directory["endpoints"].as_array().expect("a list");
    let named = |name: &str| entries.iter().find(|entry| entry["name"] == name);
    let listed = named("events.listBySource").expect("an entry");
    assert_eq!(listed["path"], "/api/events/listBySource");
    assert_eq!(listed["parameters"], json!(["sourceId", "since?", "until?"]));
    assert!(named("listEvents").is_some());
}
