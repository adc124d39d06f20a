//! ListBackup from its version 1, and T3nets from tables that another program filled as the document lays them out.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use sortkey_api::Requests as _;
use sortkey_api::operations::PutItemInput;
use sortkey_design::{Design, FileLoader, compile};
use sortkey_embedded::{Embedded, block_on};
use sortkey_engine::Engine;
use sortkey_migrate::{Runner, Side};
use sortkey_value::{AttributeValue, Item, Map, Number};

use crate::support::{NOW_MS, World, call, try_call};

fn design(path: &str) -> Arc<Design> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems").join(path);
    let text = std::fs::read_to_string(&path).expect("the design");
    let compilation = compile(&path.to_string_lossy(), &text, &FileLoader);
    assert!(!compilation.has_errors(), "{:?}", compilation.diagnostics.first().map(|each| &each.title));
    compilation.design
}

fn world(folder: &str) -> World {
    let engine = Engine::memory(sortkey_engine::Settings::default());
    engine.stop_clock_at(NOW_MS);
    let of = |name: &str| design(&format!("{folder}/{name}.sk"));
    World { engine, before: of("before"), after: of("after"), elsewhere: None }
}

fn copied(world: &World) -> Runner {
    world.make_tables();
    let runner = world.runner();
    block_on(runner.prepare()).unwrap_or_else(|refusal| panic!("{refusal}"));
    block_on(runner.start()).unwrap_or_else(|refusal| panic!("{refusal}"));
    block_on(runner.copy(&mut |_| ())).unwrap_or_else(|refusal| panic!("{refusal}"));
    verified(&runner, "copied");
    runner
}

fn verified(runner: &Runner, when: &str) {
    let report = block_on(runner.verify(&mut |_| ())).expect("compared");
    assert_eq!(report.differences, 0, "{when}: {:?}", report.listed);
}

/// The four considerations of the document: addresses, the hierarchy, credentials, a selection of the activities.
#[test]
fn listbackup_from_version_1() {
    let world = world("listbackup/from-v1");
    let alone = world.old_alone();
    let id = |at: u64| format!("00000000-0000-4000-8000-{at:012}");
    let (ada, twin, company, branch) = (id(1), id(2), id(10), id(11));
    let (mail, crm) = (id(20), id(21));
    for (user, email) in [(&ada, "Ada@Example.ORG"), (&twin, "ada@example.org")] {
        call(&alone, "join", json!({ "userId": user, "email": email, "name": "Ada", "accountId": company }));
    }
    call(&alone, "open", json!({ "accountId": company, "name": "Example", "ownerId": ada }));
    call(
        &alone,
        "open",
        json!({ "accountId": branch, "name": "West", "companyId": company, "ownerId": ada }),
    );
    for (source, account) in [(&mail, &company), (&crm, &branch)] {
        let source = json!({ "sourceId": source, "accountId": account, "name": "Mail", "platform": "imap", "accessToken": "t0p-secret", "ownerId": ada });
        call(&alone, "connect", source);
    }
    for (at, kind) in [(1, "change"), (2, "api"), (3, "change")] {
        let time = i64::try_from(NOW_MS).unwrap_or_default() - at * 1_000;
        call(
            &alone,
            "log",
            json!({ "accountId": company, "at": time, "userId": ada, "kind": kind, "eventType": "source.added", "sourceId": mail }),
        );
    }

    world.make_tables();
    let survey = block_on(world.runner().survey(&mut |_| ())).expect("counted");
    assert_eq!(survey.unfit_count, 1, "{:?}", survey.unfit);
    assert!(survey.unfit[0].contains("a second User with this email"), "{:?}", survey.unfit);
    call(&alone, "rename", json!({ "userId": twin, "email": "twin@example.org" }));

    let runner = copied(&world);
    block_on(runner.switch()).expect("switched");
    let new = world.side(Side::New);
    let stored = |table: &str, key: &str, value: &str| {
        let is_it = |item: &&Map| item.get(key) == Some(&AttributeValue::S(value.to_owned()));
        let items = world.own_items(&format!("listbackup-{table}"));
        items.iter().find(is_it).cloned().unwrap_or_else(|| panic!("{table} {value}"))
    };
    let text = |text: &str| AttributeValue::S(text.to_owned());
    assert_eq!(stored("users", "userId", &ada)["email"], text("ada@example.org"));
    let west = stored("accounts", "accountId", &branch);
    assert_eq!(west["accountPath"], text(&format!("/{company}/{branch}/")));
    assert_eq!((&west["rootAccountId"], &west["parentAccountId"]), (&text(&company), &text(&company)));
    assert_eq!(west["level"], AttributeValue::N(Number::from(1)));
    assert!(!stored("accounts", "accountId", &company).contains_key("parentAccountId"), "absent, never NULL");
    let connection = stored("connections", "connectionId", &crm);
    assert!(!format!("{connection:?}").contains("t0p-secret"), "encrypted");
    assert!(!stored("sources", "sourceId", &crm).contains_key("accessToken"));
    assert_eq!(world.own_items("listbackup-activities").len(), 2, "calls of the API stay behind");
    let found = call(&new, "userForLogin", json!({ "email": "ADA@example.org" }));
    assert_eq!(found["userId"], *ada, "{found}");

    block_on(runner.back()).unwrap_or_else(|refusal| panic!("{refusal}"));
    let old = world.side(Side::Old);
    call(&old, "setActive", json!({ "sourceId": mail, "active": false, "accessToken": "another" }));
    call(&old, "disconnect", json!({ "sourceId": crm }));
    verified(&runner, "after writes of version 1");
    assert_eq!(stored("sources", "sourceId", &mail)["status"], text("paused"));
    assert_eq!(world.own_items("listbackup-connections").len(), 1, "a source takes its connection along");
    block_on(runner.switch()).expect("switched again");
    block_on(runner.finish(&mut |_| ())).unwrap_or_else(|refusal| panic!("{refusal}"));
}

