//! The OpenAPI document and the page of every system: whole, and nothing in them that leads nowhere.

use std::collections::BTreeSet;

use crate::support::{Api, runtime};
use serde_json::Value as Json;
use sortkey_gateway::{Admission, document};
use sortkey_testkit::SYSTEMS;

#[test]
fn every_reference_leads_somewhere_and_every_operation_has_its_own_id() {
    for system in SYSTEMS {
        let document = document(&runtime(system));
        assert_eq!(document["openapi"], "3.1.0");
        let mut ids = BTreeSet::new();
        let paths = document["paths"].as_object().expect("paths");
        for (path, item) in paths {
            let item = item.as_object().expect("a path item");
            let is_route = !path.starts_with("/api/");
            assert!(is_route || item.len() == 1, "{system} {path}");
            for operation in item.values() {
                let id = operation["operationId"].as_str().expect("an id");
                assert!(ids.insert(id.to_owned()), "{system}: {id} twice");
                let responses = operation["responses"].as_object().expect("responses");
                assert!(responses.keys().any(|status| status.starts_with('2')), "{system} {path}");
                assert!(responses.contains_key("default"), "{system} {path}");
            }
        }
        for reference in references(&document) {
            let target = reference.strip_prefix('#').expect("a reference within the document");
            assert!(document.pointer(target).is_some(), "{system}: {reference} leads nowhere");
        }
    }
}

/// Names of what a design keeps for itself: where an item lies, by what it is found, who works on it. What is found by the hash of a
/// random token has that as its key, which opens nothing.
fn is_internal(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let parts = ["shard", "lease", "fence", "rank", "gsi", "sortkey#"];
    parts.iter().any(|part| lower.contains(part))
        || lower.ends_with("hash") && !matches!(&*lower, "tokenhash" | "statehash" | "accesshash")
        || matches!(&*lower, "pk" | "sk" | "lastcode" | "troubles" | "moving" | "revision")
}

/// The names of all properties that a schema leads to.
fn properties(document: &Json, schema: &Json, names: &mut BTreeSet<String>, seen: &mut BTreeSet<String>) {
    match schema {
        Json::Array(each) => each.iter().for_each(|each| properties(document, each, names, seen)),
        Json::Object(members) => {
            if let Some(Json::Object(own)) = members.get("properties") {
                names.extend(own.keys().cloned());
            }
            if let Some(target) = members.get("$ref").and_then(Json::as_str)
                && seen.insert(target.to_owned())
            {
                let target = document.pointer(target.trim_start_matches('#')).expect("it leads somewhere");
                properties(document, target, names, seen);
            }
            members.values().for_each(|each| properties(document, each, names, seen));
        }
        _ => {}
    }
}

// A delivery of Ferryhook showed its shard, keys and sessions showed the hashes that they are found by.
#[test]
fn answers_show_no_internals() {
    for system in SYSTEMS {
        let document = document(&runtime(system));
        for (path, item) in document["paths"].as_object().expect("paths") {
            for operation in item.as_object().expect("a path item").values() {
                let responses = operation["responses"].as_object().expect("responses");
                for (_, response) in responses.iter().filter(|(status, _)| status.starts_with('2')) {
                    let (mut names, mut seen) = (BTreeSet::new(), BTreeSet::new());
                    properties(&document, response, &mut names, &mut seen);
                    let internal: Vec<&String> = names.iter().filter(|name| is_internal(name)).collect();
                    assert!(internal.is_empty(), "{system} {path} shows {internal:?}");
                }
            }
        }
    }
}

#[test]
fn routes_are_described_with_their_methods_and_statuses() {
    let document = document(&runtime("ferryhook"));
    let paths = &document["paths"];
    let methods: Vec<&String> = paths["/in/{sourceId}"].as_object().expect("a path").keys().collect();
    assert_eq!(methods, ["delete", "get", "patch", "post", "put"]);
    let ingest = &paths["/in/{sourceId}"]["post"];
    assert_eq!(ingest["parameters"][0]["name"], "sourceId");
    assert_eq!(ingest["parameters"][0]["in"], "path");
    let answer = &ingest["responses"]["202"]["content"]["application/json"]["schema"];
    assert_eq!(answer["$ref"], "#/components/schemas/Event");
    let problems = ingest["responses"].to_string();
    for error in ["SourceNotFound", "SourceNotAccepting", "LimitReached"] {
        assert!(problems.contains(error), "{problems}");
    }
    assert!(paths["/auth/sign-out"]["post"]["responses"]["204"]["content"].is_null());
}

