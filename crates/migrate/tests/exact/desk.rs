//! The items that a writer has stored, and the comparison of the new design with them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};
use sortkey_core::Runtime;

use crate::callers::try_as_owner;
use crate::fill::Seller;

pub(crate) type Rights = BTreeSet<String>;

/// The shares of one profile with one account: several in the old design, one in the new one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Share {
    pub(crate) rights: Rights,
    /// Those of the old design by id; none if the id of one is not known, since a design made it up.
    pub(crate) ids: Option<BTreeMap<String, Rights>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Invite {
    /// None if the new design made it.
    pub(crate) id: Option<String>,
    pub(crate) profile: String,
    pub(crate) rights: Rights,
    pub(crate) is_used: bool,
    pub(crate) has_expired: bool,
}

/// A seller whose items only one writer changes.
#[derive(Default)]
pub(crate) struct Desk {
    /// What is never deleted: an account, a guest, a profile, a season and a catalog.
    pub(crate) account: String,
    pub(crate) guest: String,
    pub(crate) profile: String,
    pub(crate) season: String,
    pub(crate) catalog: String,
    /// The last name of every item by id; none where it was deleted.
    pub(crate) names: BTreeMap<String, Option<String>>,
    /// The season of an order, the profile of a season.
    pub(crate) parents: BTreeMap<String, String>,
    /// Catalogs that seasons use.
    pub(crate) used: BTreeSet<String>,
    /// By profile and account.
    pub(crate) shares: BTreeMap<(String, String), Option<Share>>,
    /// How many invites were redeemed in the old design, each of which makes one more share, by profile.
    pub(crate) redeemed: BTreeMap<String, usize>,
    /// By code.
    pub(crate) invites: BTreeMap<String, Option<Invite>>,
}

impl Desk {
    pub(crate) fn of(seller: &Seller) -> Desk {
        let mut desk = Desk {
            account: seller.account.clone(),
            guest: seller.guest.clone(),
            profile: seller.profile.clone(),
            season: seller.seasons[0].clone(),
            catalog: seller.catalog.clone(),
            ..Desk::default()
        };
        let number = seller.code.trim_start_matches('0');
        let number = if number.is_empty() { "0" } else { number };
        desk.is_now(&seller.account, &seller.email);
        desk.is_now(&seller.guest, &seller.guest_email);
        desk.is_now(&seller.profile, &format!("Troop {number}"));
        desk.is_now(&seller.catalog, &format!("Catalog {number}"));
        desk.used.insert(seller.catalog.clone());
        for (at, season) in seller.seasons.iter().enumerate() {
            desk.is_now(season, &format!("Season {at}"));
            desk.parents.insert(season.clone(), seller.profile.clone());
        }
        for (season, order, customer) in &seller.orders {
            desk.is_now(order, customer);
            desk.parents.insert(order.clone(), season.clone());
        }
        let rights = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Rights>();
        let ids = seller.shares.iter().map(|(id, right)| (id.clone(), rights(&[*right]))).collect();
        // The redeemed invite made a third one.
        let ids = (!seller.is_used).then_some(ids);
        let share = Share { rights: rights(&["READ", "WRITE"]), ids };
        desk.shares.insert((seller.profile.clone(), seller.guest.clone()), Some(share));
        let invite = Invite {
            id: Some(seller.invite.clone()),
            profile: seller.profile.clone(),
            rights: rights(&["READ"]),
            is_used: seller.is_used,
            has_expired: seller.has_expired,
        };
        desk.invites.insert(seller.code.clone(), Some(invite));
        desk
    }

    pub(crate) fn is_now(&mut self, id: &str, name: &str) {
        self.names.insert(id.to_owned(), Some(name.to_owned()));
    }

    /// Ids of one kind that are there.
    pub(crate) fn there(&self, kind: &str) -> Vec<String> {
        let ids = self.names.iter().filter(|(id, name)| id.starts_with(kind) && name.is_some());
        ids.map(|(id, _)| id.clone()).collect()
    }

