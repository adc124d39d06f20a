//! Calls as a program makes them: JSON in the design's own types, pages by sealed cursors, failures that name the field.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use sortkey_core::{Answer, Call, Caller, Failure, FailureKind, Pending, Runtime, Settings};
use sortkey_deploy::deploy;
use sortkey_design::{FileLoader, compile};
use sortkey_embedded::{Embedded, ephemeral};
use sortkey_engine::Engine;

fn ferryhook() -> Runtime {
    ferryhook_with(ephemeral().expect("a system with randomness"))
}

fn ferryhook_with(settings: Settings) -> Runtime {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems/ferryhook/ferryhook.sk");
    let text = std::fs::read_to_string(&file).expect("the design is there");
    let design = compile(&file.to_string_lossy(), &text, &FileLoader).design;
    let settings = Settings { bcrypt_cost: 4, ..settings };
    let backend = Embedded::new(Engine::memory(sortkey_engine::Settings::default()));
    let pause = |_: Duration| -> Pending<'_, ()> { Box::pin(async { Ok(()) }) };
    pollster::block_on(deploy(&design, &settings.naming(), &backend, &pause, &mut |_| {})).expect("deployed");
    Runtime::new(design, Arc::new(backend), settings).expect("the design runs")
}

fn object(json: Json) -> Map<String, Json> {
    json.as_object().cloned().unwrap_or_default()
}

fn call(runtime: &Runtime, caller: Option<&Caller>, name: &str, arguments: Json) -> Result<Answer, Failure> {
    pollster::block_on(runtime.call(Call {
        name,
        caller,
        arguments: object(arguments).try_into()?,
        ..Call::default()
    }))
}

fn value(answer: Result<Answer, Failure>) -> Json {
    match answer.expect("an answer") {
        Answer::Value(value) => value,
        Answer::Nothing | Answer::Page { .. } => Json::Null,
    }
}

/// A user, and the caller that they are.
fn user(runtime: &Runtime, name: &str) -> (Json, Caller) {
    let arguments = json!({ "email": format!("{name}@x.com"), "name": name, "githubId": name });
    let user = value(call(runtime, None, "users.create", arguments));
    let caller = runtime.caller(object(json!({ "userId": user["userId"], "permission": "admin" })));
    (user, caller.expect("a caller"))
}

#[test]
fn a_failure_names_its_kind_and_field() {
    let runtime = ferryhook();
    let (_, caller) = user(&runtime, "ada");
    let good = json!({ "name": "One", "provider": "stripe" });
    for (name, caller, arguments, kind, field) in [
        ("createSource", Some(&caller), json!({ "provider": "stripe" }), FailureKind::Invalid, Some("name")),
        (
            "createSource",
            Some(&caller),
            json!({ "name": 7, "provider": "stripe" }),
            FailureKind::Invalid,
            Some("name"),
        ),
        ("createSource", Some(&caller), json!({ "colour": "red" }), FailureKind::Invalid, Some("colour")),
        ("createSource", None, good, FailureKind::Unauthenticated, None),
        ("createNothing", Some(&caller), json!({}), FailureKind::NotFound, None),
        ("users.nothing", None, json!({}), FailureKind::NotFound, None),
    ] {
        let failure = call(&runtime, caller, name, arguments.clone()).expect_err("a failure");
        assert_eq!(
            (&failure.kind, failure.field.as_deref()),
            (&kind, field),
            "{name} {arguments}: {failure}"
        );
    }
    let unknown = runtime.caller(object(json!({ "userId": "usr_0000000000000000" })));
    assert_eq!(unknown.expect_err("no permission").kind, FailureKind::Unauthenticated);
}

#[test]
fn json_is_in_the_types_of_the_design() {
    let runtime = ferryhook();
    let (user, caller) = user(&runtime, "ada");
    let source =
        value(call(&runtime, Some(&caller), "createSource", json!({ "name": "One", "provider": "stripe" })));
    assert!(source["createdAt"].as_str().is_some_and(|time| time.len() == 24 && time.ends_with('Z')));
    let event = json!({
        "sourceId": source["sourceId"], "headers": { "accept": "*/*" }, "body": "e30=", "sourceIp": "::1",
        "method": "POST", "requestId": "r",
    });
    let event = value(call(&runtime, None, "events.create", event));
    assert!(event["receivedAt"].is_i64());
    assert_eq!(event["headers"], json!({ "accept": "*/*" }));
    assert_eq!(event["userId"], user["userId"]);
    let bad = json!({
        "sourceId": source["sourceId"], "headers": {}, "body": "not base64!", "sourceIp": "::1", "method": "POST",
    });
    let failure = call(&runtime, None, "ingest", bad).expect_err("no base64");
    assert_eq!(failure.field.as_deref(), Some("body"));
}

