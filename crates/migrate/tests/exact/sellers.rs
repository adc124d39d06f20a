//! Seller profiles, from the five tables that run today to the seven of the next design.
//!
//! `SORTKEY_MIGRATE_PROFILES=20000 cargo test -p sortkey-migrate --test exact sellers -- --nocapture` does it with more items.

use std::time::Instant;

use serde_json::json;
use sortkey_api::Requests as _;
use sortkey_api::operations::DescribeTableInput;
use sortkey_api::shapes::table::KeySchemaElement;
use sortkey_embedded::block_on;
use sortkey_engine::Engine;
use sortkey_migrate::{Copied, Side};

use crate::callers::{as_owner, design};
use crate::support::{NOW_MS, World, call};

/// Some invites have expired: the old design keeps them for good, the new one has a TTL.
fn expires(at: usize, count: usize) -> bool {
    at % 5 < 2 && at + 1 != count
}

/// F-48, F-30: the old design had lost attributes and had no operations, and the mapping refused codes in circulation.
#[test]
fn five_tables_become_seven() {
    let engine = Engine::memory(sortkey_engine::Settings::default());
    engine.stop_clock_at(NOW_MS);
    let (before, after) = (design("seller-profiles-before.sk"), design("seller-profiles.sk"));
    let world = World { engine, before, after, elsewhere: None };
    let old = world.old_alone();
    let count: usize =
        std::env::var("SORTKEY_MIGRATE_PROFILES").ok().and_then(|text| text.parse().ok()).unwrap_or(12);
    let text = |value: &serde_json::Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let mut last = (String::new(), String::new(), String::new());
    let mut guest = String::new();
    for at in 0..count {
        let account = call(
            &old,
            "createAccount",
            json!({ "email": format!("Seller{at}@X.org"), "isAdmin": at.is_multiple_of(2) }),
        );
        let account = text(&account, "accountId");
        if at == 0 {
            guest.clone_from(&account);
        }
        let profile = as_owner(
            &old,
            &account,
            "createSellerProfile",
            json!({ "ownerAccountId": account, "sellerName": "Troop" }),
        );
        let profile = text(&profile, "profileId");
        for rights in ["READ", "WRITE"] {
            let share = json!({ "profileId": profile, "targetAccountId": account, "permissions": [rights], "createdByAccountId": account });
            call(&old, "shareProfile", share);
        }
        let invite = json!({
            "profileId": profile, "inviteCode": format!("{at:010}"), "permissions": ["READ"],
            "createdByAccountId": account,
            "expiresAt": if expires(at, count) { "2025-12-31T00:00:00.000Z" } else { "2026-01-10T00:00:00.000Z" }
        });
        let invite = call(&old, "inviteToProfile", invite);
        if at.is_multiple_of(3) && at + 1 != count {
            as_owner(
                &old,
                &account,
                "redeemProfileInvite",
                json!({ "profileId": profile, "inviteId": invite["inviteId"] }),
            );
        }
        let season =
            json!({ "input": { "profileId": profile, "seasonName": "Fall", "startDate": "2026-01-01" } });
        let season = text(&as_owner(&old, &account, "createSeason", season), "seasonId");
        let mut order = json!({
            "seasonId": season, "profileId": profile, "customerName": "Cy", "paymentMethod": "check", "orderDate": "2025-12-31",
            "totalAmount": if at.is_multiple_of(2) { 6 } else { 99 },
            "lineItems": [{ "sku": "a", "title": "Mints", "quantity": 2, "price": 3 }]
        });
        if at.is_multiple_of(4) {
            order["customerPhone"] = json!("555");
        }
        as_owner(&old, &account, "createOrder", order);
        as_owner(
            &old,
            &account,
            "createCatalog",
            json!({ "ownerAccountId": account, "catalogName": "C", "isPublic": true }),
        );
        last = (account, profile, season);
    }
    world.make_tables();
    let runner = world.runner();
    let survey = block_on(runner.survey(&mut |_| ())).expect("counted");
    assert_eq!(survey.unfit_count, 0, "{:?}", survey.unfit);
    let row = |name: &str| survey.rows.iter().find(|row| *row.new == *name).expect("a row");
    assert!(
        row("Share").keys == count as u64 && row("Share").items >= 2 * count as u64,
        "duplicates are merged"
    );
    let differing =
        row("Order").recomputed.iter().find(|(name, _)| &**name == "totalAmount").map(|(_, count)| *count);
    assert_eq!(differing, Some((count / 2) as u64), "orders whose total differs from their lines");

    block_on(runner.prepare()).expect("prepared");
    block_on(runner.start()).expect("started");
    let begun = Instant::now();
    // The phases of the document: profiles with their shares and invites, then seasons, then orders.
    for gate in ["profiles", "seasons", "orders"] {
        block_on(runner.until(Some(gate))).unwrap_or_else(|refusal| panic!("{refusal}"));
        assert_eq!(
            block_on(runner.copy(&mut |_| ())).unwrap_or_else(|refusal| panic!("{refusal}")),
            Copied::AtGate
        );
        let refusal = block_on(runner.until(None)).expect_err("nothing was compared");
        assert!(refusal.to_string().contains(gate), "{refusal}");
        let report = block_on(runner.verify(&mut |_| ())).expect("compared");
        assert_eq!(report.differences, 0, "{gate}: {:?}", report.listed);
        let refusal = block_on(runner.switch()).expect_err("the copy is not whole");
        assert!(refusal.to_string().contains("has not reached its end"), "{refusal}");
    }
    block_on(runner.until(None)).expect("the last gate is open");
    assert_eq!(block_on(runner.copy(&mut |_| ())).expect("copied"), Copied::Done);
    let refusal = block_on(runner.switch()).expect_err("only what was copied up to a gate was compared");
    assert!(refusal.to_string().contains("gate"), "{refusal}");
    let state = block_on(runner.state()).expect("read").expect("begun");
    let copied: u64 = state.walks.values().map(|walk| walk.copied).sum();
    let seconds = begun.elapsed().as_secs_f64();
    eprintln!("{copied} items copied in {seconds:.2} s: {:.0} in a second", copied as f64 / seconds);
    let report = block_on(runner.verify(&mut |_| ())).expect("compared");
    assert_eq!(report.differences, 0, "{:?}", report.listed);
    // Invites that were redeemed come along as evidence, even if their time is over; others that have expired stay behind.
    let used = |at: usize| at.is_multiple_of(3) && at + 1 != count;
    let wanted = (0..count).filter(|at| used(*at) || !expires(*at, count)).count();
    assert_eq!(world.own_items("invites").len(), wanted);
    assert_eq!(survey.expired, (count - wanted) as u64);
    let (old, new) = (world.side(Side::Old), world.side(Side::New));
    let (account, profile, season) = &last;
    block_on(runner.switch()).expect("switched");
    let orders = as_owner(&new, account, "listOrdersBySeason", json!({ "seasonId": season }));
    assert_eq!(orders[0]["ownerAccountId"], **account);
    assert_eq!((&orders[0]["paymentMethod"], &orders[0]["totalAmount"]), (&json!("check"), &json!(6)));
    let shares = as_owner(&new, account, "listSharesByProfile", json!({ "profileId": profile }));
    assert_eq!(shares[0]["permissions"], json!(["READ", "WRITE"]));
    let code = format!("{:010}", count - 1);
    as_owner(&new, &guest, "redeemProfileInvite", json!({ "inviteCode": code }));
    as_owner(
        &new,
        account,
        "updateSellerProfile",
        json!({ "ownerAccountId": account, "profileId": profile, "sellerName": "Pack" }),
    );
    block_on(runner.back()).unwrap_or_else(|refusal| panic!("{refusal}"));
    assert_eq!(as_owner(&old, account, "getProfile", json!({ "profileId": profile }))["sellerName"], "Pack");
    let used = call(&old, "inviteByCode", json!({ "inviteCode": code }));
    assert_eq!(used["usedByAccountId"], guest, "{used}");
    block_on(runner.switch()).expect("switched");
    let report = block_on(runner.verify(&mut |_| ())).expect("compared");
    assert_eq!(report.differences, 0, "{:?}", report.listed);
    block_on(runner.finish(&mut |_| ())).expect("finished");
    let is_left =
        |item: &sortkey_value::Map| item.contains_key("isAdmin") || item.contains_key("sortkey#from");
    for (table, keys) in TABLES {
        let items = world.own_items(table);
        assert!(!items.is_empty(), "{table}");
        assert!(!items.iter().any(is_left), "{table}");
        assert_eq!(keys_of(&world, table), keys, "{table}");
    }
}

