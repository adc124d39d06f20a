//! Ferryhook over HTTP: what a client sees of a design that runs.

use crate::support::{Api, Got};
use serde_json::{Value as Json, json};
use sortkey_gateway::Admission;

/// A user, and the header by which they call.
fn user(api: &Api, email: &str) -> (Json, String) {
    let created = api.post(
        "/api/users/create",
        &[],
        &json!({ "email": email, "name": "A", "password": "correct horse" }),
    );
    assert_eq!(created.status, 200, "{}", created.text());
    let caller = json!({ "userId": created.json()["userId"], "permission": "admin" }).to_string();
    (created.json(), caller)
}

fn source(api: &Api, caller: &str) -> Json {
    let as_caller = [("sortkey-caller", caller)];
    let created =
        api.post("/api/sources/create", &as_caller, &json!({ "name": "Stripe", "provider": "stripe" }));
    assert_eq!(created.status, 200, "{}", created.text());
    created.json()
}

fn ingest(api: &Api, source: &Json, key: &str) -> Got {
    let event = json!({
        "sourceId": source["sourceId"], "headers": { "x": "1" }, "body": "e30=", "sourceIp": "203.0.113.9", "method": "POST",
    });
    api.post("/api/events/create", &[("idempotency-key", key)], &event)
}

#[test]
fn an_event_is_ingested_once_and_listed() {
    let api = Api::of("ferryhook", Admission::Open);
    let (user, caller) = user(&api, "Ada@X.com");
    assert_eq!(user["email"], "ada@x.com");
    assert!(user.get("passwordHash").is_none() && user.get("PK").is_none(), "{user}");
    let source = source(&api, &caller);
    let first = ingest(&api, &source, "r1");
    assert_eq!(first.status, 200, "{}", first.text());
    assert_eq!(ingest(&api, &source, "r1").json()["eventId"], first.json()["eventId"]);
    let other = json!({
        "sourceId": source["sourceId"], "headers": { "x": "2" }, "body": "e30=", "sourceIp": "203.0.113.9", "method": "POST",
    });
    let (status, code, field, detail) =
        api.post("/api/events/create", &[("idempotency-key", "r1")], &other).problem();
    assert_eq!((status, code.as_str(), field.as_deref()), (400, "Invalid", Some("requestId")), "{detail}");
    let nowhere = json!({
        "sourceId": "src_V1StGXR8_Z5jdHi6", "headers": {}, "body": "", "sourceIp": "203.0.113.9", "method": "POST",
    });
    let (status, code, _, detail) = api.post("/api/events/create", &[], &nowhere).problem();
    assert_eq!((status, code.as_str(), detail.as_str()), (404, "SourceNotFound", "there is no such Source"));

    let as_caller = [("sortkey-caller", caller.as_str())];
    let path = format!("/api/events/listBySource?sourceId={}", source["sourceId"].as_str().expect("an id"));
    let page = api.get(&path, &as_caller);
    let items = page.json()["items"].as_array().expect("items").clone();
    assert_eq!(items.len(), 1, "{}", page.text());
    assert_eq!(items[0]["eventId"], first.json()["eventId"]);
    assert_eq!(page.json()["cursor"], Json::Null);
    assert!(page.headers["sortkey-consumed"].to_str().expect("text").starts_with("requests=2, rcu=1.5"));
}