#[test]
fn a_cursor_goes_on_where_the_page_ended_and_nowhere_else() {
    let runtime = ferryhook();
    let (user_a, caller_a) = user(&runtime, "ada");
    let (_, caller_b) = user(&runtime, "bob");
    for at in 0..5 {
        let source = json!({ "name": format!("Source {at}"), "provider": "custom" });
        value(call(&runtime, Some(&caller_a), "createSource", source));
    }
    let page = |caller: &Caller, name: &str, cursor: Option<&str>| {
        let arguments = if name == "listSources" { json!({ "userId": user_a["userId"] }) } else { json!({}) };
        let call = Call {
            name,
            caller: Some(caller),
            arguments: object(arguments).try_into()?,
            cursor,
            limit: Some(2),
            ..Call::default()
        };
        pollster::block_on(runtime.call(call))
    };
    let mut names = Vec::new();
    let mut cursor: Option<String> = None;
    let mut first = None;
    loop {
        let Answer::Page { items, cursor: next } =
            page(&caller_a, "listSources", cursor.as_deref()).expect("a page")
        else {
            panic!("a list answers pages")
        };
        assert!(items.len() <= 2);
        names.extend(items.iter().map(|item| item["name"].to_string()));
        first = first.or(next.clone());
        match next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 5);
    let first = first.expect("a cursor");
    // A character in the middle, whose every bit counts.
    let other = if &first[20..21] == "A" { "B" } else { "A" };
    let forged = format!("{}{other}{}", &first[..20], &first[21..]);
    for (caller, name, cursor) in [
        (&caller_a, "listApiKeys", first.as_str()),
        (&caller_b, "listSources", first.as_str()),
        (&caller_a, "listSources", forged.as_str()),
        (&caller_a, "listSources", "nonsense"),
    ] {
        let kind = page(caller, name, Some(cursor)).expect_err("refused").kind;
        assert!(matches!(kind, FailureKind::Invalid | FailureKind::NotFound), "{name}: {kind:?}");
    }
}

#[test]
fn what_a_call_took_is_told() {
    let runtime = ferryhook();
    let (user, caller) = user(&runtime, "ada");
    let arguments = object(json!({ "userId": user["userId"] }));
    let arguments = arguments.try_into().expect("kept");
    let call = Call { name: "getUser", caller: Some(&caller), arguments, ..Call::default() };
    let (answer, consumed) = pollster::block_on(runtime.measured(call));
    assert!(answer.is_ok());
    assert_eq!((consumed.requests, consumed.rcu, consumed.wcu), (1, 0.5, 0.0));
}

/// A hash takes long on purpose: a host that runs calls side by side gets a notice before it begins.
#[test]
fn passwords_are_hashed_aside() {
    let hashes = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&hashes);
    let aside = move |work: &mut dyn FnMut()| {
        seen.fetch_add(1, Ordering::Relaxed);
        work();
    };
    let settings = Settings { aside: Arc::new(aside), ..ephemeral().expect("randomness") };
    let runtime = ferryhook_with(settings);
    let arguments = json!({ "email": "ada@x.com", "name": "Ada", "password": "correct horse" });
    let user = value(call(&runtime, None, "users.create", arguments));
    assert_eq!((hashes.load(Ordering::Relaxed), &user["passwordHash"]), (1, &Json::Null));
}

/// A reply is the same as text and as a tree; nothing is null.
#[test]
fn replies_are_printed_as_their_trees_say() {
    let runtime = ferryhook();
    let (user, caller) = user(&runtime, "ada");
    for name in ["One", "Two"] {
        let arguments = json!({ "name": name, "provider": "stripe" });
        call(&runtime, Some(&caller), "createSource", arguments).expect("created");
    }
    for (name, caller, arguments) in [
        ("getUser", Some(&caller), json!({ "userId": user["userId"] })),
        ("listSources", Some(&caller), json!({})),
        ("userByEmail", None, json!({ "email": "nobody@x.com" })),
        ("createSource", Some(&caller), json!({ "name": "Three", "provider": "github" })),
    ] {
        let arguments = object(arguments).try_into().expect("kept");
        let call = Call { name, caller, arguments, ..Call::default() };
        let reply = pollster::block_on(runtime.reply(call)).0.expect("answered");
        let reply = reply.look().expect("readable");
        let mut text = Vec::new();
        reply.write_json(&mut text);
        let printed: Json = serde_json::from_slice(&text).expect("JSON");
        assert_eq!(reply.is_nothing(), printed.is_null(), "{name}");
        let expected = match reply.into_answer() {
            Answer::Nothing => Json::Null,
            Answer::Value(value) => value,
            Answer::Page { items, cursor } => json!({ "items": items, "cursor": cursor }),
        };
        assert_eq!(printed, expected, "{name}");
    }
}

/// A caller of another runtime is checked anew.
#[test]
fn a_caller_belongs_to_whoever_checked_it() {
    let (one, other) = (ferryhook(), ferryhook());
    let (user, caller) = user(&one, "ada");
    let arguments = json!({ "userId": user["userId"] });
    assert!(matches!(call(&one, Some(&caller), "getUser", arguments.clone()), Ok(Answer::Value(_))));
    assert_eq!(call(&other, Some(&caller), "getUser", arguments.clone()), Ok(Answer::Nothing));
    assert!(call(&one, Some(&Caller::default()), "getUser", arguments).is_err());
}