    /// An item is deleted with everything below it.
    pub(crate) fn is_gone(&mut self, id: &str) {
        self.names.insert(id.to_owned(), None);
        let below = self.parents.iter().filter(|(_, parent)| **parent == *id);
        let below: Vec<String> = below.map(|(child, _)| child.clone()).collect();
        below.iter().for_each(|child| self.is_gone(child));
        self.shares
            .iter_mut()
            .filter(|((profile, _), _)| *profile == *id)
            .for_each(|(_, share)| *share = None);
        let of = |invite: &Option<Invite>| invite.as_ref().is_some_and(|invite| *invite.profile == *id);
        self.invites.values_mut().filter(|invite| of(invite)).for_each(|invite| *invite = None);
    }

    /// The ids of its items, as the new design has them.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.there("")
    }

    /// The items that the new design has of this desk, by table.
    pub(crate) fn counts(&self) -> [(&'static str, i64); 7] {
        let names = |kind: &str| self.there(kind).len() as i64;
        let is_there = |invite: &&Invite| invite.is_used || !invite.has_expired;
        [
            ("accounts", names("ACCOUNT#")),
            ("profiles-v2", names("PROFILE#")),
            ("shares", self.shares.values().flatten().count() as i64),
            ("invites", self.invites.values().flatten().filter(is_there).count() as i64),
            ("seasons-v2", names("SEASON#")),
            ("orders-v2", names("ORDER#")),
            ("catalogs-v2", names("CATALOG#")),
        ]
    }
}

/// The comparison of the new design with the items of a writer.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) items: usize,
    pub(crate) lost: Vec<String>,
    pub(crate) differing: Vec<String>,
    pub(crate) resurrected: Vec<String>,
}

impl Tally {
    fn add(&mut self, what: &str, wanted: Option<Json>, found: Json) {
        self.items += usize::from(wanted.is_some());
        match (wanted, found) {
            (Some(_), Json::Null) => self.lost.push(what.to_owned()),
            (Some(wanted), found) if wanted != found => {
                self.differing.push(format!("{what}: {found} for {wanted}"))
            }
            (None, found) if !found.is_null() => self.resurrected.push(format!("{what}: {found}")),
            _ => {}
        }
    }

    /// Asks the new design for everything that a writer has made, changed or deleted.
    pub(crate) fn count(&mut self, new: &Runtime, desk: &Desk) {
        for (id, name) in &desk.names {
            let parent = desk.parents.get(id);
            let (account, pattern, key, attribute) = match id.split('#').next() {
                Some("ACCOUNT") => (id, "getMyAccount", json!({ "accountId": id }), "email"),
                Some("PROFILE") => {
                    (&desk.account, "getSellerProfile", json!({ "profileId": id }), "sellerName")
                }
                Some("SEASON") => (&desk.account, "getSeason", json!({ "seasonId": id }), "seasonName"),
                Some("ORDER") => {
                    let key = json!({ "seasonId": parent, "orderId": id });
                    (&desk.account, "getOrderOf", key, "customerName")
                }
                _ => (&desk.account, "getCatalog", json!({ "catalogId": id }), "catalogName"),
            };
            let found = try_as_owner(new, account, pattern, key).unwrap_or_default();
            self.add(id, name.as_ref().map(|name| json!(name)), found[attribute].clone());
        }
        for ((profile, target), share) in &desk.shares {
            let key = json!({ "profileId": profile, "targetAccountId": target });
            let found = try_as_owner(new, &desk.account, "getShare", key).unwrap_or_default();
            let wanted = share.as_ref().map(|share| json!(share.rights));
            self.add(&format!("share of {profile} with {target}"), wanted, found["permissions"].clone());
        }
        for (code, invite) in &desk.invites {
            let found = try_as_owner(new, &desk.account, "getInvite", json!({ "inviteCode": code }))
                .unwrap_or_default();
            let found = if found.is_null() { found } else { json!(!found["usedAt"].is_null()) };
            let invite = invite.as_ref().filter(|invite| invite.is_used || !invite.has_expired);
            self.add(&format!("invite {code}"), invite.map(|invite| json!(invite.is_used)), found);
        }
    }
}
