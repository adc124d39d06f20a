//! Readers of seller profiles: every pattern of the design that answers.

use serde_json::{Value as Json, json};
use sortkey_core::{FailureKind, Runtime};
use sortkey_migrate::Side;

use crate::callers::{try_as_owner, try_system};
use crate::desk::Desk;

/// What readers ask about a seller.
pub(crate) struct Questions {
    account: String,
    patterns: Vec<(&'static str, Json)>,
}

/// Patterns whose answer is about something that is never deleted.
const SURE: [&str; 8] = [
    "getMyAccount",
    "getProfile",
    "getSellerProfile",
    "getProfileOf",
    "getSeason",
    "getSeasonOf",
    "getCatalog",
    "emailLookup",
];

impl Questions {
    pub(crate) fn of(desk: &Desk, side: Side) -> Questions {
        let (account, profile, season) = (json!(desk.account), json!(desk.profile), json!(desk.season));
        let email = json!(desk.names.get(&desk.account));
        let guest = json!(desk.guest);
        let order = desk.there("ORDER#").into_iter().next();
        let code = desk.invites.keys().next().cloned().unwrap_or_else(|| "0000000000".to_owned());
        let in_season = order.as_ref().and_then(|order| desk.parents.get(order));
        let mut patterns = vec![
            ("getMyAccount", json!({ "accountId": account })),
            ("emailLookup", json!({ "email": email })),
            ("listMyProfiles", json!({ "ownerAccountId": account })),
            ("listSharedProfiles", json!({ "targetAccountId": account })),
            ("getSeason", json!({ "seasonId": season })),
            ("listSeasonsByProfile", json!({ "profileId": profile })),
            ("listCatalogUsage", json!({ "catalogId": desk.catalog })),
            ("getOrder", json!({ "orderId": order })),
            ("listOrdersBySeason", json!({ "seasonId": season })),
            ("listOrdersByProfile", json!({ "profileId": profile })),
            ("getCatalog", json!({ "catalogId": desk.catalog })),
            ("listMyCatalogs", json!({ "ownerAccountId": account })),
            ("listPublicCatalogs", json!({})),
        ];
        patterns.extend(match side {
            Side::Old => vec![
                ("getProfile", json!({ "profileId": profile })),
                (
                    "getShare",
                    json!({ "profileId": profile, "shareId": "00000000-0000-4000-8000-000000000000" }),
                ),
                ("inviteByCode", json!({ "inviteCode": code.get(..10) })),
            ],
            Side::New => vec![
                ("accountForLogin", json!({ "email": email })),
                ("getProfileOf", json!({ "ownerAccountId": account, "profileId": profile })),
                ("getSellerProfile", json!({ "profileId": profile })),
                ("listSharesByProfile", json!({ "profileId": profile })),
                ("getShare", json!({ "profileId": profile, "targetAccountId": guest })),
                ("myPermissions", json!({ "profileId": profile })),
                ("getInvite", json!({ "inviteCode": code })),
                ("listInvitesByProfile", json!({ "profileId": profile })),
                ("getSeasonOf", json!({ "profileId": profile, "seasonId": season })),
                ("getOrderOf", json!({ "seasonId": in_season, "orderId": order })),
                ("ordersForReport", json!({ "profileId": profile })),
                ("invitesNamed", json!({ "profileId": profile, "id": "0123456789abcdef" })),
                ("ordersOfSeason", json!({ "season": season })),
            ],
        });
        Questions { account: desk.account.clone(), patterns }
    }

    /// Asks the design that answers.
    pub(crate) fn ask(&self, runtime: &Runtime) {
        for (name, arguments) in &self.patterns {
            let is_system = runtime.program().patterns.iter().any(|each| *each.name == **name && each.system);
            let answer = match is_system {
                true => try_system(runtime, name, arguments.clone()),
                false => try_as_owner(runtime, &self.account, name, arguments.clone()),
            };
            match answer {
                Ok(answer) => {
                    assert!(!answer.is_null() || !SURE.contains(name), "{name} {arguments}: nothing")
                }
                // What was there a moment ago may be deleted.
                Err(failure) => assert!(
                    matches!(failure.kind, FailureKind::Conflict | FailureKind::NotFound)
                        && !SURE.contains(name),
                    "{name} {arguments}: {failure}"
                ),
            }
        }
    }
}
