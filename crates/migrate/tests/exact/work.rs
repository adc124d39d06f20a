//! Writers of seller profiles: every operation of both designs.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use sortkey_core::{Failure, FailureKind, Runtime};
use sortkey_migrate::{Dice, Side};

use crate::callers::{try_as_owner, try_system};
use crate::desk::{Desk, Invite, Rights, Share};
use crate::fill::{order, text};

/// As often as one account is given a share: the new one is derived from all of them, in one transaction.
const SHARES: usize = 12;
/// A cascade takes several transactions, and goes on after one that met another.
const PATIENCE: Duration = Duration::from_secs(60);

/// What writers do, and how often among all writes.
const WRITES: [(Write, u64); 18] = [
    (|writer| writer.update_order(), 72),
    (|writer| writer.create_order(), 40),
    (|writer| writer.delete_order(), 20),
    (|writer| writer.update_profile(), 10),
    (|writer| writer.create_season(), 6),
    (|writer| writer.update_season(), 10),
    (|writer| writer.delete_season(), 3),
    (|writer| writer.create_catalog(), 8),
    (|writer| writer.update_catalog(), 10),
    (|writer| writer.delete_catalog(), 4),
    (|writer| writer.create_account(), 6),
    (|writer| writer.create_profile(), 3),
    (|writer| writer.delete_profile(), 2),
    (|writer| writer.share(), 14),
    (|writer| writer.revoke_share(), 10),
    (|writer| writer.invite(), 10),
    (|writer| writer.revoke_invite(), 5),
    (|writer| writer.redeem(), 8),
];

type Write = for<'w> fn(&mut Writer<'w>) -> Result<(), Failure>;

/// One write, through one of both designs.
pub(crate) struct Writer<'w> {
    pub(crate) old: &'w Runtime,
    pub(crate) new: &'w Runtime,
    pub(crate) side: Side,
    pub(crate) desk: &'w mut Desk,
    pub(crate) dice: &'w mut Dice,
    pub(crate) count: usize,
    /// Whether the old design will not answer again: codes of the new one are too long for it.
    pub(crate) is_final: bool,
}

