//! The walk through a table: every live item gets the guards it lacks,
//! and every guard whose owner no longer has the value is deleted.
//!
//! A guard is written in one transaction with the condition that its item is unchanged since it was read, so writers of
//! the same design may be at work meanwhile. Most items are processed together, many to a transaction; those with
//! concurrent changes or conflicting guards are processed one by one.

use sortkey_diagnostics::a;
use std::collections::{BTreeMap, HashMap, HashSet};

use sortkey_api::operations::ScanInput;
use sortkey_value::{Item, Map, ValueRef};

use super::claim::{Claim, Claimant, is_still};
use super::clause::Clause;
use super::duplicate::Duplicate;
use sortkey_core::internals::{
    Change, EntityInfo, Scope, Session, View, apply, guard_item, held, is_deleted, is_expired, items, owner,
};
use sortkey_core::{Failure, FailureKind, Runtime};

/// DynamoDB's bound on a transaction.
const MAX_ACTIONS: usize = 100;
/// Keys of one BatchGetItem.
const MAX_KEYS: usize = 100;
/// How often an item is tried again because it was changed concurrently.
const ATTEMPTS: usize = 16;
/// So many are enough to show what is wrong.
const MAX_DUPLICATES: usize = 10;

/// A walk that is under way.
pub(super) struct Walk<'a> {
    runtime: &'a Runtime,
    session: &'a Session<'a>,
    /// Any entity of the table.
    first: &'a EntityInfo,
    clauses: &'a [&'a Clause<'a>],
    /// How many items it has seen.
    pub(super) items: i64,
    /// Items that have one value.
    pub(super) duplicates: Vec<Duplicate<'a>>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        runtime: &'a Runtime,
        session: &'a Session<'a>,
        first: &'a EntityInfo,
        clauses: &'a [&'a Clause<'a>],
    ) -> Walk<'a> {
        Walk { runtime, session, first, clauses, items: 0, duplicates: Vec::new() }
    }

    /// Processes a page of the table. Returns the key behind which the next one begins; none at the end, or when enough
    /// duplicates are known.
    pub(super) async fn page(&mut self, after: Option<Map>) -> Result<Option<Map>, Failure> {
        let page = self.session.scan(ScanInput {
            table_name: self.first.table.clone(),
            exclusive_start_key: after.map(Into::into),
            consistent_read: Some(true),
            ..ScanInput::default()
        });
        let page = page.await?;
        let scope = self.runtime.scope(None);
        let (mut claimants, mut guards) = (Vec::new(), Vec::new());
        for item in page.items.into_iter().flatten() {
            self.items += 1;
            match self.clause_of(&item) {
                Some(clause) => guards.push((clause, item)),
                None => claimants.extend(self.claimant(&scope, item)?),
            }
        }
        let most = MAX_ACTIONS / (1 + self.clauses.len().min(MAX_ACTIONS - 1));
        for together in claimants.chunks(most) {
            self.settle_together(&scope, together).await?;
        }
        for together in guards.chunks(MAX_KEYS) {
            self.look_after(&scope, together).await?;
        }
        let next = page.last_evaluated_key.map(|key| key.to_map());
        Ok(next.filter(|_| self.duplicates.len() < MAX_DUPLICATES))
    }

    /// The clause that an item is a guard of.
    fn clause_of(&self, item: &Item) -> Option<&'a Clause<'a>> {
        let begins = |clause: &&&'a Clause<'a>| {
            self.first.parts().any(|part| match item.get(part) {
                Some(ValueRef::S(text)) => text.starts_with(&clause.prefix),
                Some(ValueRef::B(bytes)) => bytes.starts_with(clause.prefix.as_bytes()),
                _ => false,
            })
        };
        self.clauses.iter().find(begins).copied()
    }

    /// The guards that an item should have; none if no clause concerns it, or if it counts as deleted.
    fn claimant(&self, scope: &Scope<'_>, item: Item) -> Result<Option<Claimant<'a>>, Failure> {
        let program = &scope.shared.program;
        let mut whole = None;
        for info in self.clauses.iter().map(|clause| clause.info).filter(|info| info.owns(program, &item)) {
            let Some(read) = info.interpret_ours(scope, item.clone())? else { continue };
            if !info.shares_table || info.makes(program, &read) {
                whole = Some((info, read));
                break;
            }
        }
        let Some((info, whole)) = whole else { return Ok(None) };
        let view = View::stored(info.at, &whole);
        if is_expired(scope, view) || is_deleted(scope, view)? {
            return Ok(None);
        }
        let (fields, owner) = (info.decode(program, &whole), info.key_of(&item));
        let mut claims = Vec::new();
        for clause in self.clauses.iter().copied().filter(|clause| clause.info.at == info.at) {
            if let Some(key) = held(scope, info, clause.id, &fields)? {
                let guard = guard_item(scope, info, &key, &owner, &fields);
                claims.push(Claim { clause, guard, key });
            }
        }
        Ok((!claims.is_empty()).then_some(Claimant { info, item, key: owner, claims }))
    }

    /// Processes items whose guards are free together; the others one by one.
    async fn settle_together(&mut self, scope: &Scope<'_>, together: &[Claimant<'a>]) -> Result<(), Failure> {
        let keys: BTreeMap<String, &Map> =
            together.iter().flat_map(|each| &each.claims).map(|it| (identity(&it.key), &it.key)).collect();
        let keys: Vec<Map> = keys.into_values().cloned().collect();
        let mut there: HashMap<String, Map> = HashMap::new();
        for keys in keys.chunks(MAX_KEYS) {
            let guards = items(self.session, self.first, keys, true).await?.into_iter().flatten();
            there.extend(guards.map(|guard| (identity(&self.first.key_of(&guard)), guard.to_map())));
        }
        let (mut writes, mut easy, mut hard) = (Vec::new(), Vec::new(), Vec::new());
        let mut taken: HashSet<String> = HashSet::new();
        for claimant in together {
            let is_open = |claim: &&Claim<'_>| there.get(&identity(&claim.key)) != Some(&claim.guard);
            let open: Vec<&Claim<'_>> = claimant.claims.iter().filter(is_open).collect();
            let mut keys = open.iter().map(|claim| identity(&claim.key));
            if open.is_empty() {
                continue;
            } else if keys.all(|key| !there.contains_key(&key) && taken.insert(key)) {
                writes.push(claimant.is_still(scope)?);
                for claim in open {
                    writes.push(claim.write(scope, &claimant.key)?);
                }
                easy.push(claimant);
            } else {
                hard.push(claimant);
            }
        }
        // If the batch fails, trying each item alone shows which one is to blame.
        if !writes.is_empty() && !matches!(apply(self.session, scope, writes).await, Ok(true)) {
            hard.extend(easy);
        }
        for claimant in hard {
            self.settle(claimant.info, &claimant.key).await?;
        }
        Ok(())
    }

    /// Processes one item, again if it was changed concurrently.
    async fn settle(&mut self, info: &'a EntityInfo, key: &Map) -> Result<(), Failure> {
        for _ in 0..ATTEMPTS {
            let scope = self.runtime.scope(None);
            let Some(item) = self.get(key).await? else { return Ok(()) };
            let Some(claimant) = self.claimant(&scope, item)? else { return Ok(()) };
            let (mut writes, mut found) = (vec![claimant.is_still(&scope)?], Vec::new());
            for claim in &claimant.claims {
                let guard = self.get(&claim.key).await?;
                if guard.as_ref().is_some_and(|guard| guard.to_map() == claim.guard) {
                    continue;
                }
                let other = guard.as_ref().and_then(|guard| owner(info, guard));
                let Some(other) = other.filter(|other| other != key) else {
                    writes.push(claim.write(&scope, key)?);
                    continue;
                };
                match self.rival(&scope, claim.clause, &claim.key, &other).await? {
                    None => found.push(Duplicate { clause: claim.clause, keys: [other, key.clone()] }),
                    Some(unfounded) => writes.extend([unfounded, claim.write(&scope, &other)?]),
                }
            }
            if writes.len() == 1 || apply(self.session, &scope, writes).await? {
                self.duplicates.extend(found);
                return Ok(());
            }
        }
        Err(restless(info))
    }

    /// Releases the guards whose owners do not have their values.
    async fn look_after(&self, scope: &Scope<'_>, guards: &[(&'a Clause<'a>, Item)]) -> Result<(), Failure> {
        let mut owners: Vec<Map> = Vec::new();
        for (clause, guard) in guards {
            owners.extend(owner(clause.info, guard).filter(|owner| !owners.contains(owner)));
        }
        let mut claimed: HashSet<String> = HashSet::new();
        for item in items(self.session, self.first, &owners, true).await?.into_iter().flatten() {
            let claimant = self.claimant(scope, item)?;
            claimed.extend(claimant.iter().flat_map(|each| &each.claims).map(|it| identity(&it.guard)));
        }
        for (clause, guard) in guards {
            if !claimed.contains(&identity(&guard.to_map())) {
                self.release(clause, &self.first.key_of(guard)).await?;
            }
        }
        Ok(())
    }

    /// Releases one guard, unless its owner has the value after all.
    async fn release(&self, clause: &'a Clause<'a>, key: &Map) -> Result<(), Failure> {
        for _ in 0..ATTEMPTS {
            let scope = self.runtime.scope(None);
            let guard = self.get(key).await?;
            let Some(owner) = guard.and_then(|guard| owner(clause.info, &guard)) else {
                return Ok(());
            };
            let Some(unfounded) = self.rival(&scope, clause, key, &owner).await? else { return Ok(()) };
            let freed = Change::delete(clause.info, key).if_free(&scope, &owner)?;
            if apply(self.session, &scope, vec![unfounded, freed]).await? {
                return Ok(());
            }
        }
        Err(restless(clause.info))
    }

    /// The condition that a guard's owner does not have its value; none if it has.
    async fn rival(
        &self,
        scope: &Scope<'_>,
        clause: &Clause<'_>,
        guard: &Map,
        owner: &Map,
    ) -> Result<Option<Change>, Failure> {
        let item = self.get(owner).await?;
        if let Some(item) = &item {
            let claimant = self.claimant(scope, item.clone())?;
            if claimant.is_some_and(|each| each.claims.iter().any(|claim| claim.key == *guard)) {
                return Ok(None);
            }
        }
        is_still(scope, clause.info, owner, item.as_ref(), &clause.inputs).map(Some)
    }

    async fn get(&self, key: &Map) -> Result<Option<Item>, Failure> {
        self.session.get(&self.first.table, key.clone(), true).await
    }
}

fn restless(info: &EntityInfo) -> Failure {
    let message =
        format!("{} is being changed all the time: run `sortkey up` again with fewer writes", a(&info.name));
    Failure::new(FailureKind::Conflict, message)
}

/// A map as text that can be compared and looked up.
fn identity(map: &Map) -> String {
    format!("{map:?}")
}
