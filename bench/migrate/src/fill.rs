//! Seller profiles with everything that years leave behind: two shares of one profile with one account, invites that were used,
//! totals that differ from their lines, capital letters, attributes that are missing.

use serde_json::{Value as Json, json};
use sortkey_core::Runtime;

use crate::world::call;

/// Items of one seller: an account, a profile, two shares, an invite, seasons, orders, a catalog.
const OF_A_SELLER: usize = 100;
const SEASONS: usize = 4;

/// Writers at once: each waits for the disk.
const WRITERS: usize = 8;

/// Fills the old tables.
pub fn fill(old: &Runtime, items: usize) {
    let count = items.div_ceil(OF_A_SELLER);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            scope.spawn(move || (writer..count).step_by(WRITERS).for_each(|at| seller(old, at)));
        }
    });
}

fn seller(old: &Runtime, at: usize) {
    let ask = |account: &str, name: &str, arguments: Json| {
        call(old, account, name, arguments).unwrap_or_else(|failure| panic!("{name}: {failure}"))
    };
    let text = |value: &Json, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let account =
        ask("", "createAccount", json!({ "email": format!("Seller{at}@X.org"), "isAdmin": at % 2 == 0 }));
    let account = text(&account, "accountId");
    let profile = json!({ "ownerAccountId": account, "sellerName": format!("Troop {at}") });
    let profile = text(&ask(&account, "createSellerProfile", profile), "profileId");
    for rights in ["READ", "WRITE"] {
        let share = json!({ "profileId": profile, "targetAccountId": account, "permissions": [rights], "createdByAccountId": account });
        ask("", "shareProfile", share);
    }
    let invite = json!({
        "profileId": profile, "inviteCode": format!("{at:010}"), "permissions": ["READ"], "createdByAccountId": account,
        "expiresAt": if at % 5 == 0 { "2020-01-10T00:00:00.000Z" } else { "2090-01-10T00:00:00.000Z" }
    });
    let invite = ask("", "inviteToProfile", invite);
    if at % 3 == 0 {
        let redeemed = json!({ "profileId": profile, "inviteId": invite["inviteId"] });
        ask(&account, "redeemProfileInvite", redeemed);
    }
    let catalog = json!({ "ownerAccountId": account, "catalogName": "C", "isPublic": at % 2 == 0 });
    ask(&account, "createCatalog", catalog);
    let mut seasons = Vec::new();
    for season in 0..SEASONS {
        let input = json!({ "profileId": profile, "seasonName": format!("Season {season}"), "startDate": "2026-01-01" });
        seasons.push(text(&ask(&account, "createSeason", json!({ "input": input })), "seasonId"));
    }
    for number in 0..OF_A_SELLER - SEASONS - 6 {
        let season = &seasons[number % SEASONS];
        let mut order = json!({
            "seasonId": season, "profileId": profile, "customerName": format!("Customer {number}"), "paymentMethod": "check",
            "orderDate": "2025-12-31", "totalAmount": if number % 10 == 0 { 99 } else { 6 },
            "lineItems": [{ "sku": "a", "title": "Mints", "quantity": 2, "price": 3 }]
        });
        if number % 4 == 0 {
            order["customerPhone"] = json!("555-0100");
        }
        if number % 7 == 0 {
            order["notes"] = json!("rings twice");
        }
        ask(&account, "createOrder", order);
    }
}