#[test]
fn pages_follow_each_other_and_cursors_cannot_be_forged_or_moved() {
    let api = Api::of("ferryhook", Admission::Open);
    let (_, ada) = user(&api, "ada@x.com");
    let (_, bob) = user(&api, "bob@x.com");
    let mine = [("sortkey-caller", ada.as_str())];
    let names: Vec<Json> = (0..5).map(|_| source(&api, &ada)["sourceId"].clone()).collect();
    let mut seen = Vec::new();
    let mut cursor: Option<String> = None;
    for _ in 0..names.len() {
        let more = cursor.as_ref().map_or(String::new(), |cursor| format!("&cursor={cursor}"));
        let page = api.get(&format!("/api/listSources?limit=2{more}"), &mine);
        assert_eq!(page.status, 200, "{}", page.text());
        seen.extend(
            page.json()["items"].as_array().expect("items").iter().map(|item| item["sourceId"].clone()),
        );
        cursor = page.json()["cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 5);
    assert!(names.iter().all(|name| seen.contains(name)));

    let page = api.get("/api/listSources?limit=2", &mine).json();
    let cursor = page["cursor"].as_str().expect("a cursor");
    let theirs = [("sortkey-caller", bob.as_str())];
    for (path, headers) in [
        (format!("/api/listSources?cursor={cursor}"), &theirs),
        (format!("/api/listSources?cursor={cursor}x"), &mine),
        ("/api/listSources?cursor=forged".to_owned(), &mine),
        (format!("/api/listApiKeys?cursor={cursor}"), &mine),
    ] {
        let (status, code, field, _) = api.get(&path, headers).problem();
        assert_eq!((status, code.as_str(), field.as_deref()), (400, "Invalid", Some("cursor")), "{path}");
    }
}

#[test]
fn a_tenant_sees_nothing_of_another() {
    let api = Api::of("ferryhook", Admission::Open);
    let (_, ada) = user(&api, "ada@x.com");
    let (_, bob) = user(&api, "bob@x.com");
    let source = source(&api, &ada);
    let event = ingest(&api, &source, "r1").json();
    let theirs = [("sortkey-caller", bob.as_str())];
    let found =
        api.get(&format!("/api/eventById?eventId={}", event["eventId"].as_str().expect("an id")), &theirs);
    assert_eq!(found.problem().0, 404);
    let path = format!("/api/listEvents?sourceId={}", source["sourceId"].as_str().expect("an id"));
    assert_eq!(api.get(&path, &theirs).problem().0, 403);
    let update = json!({ "sourceId": source["sourceId"], "name": "mine now" });
    assert_eq!(api.post("/api/sources/update", &theirs, &update).problem().0, 404);
}

#[test]
fn problems_carry_the_designs_own_names() {
    let api = Api::of("ferryhook", Admission::Open);
    let (_, caller) = user(&api, "ada@x.com");
    let as_caller = [("sortkey-caller", caller.as_str())];
    let reader = caller.replace("admin", "read");
    let as_reader = [("sortkey-caller", reader.as_str())];
    let taken = json!({ "email": "ADA@x.com", "name": "B", "githubId": "1" });
    let nobody = json!({ "email": "no@x.com", "name": "B" });
    let long = json!({ "name": "x".repeat(121), "provider": "stripe" });
    let strange = json!({ "name": "x", "provider": "gitlab" });
    let fine = json!({ "name": "x", "provider": "stripe" });
    for (path, headers, body, expected) in [
        ("/api/users/create", &[][..], &taken, (409, "EmailTaken", None)),
        ("/api/users/create", &[], &nobody, (409, "NoWayToSignIn", None)),
        ("/api/users/create", &[], &json!({ "name": "B" }), (400, "Invalid", Some("email"))),
        ("/api/sources/create", &as_caller, &long, (400, "Invalid", Some("name"))),
        ("/api/sources/create", &as_caller, &strange, (400, "Invalid", Some("provider"))),
        ("/api/sources/create", &as_reader, &fine, (403, "Forbidden", None)),
    ] {
        let (status, code, field, detail) = api.post(path, headers, body).problem();
        let wanted_field = expected.2.map(str::to_owned);
        assert_eq!((status, code.as_str()), (expected.0, expected.1), "{path} {body}: {detail}");
        if wanted_field.is_some() {
            assert_eq!(field, wanted_field, "{path} {body}: {detail}");
        }
    }
    let gone = api.get("/api/sourceById?sourceId=src_V1StGXR8_Z5jdHi6", &[]);
    assert_eq!(gone.problem().1, "NotFound");
    let form = [("content-type", "application/x-www-form-urlencoded"), as_caller[0]];
    assert_eq!(api.send("POST", "/api/sources/create", &form, "name=two+words&provider=github").status, 200);
}