impl Writer<'_> {
    /// Writes something; false if the design does not write at the moment.
    pub(crate) fn write(&mut self) -> bool {
        let mut rolled = self.dice.roll(WRITES.iter().map(|(_, share)| share).sum());
        let mut write = WRITES[0].0;
        for (each, share) in WRITES {
            write = each;
            if rolled < share {
                break;
            }
            rolled -= share;
        }
        match write(self) {
            Ok(()) => true,
            Err(failure) if failure.kind == FailureKind::Unavailable => false,
            // Transactions of the copy and of others meet now and then; nothing was written.
            Err(failure) if failure.kind == FailureKind::Conflict => true,
            Err(failure) => panic!("{:?}: {failure}", self.side),
        }
    }

    fn runtime(&self) -> &Runtime {
        match self.side {
            Side::Old => self.old,
            Side::New => self.new,
        }
    }

    fn ask(&self, operation: &str, arguments: Json) -> Result<Json, Failure> {
        try_as_owner(self.runtime(), &self.desk.account, operation, arguments)
    }

    fn ask_system(&self, operation: &str, arguments: Json) -> Result<Json, Failure> {
        try_system(self.runtime(), operation, arguments)
    }

    /// The arguments of one design or the other, with the owner that the new one asks for.
    fn by(&self, old: Json, new: Json) -> Json {
        match self.side {
            Side::Old => old,
            Side::New => {
                let mut new = new;
                new["ownerAccountId"] = json!(self.desk.account);
                new
            }
        }
    }

    fn name(&self) -> String {
        format!("Changed {}", self.count)
    }

    fn one_of(&mut self, all: Vec<String>) -> Option<String> {
        let at = self.dice.roll(all.len() as u64) as usize;
        all.into_iter().nth(at)
    }

    /// Items of one kind but those that are never deleted.
    fn spare(&mut self, kind: &str) -> Option<String> {
        let kept = [&self.desk.profile, &self.desk.season, &self.desk.catalog];
        let all = self.desk.there(kind).into_iter().filter(|id| !kept.contains(&id)).collect();
        self.one_of(all)
    }

    fn parent(&self, id: &str) -> String {
        self.desk.parents.get(id).cloned().unwrap_or_default()
    }

    fn update_order(&mut self) -> Result<(), Failure> {
        let Some(id) = self.one_of(self.desk.there("ORDER#")) else { return Ok(()) };
        let name = self.name();
        let mut changed =
            self.by(json!({ "orderId": id }), json!({ "orderId": id, "seasonId": self.parent(&id) }));
        if self.side == Side::New {
            drop(changed.as_object_mut().and_then(|changed| changed.remove("ownerAccountId")));
        }
        changed["customerName"] = json!(name);
        let given = order("", "", "", self.count);
        for part in ["lineItems", "customerPhone", "notes", "paymentMethod"] {
            if self.dice.roll(3) == 0 && !given[part].is_null() {
                changed[part] = given[part].clone();
            }
        }
        if self.side == Side::Old && self.dice.roll(3) == 0 {
            changed["totalAmount"] = given["totalAmount"].clone();
        }
        self.ask("updateOrder", changed)?;
        self.desk.is_now(&id, &name);
        Ok(())
    }

    fn create_order(&mut self) -> Result<(), Failure> {
        let season = match self.dice.roll(3) {
            0 => self.one_of(self.desk.there("SEASON#")).unwrap_or_default(),
            _ => self.desk.season.clone(),
        };
        self.order_of(&season)
    }

    fn order_of(&mut self, season: &str) -> Result<(), Failure> {
        let name = self.name();
        let given = order(&self.parent(season), season, &name, self.count);
        let mut arguments = self.by(given.clone(), given);
        if self.side == Side::New {
            drop(arguments.as_object_mut().and_then(|order| order.remove("totalAmount")));
            arguments = json!({ "input": arguments });
        }
        let id = text(&self.ask("createOrder", arguments)?, "orderId");
        self.desk.is_now(&id, &name);
        self.desk.parents.insert(id, season.to_owned());
        Ok(())
    }

    fn delete_order(&mut self) -> Result<(), Failure> {
        let Some(id) = self.one_of(self.desk.there("ORDER#")) else { return Ok(()) };
        let key = match self.side {
            Side::Old => json!({ "orderId": id }),
            Side::New => json!({ "orderId": id, "seasonId": self.parent(&id) }),
        };
        self.ask("deleteOrder", key)?;
        self.desk.is_gone(&id);
        Ok(())
    }

    fn update_profile(&mut self) -> Result<(), Failure> {
        let (id, name) = (self.desk.profile.clone(), self.name());
        let changed = json!({ "profileId": id, "sellerName": name });
        self.ask("updateSellerProfile", self.by(changed.clone(), changed))?;
        self.desk.is_now(&id, &name);
        Ok(())
    }

    fn create_season(&mut self) -> Result<(), Failure> {
        let profile = self.desk.profile.clone();
        self.season_of(&profile).map(drop)
    }

    fn season_of(&mut self, profile: &str) -> Result<String, Failure> {
        let name = self.name();
        let mut season = json!({ "profileId": profile, "seasonName": name, "startDate": "2026-01-01" });
        let catalog = self.one_of(self.desk.there("CATALOG#")).filter(|_| self.count.is_multiple_of(2));
        if let Some(catalog) = &catalog {
            season["catalogId"] = json!(catalog);
        }
        let made = self.ask("createSeason", json!({ "input": self.by(season.clone(), season) }))?;
        self.desk.used.extend(catalog);
        let id = text(&made, "seasonId");
        self.desk.is_now(&id, &name);
        self.desk.parents.insert(id.clone(), profile.to_owned());
        Ok(id)
    }

    fn update_season(&mut self) -> Result<(), Failure> {
        let (id, name) = (self.desk.season.clone(), self.name());
        let mut changed = json!({ "seasonId": id, "seasonName": name });
        if self.side == Side::New {
            changed["profileId"] = json!(self.desk.profile);
        }
        self.ask("updateSeason", changed)?;
        self.desk.is_now(&id, &name);
        Ok(())
    }

    fn delete_season(&mut self) -> Result<(), Failure> {
        let Some(id) = self.spare("SEASON#") else { return Ok(()) };
        let profile = self.parent(&id);
        self.cascade(
            "deleteSeason",
            &json!({ "seasonId": id }),
            &json!({ "seasonId": id, "profileId": profile }),
        )?;
        self.desk.is_gone(&id);
        Ok(())
    }

    fn create_catalog(&mut self) -> Result<(), Failure> {
        let name = self.name();
        let catalog = json!({
            "ownerAccountId": self.desk.account, "catalogName": name, "isPublic": self.count.is_multiple_of(2)
        });
        let id = text(&self.ask("createCatalog", catalog)?, "catalogId");
        self.desk.is_now(&id, &name);
        Ok(())
    }

    fn update_catalog(&mut self) -> Result<(), Failure> {
        let (id, name) = (self.desk.catalog.clone(), self.name());
        let changed =
            json!({ "catalogId": id, "catalogName": name, "isPublic": self.count.is_multiple_of(2) });
        self.ask("updateCatalog", changed)?;
        self.desk.is_now(&id, &name);
        Ok(())
    }

    fn delete_catalog(&mut self) -> Result<(), Failure> {
        let used = self.desk.used.clone();
        let all = self.desk.there("CATALOG#").into_iter().filter(|id| !used.contains(id)).collect();
        let Some(id) = self.one_of(all) else { return Ok(()) };
        self.ask("deleteCatalog", json!({ "catalogId": id }))?;
        self.desk.is_gone(&id);
        Ok(())
    }

    fn create_account(&mut self) -> Result<(), Failure> {
        let email = format!("new{}-{}@x.org", self.count, self.desk.account.trim_start_matches("ACCOUNT#"));
        let id =
            text(&self.ask_system("createAccount", json!({ "email": email.to_uppercase() }))?, "accountId");
        self.desk.is_now(&id, &email.to_lowercase());
        Ok(())
    }

    /// A profile with a season and an order, which is deleted some time later.
    fn create_profile(&mut self) -> Result<(), Failure> {
        let name = self.name();
        let profile = json!({ "ownerAccountId": self.desk.account, "sellerName": name });
        let id = text(&self.ask("createSellerProfile", profile)?, "profileId");
        self.desk.is_now(&id, &name);
        let season = self.season_of(&id)?;
        self.order_of(&season)
    }

    fn delete_profile(&mut self) -> Result<(), Failure> {
        let Some(id) = self.spare("PROFILE#") else { return Ok(()) };
        let key = json!({ "profileId": id });
        self.cascade("deleteSellerProfile", &key, &key)?;
        self.desk.is_gone(&id);
        Ok(())
    }

    /// Deletes an item with everything below it. What was begun is ended, through the other design if need be.
    fn cascade(&mut self, operation: &str, old: &Json, new: &Json) -> Result<(), Failure> {
        let begun = Instant::now();
        for attempt in 0.. {
            let failure = match self.ask(operation, self.by(old.clone(), new.clone())) {
                Ok(_) => return Ok(()),
                Err(failure) => failure,
            };
            match failure.kind {
                FailureKind::NotFound if attempt > 0 => return Ok(()),
                FailureKind::Unavailable => self.side = Side::Old,
                FailureKind::Conflict => {}
                _ => return Err(failure),
            }
            assert!(begun.elapsed() < PATIENCE, "{operation}: {failure}");
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    /// Shares a profile: the old design makes another share each time, of which the new one has one.
    fn share(&mut self) -> Result<(), Failure> {
        let profile = self.one_of(self.desk.there("PROFILE#")).unwrap_or_default();
        let guests = self.desk.there("ACCOUNT#").into_iter().filter(|id| *id != self.desk.account).collect();
        let target = self.one_of(guests).unwrap_or_default();
        let right = ["READ", "WRITE"][self.dice.roll(2) as usize].to_owned();
        let place = (profile.clone(), target.clone());
        let there = self.desk.shares.get(&place).cloned().flatten();
        let mut share = json!({ "profileId": profile, "targetAccountId": target, "permissions": [right] });
        let rights: Rights = [right].into();
        let share = match self.side {
            Side::Old => {
                let count = there.as_ref().and_then(|share| share.ids.as_ref()).map_or(0, BTreeMap::len);
                if count >= SHARES || there.as_ref().is_some_and(|share| share.ids.is_none()) {
                    return Ok(());
                }
                share["createdByAccountId"] = json!(self.desk.account);
                let id = text(&self.ask_system("shareProfile", share)?, "shareId");
                let mut share =
                    there.unwrap_or_else(|| Share { ids: Some(BTreeMap::new()), ..Share::default() });
                share.rights.extend(rights.clone());
                if let Some(ids) = &mut share.ids {
                    ids.insert(id, rights);
                }
                share
            }
            Side::New => {
                self.ask("shareProfileDirect", self.by(json!({}), share))?;
                let mut share = there.unwrap_or_default();
                // Each of several old ones has all of it.
                share.ids.iter_mut().flat_map(|ids| ids.values_mut()).for_each(|own| own.clone_from(&rights));
                Share { rights, ..share }
            }
        };
        self.desk.shares.insert(place, Some(share));
        Ok(())
    }

    fn revoke_share(&mut self) -> Result<(), Failure> {
        let there =
            self.desk.shares.iter().filter_map(|(place, share)| Some((place.clone(), share.clone()?)));
        let there: Vec<_> =
            there.filter(|(_, share)| self.side == Side::New || share.ids.is_some()).collect();
        let at = self.dice.roll(there.len() as u64) as usize;
        let Some((place, mut share)) = there.into_iter().nth(at) else { return Ok(()) };
        let (profile, target) = &place;
        let left = match (self.side, &mut share.ids) {
            (Side::Old, Some(ids)) => {
                let Some(id) = self.one_of(ids.keys().cloned().collect()) else { return Ok(()) };
                self.ask_system("revokeShare", json!({ "profileId": profile, "shareId": id }))?;
                ids.remove(&id);
                share.rights = ids.values().flatten().cloned().collect();
                (!ids.is_empty()).then_some(share)
            }
            _ => {
                self.ask("revokeShare", json!({ "profileId": profile, "targetAccountId": target }))?;
                None
            }
        };
        self.desk.shares.insert(place, left);
        Ok(())
    }

    fn invite(&mut self) -> Result<(), Failure> {
        let (profile, rights) = (self.desk.profile.clone(), ["WRITE".to_owned()]);
        let given = json!({ "profileId": profile, "permissions": rights });
        let (code, id) = match self.side {
            Side::Old => {
                let id = self.desk.account.rsplit('-').next().unwrap_or_default();
                let code = format!("{:0>5}{:05}", &id[..5.min(id.len())], self.count % 100_000);
                let mut given = given;
                given["inviteCode"] = json!(code);
                given["createdByAccountId"] = json!(self.desk.account);
                given["expiresAt"] = json!("2090-01-10T00:00:00.000Z");
                (code, Some(text(&self.ask_system("inviteToProfile", given)?, "inviteId")))
            }
            Side::New if self.is_final => {
                (text(&self.ask("createProfileInvite", self.by(json!({}), given))?, "code"), None)
            }
            Side::New => return Ok(()),
        };
        let invite = Invite { id, profile, rights: rights.into(), is_used: false, has_expired: false };
        self.desk.invites.insert(code, Some(invite));
        Ok(())
    }

    /// An invite that this design knows by what it asks for.
    fn open_invite(&mut self, may_be_used: bool) -> Option<(String, Invite)> {
        let there =
            self.desk.invites.iter().filter_map(|(code, invite)| Some((code.clone(), invite.clone()?)));
        let there: Vec<_> = there
            .filter(|(_, invite)| self.side == Side::New || invite.id.is_some())
            .filter(|(_, invite)| !invite.has_expired && (may_be_used || !invite.is_used))
            .collect();
        let at = self.dice.roll(there.len() as u64) as usize;
        there.into_iter().nth(at)
    }

    fn revoke_invite(&mut self) -> Result<(), Failure> {
        let Some((code, invite)) = self.open_invite(true) else { return Ok(()) };
        match self.side {
            Side::Old => {
                let key = json!({ "profileId": invite.profile, "inviteId": invite.id });
                self.ask_system("revokeInvite", key)?;
            }
            Side::New => drop(self.ask("revokeProfileInvite", json!({ "inviteCode": code }))?),
        }
        self.desk.invites.insert(code, None);
        Ok(())
    }

    fn redeem(&mut self) -> Result<(), Failure> {
        let Some((code, invite)) = self.open_invite(false) else { return Ok(()) };
        let (operation, key) = match self.side {
            Side::Old => {
                let redeemed = self.desk.redeemed.entry(invite.profile.clone()).or_default();
                if *redeemed >= SHARES {
                    return Ok(());
                }
                *redeemed += 1;
                let key = json!({ "profileId": invite.profile, "inviteId": invite.id });
                ("redeemProfileInvite", key)
            }
            Side::New => ("redeemProfileInvite", json!({ "inviteCode": code })),
        };
        try_as_owner(self.runtime(), &self.desk.guest, operation, key)?;
        let place = (invite.profile.clone(), self.desk.guest.clone());
        let mut share = self.desk.shares.get(&place).cloned().flatten().unwrap_or_default();
        share.rights.extend(invite.rights.iter().cloned());
        // The old design makes one more share; the new one adds to all that there are.
        let rights = share.rights.clone();
        match self.side {
            Side::Old => share.ids = None,
            Side::New => {
                share.ids.iter_mut().flat_map(|ids| ids.values_mut()).for_each(|own| own.clone_from(&rights))
            }
        }
        self.desk.shares.insert(place, Some(share));
        self.desk.invites.insert(code, Some(Invite { is_used: true, ..invite }));
        Ok(())
    }
}