/// F-05: items as the document lists them have the attributes of their key in the key alone.
#[test]
fn t3nets_from_the_tables_of_its_document() {
    let world = world("t3nets/from-document");
    let alone = world.old_alone();
    let put = |table: &str, pairs: &[(&str, &str)], ttl: Option<i64>| {
        let text =
            |(name, value): &(&str, &str)| ((*name).to_owned(), AttributeValue::S((*value).to_owned()));
        let mut item: Map = pairs.iter().map(text).collect();
        if let Some(ttl) = ttl {
            item.insert("ttl".to_owned(), AttributeValue::N(Number::from(ttl)));
        }
        let item = Item::from_map(&item).into();
        let input = PutItemInput { table_name: table.into(), item, ..PutItemInput::default() };
        block_on(Embedded::new(world.engine.clone()).put_item(input)).expect("stored");
    };
    let settings = r#"{"ai_provider":"bedrock","ai_model":"claude-sonnet-4-5-20250929","system_prompt_override":"","max_tokens_per_message":4096,"enabled_channels":["dashboard"],"enabled_skills":["sprint_status"],"custom_skills":[],"messages_per_day":1000,"max_conversation_history":20}"#;
    let tenant = "TENANT#outlocks";
    put(
        "tenants",
        &[
            ("pk", tenant),
            ("sk", "META"),
            ("tenant_id", "outlocks"),
            ("name", "Outlocks"),
            ("status", "active"),
            ("created_at", "2025-06-01T09:00:00Z"),
            ("settings", settings),
        ],
        None,
    );
    put(
        "tenants",
        &[
            ("pk", tenant),
            ("sk", "USER#admin"),
            ("user_id", "admin"),
            ("email", "admin@outlocks.example"),
            ("display_name", "Admin"),
            ("role", "admin"),
            ("channel_identities", r#"{"teams":"aad-id","slack":"U12345"}"#),
        ],
        None,
    );
    put(
        "tenants",
        &[
            ("pk", tenant),
            ("sk", "CHANNEL#teams#azure-bot-app-id"),
            ("gsi1pk", "CHANNEL#teams#azure-bot-app-id"),
            ("gsi1sk", tenant),
        ],
        None,
    );
    let messages = r#"[{"role":"user","content":"what's the sprint status?"},{"role":"assistant","content":"Here's your current sprint..."}]"#;
    // 2025-12-31T14:30:00Z, and thirty days later.
    let ttl = 1_767_191_400 + 30 * 86_400;
    put(
        "conversations",
        &[
            ("pk", "outlocks"),
            ("sk", "conv-abc-123"),
            ("messages", messages),
            ("updated_at", "2025-12-31T14:30:00Z"),
        ],
        Some(ttl),
    );

    let question = json!({ "tenant_id": "outlocks", "conversation_id": "conv-abc-123" });
    assert_eq!(call(&alone, "conversationOf", question.clone())["messages"][0]["role"], "user");
    let runner = copied(&world);
    let old = world.side(Side::Old);
    let turn = json!({ "tenant_id": "outlocks", "conversation_id": "conv-2", "messages": [{ "role": "user", "content": "hello" }] });
    call(&old, "saveTurn", turn);
    verified(&runner, "after a turn of the old program");
    block_on(runner.switch()).expect("switched");
    let new = world.side(Side::New);
    let whole = call(&new, "conversationOf", question);
    assert_eq!((&whole["tenant_id"], &whole["version"]), (&json!("outlocks"), &json!(0)), "{whole}");
    assert_eq!(whole["messages"][1]["content"], "Here's your current sprint...");
    assert_eq!(
        call(&new, "tenantOf", json!({ "tenant_id": "outlocks" }))["settings"]["messages_per_day"],
        1000
    );
    let tenants = call(&new, "listTenants", json!({}));
    assert_eq!(tenants[0]["name"], "Outlocks", "found by the new index");
    let again = json!({ "tenant_id": "outlocks", "user_id": "second", "email": "admin@outlocks.example", "display_name": "Two" });
    assert!(block_on(try_call(&old, "addUser", again)).is_err(), "the guard of the address is there");
    block_on(runner.finish(&mut |_| ())).unwrap_or_else(|refusal| panic!("{refusal}"));
    let conversations = world.own_items("conversations");
    assert_eq!(conversations.len(), 2);
    assert!(conversations.iter().all(|item| item.contains_key("tenant_id")), "{conversations:?}");
}
