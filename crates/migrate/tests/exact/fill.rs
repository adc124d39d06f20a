//! Sellers with what years leave behind: an account shared with twice, invites that were used or have expired, totals that differ
//! from their lines, capital letters, attributes that are missing.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::{Value as Json, json};
use sortkey_core::Runtime;

use crate::callers::as_owner;
use crate::support::call;

pub(crate) const SEASONS: usize = 4;
/// With two accounts, a profile, its shares, an invite and a catalog, a hundred items.
pub(crate) const ORDERS: usize = 89;
pub(crate) const OF_A_SELLER: usize = 100;

/// Writers at once: each waits for the disk.
const WRITERS: usize = 8;

/// The ids of a seller and its items.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seller {
    pub(crate) account: String,
    pub(crate) email: String,
    pub(crate) guest: String,
    pub(crate) guest_email: String,
    pub(crate) profile: String,
    pub(crate) catalog: String,
    pub(crate) seasons: Vec<String>,
    /// The season, the id and the customer of each order.
    pub(crate) orders: Vec<(String, String, String)>,
    /// The ids of shares of the guest, each with its permission.
    pub(crate) shares: Vec<(String, &'static str)>,
    pub(crate) invite: String,
    pub(crate) code: String,
    pub(crate) is_used: bool,
    pub(crate) has_expired: bool,
}

impl Seller {
    /// The ids of its items, as the new design has them.
    pub(crate) fn ids(&self) -> Vec<String> {
        let orders = self.orders.iter().map(|(_, id, _)| id.clone());
        let own = [&self.account, &self.guest, &self.profile, &self.catalog].map(String::clone);
        own.into_iter().chain(self.seasons.iter().cloned()).chain(orders).collect()
    }

    /// The items that the new design has of it, by table.
    pub(crate) fn counts(&self) -> [(&'static str, i64); 7] {
        [
            ("accounts", 2),
            ("profiles-v2", 1),
            ("shares", 1),
            ("invites", i64::from(self.is_used || !self.has_expired)),
            ("seasons-v2", SEASONS as i64),
            ("orders-v2", ORDERS as i64),
            ("catalogs-v2", 1),
        ]
    }
}

pub(crate) fn text(value: &Json, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

/// Fills the old tables with some sellers, several at a time.
pub(crate) fn sellers(old: &Runtime, which: Range<usize>) -> Vec<Seller> {
    let made: Vec<Vec<(usize, Seller)>> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let own = which.clone().skip(writer).step_by(WRITERS);
                scope.spawn(move || own.map(|at| (at, seller(old, at))).collect())
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().expect("no panic")).collect()
    });
    made.into_iter().flatten().collect::<BTreeMap<usize, Seller>>().into_values().collect()
}

fn seller(old: &Runtime, at: usize) -> Seller {
    let (email, guest_email) = (format!("Seller{at}@X.org"), format!("guest{at}@x.org"));
    let mut account = json!({ "email": email });
    if at.is_multiple_of(2) {
        account["isAdmin"] = json!(at.is_multiple_of(4));
    }
    let account = text(&call(old, "createAccount", account), "accountId");
    let guest = text(&call(old, "createAccount", json!({ "email": guest_email })), "accountId");
    let profile = json!({ "ownerAccountId": account, "sellerName": format!("Troop {at}") });
    let profile = text(&as_owner(old, &account, "createSellerProfile", profile), "profileId");
    let mut seller = Seller { account, guest, profile, guest_email, ..Seller::default() };
    seller.email = email.to_lowercase();
    shares(old, at, &mut seller);
    let catalog = json!({ "ownerAccountId": seller.account, "catalogName": format!("Catalog {at}"), "isPublic": at.is_multiple_of(2) });
    seller.catalog = text(&as_owner(old, &seller.account, "createCatalog", catalog), "catalogId");
    for number in 0..SEASONS {
        let mut season = json!({ "profileId": seller.profile, "seasonName": format!("Season {number}"), "startDate": "2026-01-01" });
        if number.is_multiple_of(2) {
            season["catalogId"] = json!(seller.catalog);
        } else {
            season["endDate"] = json!("2026-06-30");
        }
        let season = as_owner(old, &seller.account, "createSeason", json!({ "input": season }));
        seller.seasons.push(text(&season, "seasonId"));
    }
    for number in 0..ORDERS {
        let season = seller.seasons[number % SEASONS].clone();
        let order = order(&seller.profile, &season, &format!("Customer {number}"), number);
        let customer = text(&order, "customerName");
        let id = text(&as_owner(old, &seller.account, "createOrder", order), "orderId");
        seller.orders.push((season, id, customer));
    }
    seller
}

/// The guest is given one permission after the other, and redeems every third invite.
fn shares(old: &Runtime, at: usize, seller: &mut Seller) {
    for rights in ["READ", "WRITE"] {
        let share = json!({
            "profileId": seller.profile, "targetAccountId": seller.guest, "permissions": [rights], "createdByAccountId": seller.account
        });
        seller.shares.push((text(&call(old, "shareProfile", share), "shareId"), rights));
    }
    seller.code = format!("{at:010}");
    seller.has_expired = at.is_multiple_of(5);
    let expires = if seller.has_expired { "2020-01-10T00:00:00.000Z" } else { "2090-01-10T00:00:00.000Z" };
    let invite = json!({
        "profileId": seller.profile, "inviteCode": seller.code, "permissions": ["READ"], "createdByAccountId": seller.account,
        "expiresAt": expires
    });
    seller.invite = text(&call(old, "inviteToProfile", invite), "inviteId");
    seller.is_used = at.is_multiple_of(3);
    if seller.is_used {
        let redeemed = json!({ "profileId": seller.profile, "inviteId": seller.invite });
        as_owner(old, &seller.guest, "redeemProfileInvite", redeemed);
    }
}

/// An order as the old design takes it. Every third total is not that of its lines.
pub(crate) fn order(profile: &str, season: &str, customer: &str, number: usize) -> Json {
    let quantity = number % 9 + 1;
    let total = quantity * 3 + if number.is_multiple_of(3) { 1 } else { 0 };
    let method = ["cash", "check", "card", "other"][number % 4];
    let mut order = json!({
        "seasonId": season, "profileId": profile, "customerName": customer, "orderDate": "2025-12-31", "totalAmount": total,
        "paymentMethod": method,
        "lineItems": [{ "sku": "a", "title": "Mints", "quantity": quantity, "price": 3 }]
    });
    if number.is_multiple_of(4) {
        order["customerPhone"] = json!("555-0100");
    }
    if number.is_multiple_of(7) {
        order["notes"] = json!("rings twice");
    }
    order
}
