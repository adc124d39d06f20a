//! Promises of the documents of Seller profiles and T3nets about tables and items, number by number: tables as DescribeTable
//! shows them, items as they are stored after everything was made once through the API.
//!
//! F-51: a number of the checklist counted as kept if a declaration of its name existed.

use crate::support;
use std::path::Path;

use crate::support::Api;
use crate::support::deployment::Deployment;
use serde_json::{Value as Json, json};
use sortkey_design::{FileLoader, compile};
use sortkey_gateway::Admission;

#[test]
fn every_number_of_seller_profiles_without_a_test_is_found_in_the_tables() {
    kept("SP", &["tests.sk"], &sellers(), Some(&sellers_before()), 90);
}

#[test]
fn every_number_of_t3nets_without_a_test_is_found_in_the_tables() {
    kept("T3", &["tests.sk"], &chat(), None, 40);
}

fn kept(prefix: &str, tests: &[&str], now: &Deployment, before: Option<&Deployment>, least: usize) {
    let folder = now.runtime.design().name.text.clone();
    let named = named_by_tests(&folder, tests);
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for (number, places) in checklist(prefix).iter().filter(|(number, _)| !named.contains(number)) {
        for place in places.iter().filter(|place| !place.starts_with("- ") && !place.starts_with("test ")) {
            compared += 1;
            let found = match (place.strip_prefix("before "), before) {
                (Some(place), Some(before)) => before.compare(place),
                _ => now.compare(place),
            };
            if let Err(why) = found {
                wrong.push(format!("{number} {place}: {why}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared >= least, "only {compared} were compared");
}

/// The numbers of a document and the places that keep them.
fn checklist(prefix: &str) -> Vec<(String, Vec<String>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems/checklist.tsv");
    let text = std::fs::read_to_string(path).expect("the checklist is there");
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        (fields[0].to_owned(), fields[3].split("; ").map(str::to_owned).collect())
    };
    text.lines().filter(|line| line.starts_with(prefix)).map(row).collect()
}

/// The numbers that tests of a design name in their titles.
fn named_by_tests(system: &str, files: &[&str]) -> Vec<String> {
    let numbers = |file: &&str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems").join(system).join(file);
        let text = std::fs::read_to_string(&path).expect("the tests are there");
        let tests = compile(&path.to_string_lossy(), &text, &FileLoader).design;
        let titles =
            tests.tests.iter().map(|test| test.title.split(':').next().unwrap_or_default().to_owned());
        titles
            .flat_map(|text| text.split([' ', ',']).map(str::to_owned).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    };
    files.iter().flat_map(numbers).collect()
}

/// Calls operations, each of which must succeed.
fn caller(api: &Api) -> impl Fn(&str, Option<&Json>, Json) -> Json {
    move |path, caller, arguments| {
        let caller = caller.map(Json::to_string);
        let headers: Vec<(&str, &str)> =
            caller.iter().map(|caller| ("sortkey-caller", caller.as_str())).collect();
        let got = api.post(&format!("/api/{path}"), &headers, &arguments);
        assert!((200..300).contains(&got.status), "{path}: {}", got.text());
        serde_json::from_slice(&got.body).unwrap_or(Json::Null)
    }
}

fn lines() -> Json {
    json!([{ "sku": "a", "title": "Mix", "quantity": 3, "price": 19.99 }])
}

fn sellers() -> Deployment {
    let runtime = support::runtime("seller-profiles");
    let api = Api::on(runtime.clone(), Admission::Open);
    let call = caller(&api);
    let ann = call("createAccount", None, json!({ "email": "ann@x.com" }));
    let bob = call("createAccount", None, json!({ "email": "bob@x.com" }));
    let (owner, friend) = (&ann["accountId"], &bob["accountId"]);
    let as_ann = json!({ "accountId": owner });
    let (as_ann, as_bob) = (Some(&as_ann), json!({ "accountId": friend }));
    let profile =
        call("profiles/create", as_ann, json!({ "ownerAccountId": owner, "sellerName": "Troop 7" }));
    let key = json!({ "ownerAccountId": owner, "profileId": profile["profileId"] });
    let with = |more: Json| {
        let mut all = key.clone();
        all.as_object_mut()
            .into_iter()
            .for_each(|all| all.extend(more.as_object().cloned().unwrap_or_default()));
        all
    };
    let invite = call("invites/create", as_ann, with(json!({ "permissions": ["READ"] })));
    call("invites/redeem", Some(&as_bob), json!({ "inviteCode": invite["code"] }));
    let more = |name: &str| call("invites/create", as_ann, with(json!({ "permissions": [name] })));
    more("WRITE");
    let public = json!({ "ownerAccountId": owner, "catalogName": "Popcorn", "isPublic": true });
    let catalog = call("catalogs/create", as_ann, public);
    let season = json!({
        "seasonName": "Spring", "startDate": "2026-03-01", "endDate": "2026-05-01", "catalogId": catalog["catalogId"],
    });
    let season = call("seasons/create", as_ann, json!({ "input": with(season) }));
    let order = json!({
        "seasonId": season["seasonId"], "customerName": "Cyd", "customerPhone": "555", "paymentMethod": "cash",
        "notes": "soon", "orderDate": "2026-03-02", "lineItems": lines(),
    });
    call("orders/create", as_ann, json!({ "input": with(order) }));
    drop(call);
    Deployment::of(runtime, api)
}

fn sellers_before() -> Deployment {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems/seller-profiles/seller-profiles-before.sk");
    let text = std::fs::read_to_string(&path).expect("the design is there");
    let runtime = support::runtime_of(compile(&path.to_string_lossy(), &text, &FileLoader).design);
    let api = Api::on(runtime.clone(), Admission::Open);
    let call = caller(&api);
    let ann = call("createAccount", None, json!({ "email": "ann@x.com" }));
    let bob = call("createAccount", None, json!({ "email": "bob@x.com" }));
    let owner = &ann["accountId"];
    let as_ann = json!({ "accountId": owner });
    let as_ann = Some(&as_ann);
    let profile =
        call("createSellerProfile", as_ann, json!({ "ownerAccountId": owner, "sellerName": "Troop 7" }));
    let id = &profile["profileId"];
    let share = json!({ "profileId": id, "targetAccountId": bob["accountId"], "permissions": ["READ"], "createdByAccountId": owner });
    call("shareProfile", None, share);
    let invite = json!({ "profileId": id, "permissions": ["READ"], "createdByAccountId": owner, "inviteCode": "5CB7297E-C", "expiresAt": "2026-01-10T00:00:00.000Z" });
    call("inviteToProfile", None, invite);
    let catalog = json!({ "ownerAccountId": owner, "catalogName": "Popcorn", "isPublic": true });
    let catalog = call("createCatalog", as_ann, catalog);
    let season = json!({ "profileId": id, "seasonName": "Spring", "startDate": "2026-03-01", "catalogId": catalog["catalogId"] });
    let season = call("createSeason", as_ann, json!({ "input": season }));
    let order = json!({
        "seasonId": season["seasonId"], "profileId": id, "customerName": "Cyd", "paymentMethod": "cash", "orderDate": "2026-03-02",
        "lineItems": lines(), "totalAmount": 59.97,
    });
    call("createOrder", as_ann, order);
    drop(call);
    Deployment::of(runtime, api)
}

fn chat() -> Deployment {
    let runtime = support::runtime("t3nets");
    let api = Api::on(runtime.clone(), Admission::Open);
    let call = caller(&api);
    let settings = json!({
        "ai_model": "claude-sonnet-4-5-20250929", "enabled_channels": ["dashboard", "teams"], "enabled_skills": ["sprint_status"],
        "custom_skills": [],
    });
    call(
        "tenants/create",
        None,
        json!({ "tenant_id": "outlocks", "name": "Outlocks", "settings": settings }),
    );
    call("tenants/setStatus", None, json!({ "tenant_id": "outlocks", "status": "active" }));
    let admin = json!({ "tenant_id": "outlocks", "user_id": "admin", "role": "admin" });
    let admin = Some(&admin);
    let user = json!({
        "user_id": "admin", "email": "root@x.com", "display_name": "Root", "role": "admin",
        "channel_identities": { "teams": "aad-id", "slack": "U12345" },
    });
    call("users/create", admin, user);
    call("channels/map", admin, json!({ "type": "teams", "id": "azure-bot-app-id" }));
    let messages = json!([{ "role": "user", "content": "hi" }, { "role": "assistant", "content": "hello" }]);
    call(
        "conversations/save",
        admin,
        json!({ "conversation_id": "conv-abc-123", "requestId": "1", "turn": messages }),
    );
    call("memories/remember", admin, json!({ "user_id": "admin", "summary": "one", "key_facts": ["x"] }));
    drop(call);
    Deployment::of(runtime, api)
}
