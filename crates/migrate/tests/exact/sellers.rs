//! Seller profiles, from the five tables that run today to the seven of the next design.
//!
//! `SORTKEY_MIGRATE_PROFILES=20000 cargo test -p sortkey-migrate --test exact sellers -- --nocapture` does it with more items.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use sortkey_core::{Failure, Runtime};
use sortkey_design::{Design, FileLoader, compile};
use sortkey_embedded::block_on;
use sortkey_engine::Engine;
use sortkey_migrate::{Copied, Side};

use crate::support::{NOW_MS, World, call};

pub(crate) fn design(name: &str) -> Arc<Design> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../systems/seller-profiles").join(name);
    let text = std::fs::read_to_string(&path).expect("the system");
    let compilation = compile(&path.to_string_lossy(), &text, &FileLoader);
    assert!(!compilation.has_errors(), "{:?}", compilation.diagnostics.first().map(|each| &each.title));
    compilation.design
}

/// A call of the system.
pub(crate) fn try_system(
    runtime: &Runtime,
    name: &str,
    arguments: serde_json::Value,
) -> Result<serde_json::Value, Failure> {
    block_on(crate::support::try_call(runtime, name, arguments))
}

/// A call as an account; a call of the system where the design requires one.
pub(crate) fn try_as_owner(
    runtime: &Runtime,
    account: &str,
    name: &str,
    arguments: serde_json::Value,
) -> Result<serde_json::Value, Failure> {
    let caller = json!({ "accountId": account }).as_object().cloned().unwrap_or_default();
    let caller = runtime.caller(caller)?;
    let arguments = arguments.as_object().cloned().unwrap_or_default().try_into()?;
    let call = sortkey_core::Call { name, caller: Some(&caller), arguments, ..sortkey_core::Call::default() };
    Ok(match block_on(runtime.call(call))? {
        sortkey_core::Answer::Value(value) => value,
        sortkey_core::Answer::Page { items, .. } => json!(items),
        sortkey_core::Answer::Nothing => json!(null),
    })
}

pub(crate) fn as_owner(
    runtime: &Runtime,
    account: &str,
    name: &str,
    arguments: serde_json::Value,
) -> serde_json::Value {
    try_as_owner(runtime, account, name, arguments).unwrap_or_else(|failure| panic!("{name}: {failure}"))
}

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
    for table in ["accounts", "profiles-v2", "shares", "invites", "seasons-v2", "orders-v2", "catalogs-v2"] {
        let items = world.own_items(table);
        assert!(!items.is_empty(), "{table}");
        assert!(!items.iter().any(is_left), "{table}");
    }
}