#[test]
fn every_example_is_accepted_by_the_api_itself() {
    for system in SYSTEMS {
        let api = Api::of(system, Admission::Open);
        let document = document(&runtime(system));
        for (path, item) in document["paths"].as_object().expect("paths") {
            let body = &item["post"]["requestBody"]["content"]["application/json"];
            let Some(example) = body.get("example") else { continue };
            let mut got = api.post(path, &[], example);
            if got.status == 401 {
                // The answer names those who could call, unless the operation itself asks for a signature that an example cannot have.
                let (.., detail) = got.problem();
                let Some((_, caller)) = detail.split_once("Sortkey-Caller: ") else { continue };
                got = api.post(path, &[("sortkey-caller", caller)], example);
            }
            assert_ne!(got.status, 400, "{system} {path} {example}: {}", got.text());
            let missing =
                body["schema"]["required"].as_array().into_iter().flatten().filter_map(Json::as_str);
            let missing: Vec<&str> = missing.filter(|name| example.get(name).is_none()).collect();
            assert!(missing.is_empty(), "{system} {path}: {missing:?}");
        }
    }
}

/// Every `$ref` of a document.
fn references(document: &Json) -> Vec<String> {
    let (mut open, mut found) = (vec![document], Vec::new());
    while let Some(value) = open.pop() {
        match value {
            Json::Object(members) => {
                found.extend(members.get("$ref").and_then(Json::as_str).map(str::to_owned));
                open.extend(members.values());
            }
            Json::Array(elements) => open.extend(elements),
            _ => {}
        }
    }
    found
}

#[test]
fn ferryhook_is_described_in_its_own_words() {
    let document = document(&runtime("ferryhook"));
    let create = &document["paths"]["/api/users/create"]["post"];
    assert_eq!(create["operationId"], "users.create");
    assert_eq!(create["tags"][0], "users");
    let body = &create["requestBody"]["content"]["application/json"];
    assert_eq!(body["schema"]["properties"]["email"]["format"], "email");
    assert_eq!(body["schema"]["required"], serde_json::json!(["email", "name"]));
    assert_eq!(body["example"]["email"], "ada@example.com");
    let conflict = create["responses"]["409"]["description"].as_str().expect("a description");
    assert!(conflict.contains("EmailTaken"), "{conflict}");

    let list = &document["paths"]["/api/events/listBySource"]["get"];
    let names: Vec<&str> = list["parameters"]
        .as_array()
        .expect("parameters")
        .iter()
        .filter_map(|each| each["name"].as_str())
        .collect();
    assert_eq!(names, ["sourceId", "since", "until", "cursor", "limit"]);
    let ingest = &document["paths"]["/api/events/create"]["post"];
    assert_eq!(ingest["parameters"][0]["name"], "Idempotency-Key");
    let answer = &ingest["responses"]["200"]["content"]["application/json"]["schema"];
    assert_eq!(answer["$ref"], "#/components/schemas/Event");

    let user = &document["components"]["schemas"]["User"]["properties"];
    assert!(user.get("passwordHash").is_none(), "what is secret is not described as returned");
}

#[test]
fn the_page_needs_nothing_but_itself() {
    for system in SYSTEMS {
        let page = Api::of(system, Admission::Open).get("/docs", &[]);
        assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
        assert!(page.headers.contains_key("content-security-policy"));
        let text = page.text();
        assert!(!text.contains("src=") && !text.contains("<link") && !text.contains("@import"), "{system}");
        assert!(text.contains("id=\"problem-NotFound\""), "{system}");
    }
}

// F-79: the examples of the page named port 8000, whatever the server listened on.
#[test]
fn the_page_shows_the_address_that_the_reader_uses() {
    let api = Api::of("t3nets", Admission::Open);
    let page = |host: &str| api.get("/docs", &[("host", host)]).text();
    let there = page("127.0.0.1:4567");
    assert!(there.contains("http://127.0.0.1:4567/api/") && !there.contains("localhost:8000"));
    assert!(page("[::1]:80").contains("http://[::1]:80/api/"));
    let hostile = page("x\"><script>alert(1)</script>");
    assert!(!hostile.contains("alert(1)") && hostile.contains("http://localhost:8000/api/"));
}