/// The seven tables of the document: the key of each, and of its indexes. `-v2` where the old name is taken; `byCreation` keeps the
/// order of lists that the document's keys lose, and catalogs are listed by their day and by shards.
const TABLES: [(&str, &[&str]); 7] = [
    ("accounts", &["accountId", "email-index: email"]),
    ("profiles-v2", &["ownerAccountId, profileId", "profileId-index: profileId"]),
    ("shares", &["profileId, targetAccountId", "targetAccountId-index: targetAccountId, createdAt"]),
    ("invites", &["inviteCode", "profileId-index: profileId, createdAt"]),
    (
        "seasons-v2",
        &[
            "profileId, seasonId",
            "byCreation: profileId, createdAt",
            "catalogId-index: catalogId",
            "seasonId-index: seasonId",
        ],
    ),
    (
        "orders-v2",
        &[
            "seasonId, orderId",
            "byCreation: seasonId, createdAt",
            "orderId-index: orderId",
            "profileId-index: profileId, createdAt",
        ],
    ),
    (
        "catalogs-v2",
        &[
            "catalogId",
            "isPublic-createdAt-index: publicShard, createdAt",
            "ownerAccountId-index: ownerAccountId, createdAt",
        ],
    ),
];

/// The key of a table, and those of its indexes by name.
fn keys_of(world: &World, table: &str) -> Vec<String> {
    let input = DescribeTableInput { table_name: table.into() };
    let described =
        block_on(world.backend().describe_table(input)).expect("described").table.expect("a table");
    let names = |key: Option<Vec<KeySchemaElement>>| {
        let names: Vec<String> =
            key.unwrap_or_default().into_iter().map(|part| part.attribute_name).collect();
        names.join(", ")
    };
    let index = |name: Option<String>, key| format!("{}: {}", name.unwrap_or_default(), names(key));
    let local = described.local_secondary_indexes.unwrap_or_default();
    let global = described.global_secondary_indexes.unwrap_or_default();
    let local = local.into_iter().map(|each| index(each.index_name, each.key_schema));
    let global = global.into_iter().map(|each| index(each.index_name, each.key_schema));
    let mut indexes: Vec<String> = local.chain(global).collect();
    indexes.sort_unstable();
    [vec![names(described.key_schema)], indexes].concat()
}
