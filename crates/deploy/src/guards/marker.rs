//! The marker of a table's guards: an item under a reserved key, beside them.
//!
//! It names the clauses that are covered, each with its fingerprint, and how far a walk for others has come. Every write
//! is conditional on what was read, so that of two deployments one begins again.

use sortkey_value::{AttributeValue, Item, Map, ValueRef};

use super::clause::Clause;
use sortkey_core::Failure;
use sortkey_core::internals::{Change, EntityInfo, GUARD, MARKER, Scope, Session, apply, reserved_key};

/// Clauses with their fingerprints.
const COVERED: &str = "covered";
/// The clauses that a walk is to cover.
const WALKING: &str = "walking";
/// The last key that the walk has seen.
const AFTER: &str = "after";

/// The contents of a marker; empty if there is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct State {
    /// Fingerprints, by clauses.
    pub(super) covered: Map,
    /// Fingerprints of the clauses that a walk is to cover.
    pub(super) walking: Map,
    /// The last key that the walk has seen.
    pub(super) after: Option<Map>,
}

impl State {
    pub(super) fn covers(&self, clause: &Clause<'_>) -> bool {
        has(&self.covered, clause)
    }

    /// This state with a walk begun, or continued if it is for the same clauses.
    pub(super) fn walking(&self, missing: &[&Clause<'_>], all: &[Clause<'_>]) -> State {
        let covered = covering(all.iter().filter(|clause| self.covers(clause)));
        let walking = covering(missing.iter().copied());
        let after = self.after.clone().filter(|_| walking == self.walking);
        State { covered, walking, after }
    }
}

/// Clauses as a marker names them.
pub(super) fn covering<'a, 'b: 'a>(clauses: impl IntoIterator<Item = &'a Clause<'b>>) -> Map {
    let entry = |clause: &Clause<'_>| (label(clause), AttributeValue::S(clause.fingerprint.clone()));
    clauses.into_iter().map(entry).collect()
}

pub(super) async fn read(
    session: &Session<'_>,
    scope: &Scope<'_>,
    info: &EntityInfo,
) -> Result<State, Failure> {
    let marker = session.get(&info.table, key(scope, info), true).await?;
    let part = |name: &str| marker.as_ref().and_then(|marker| map(marker, &info.aside(name)));
    Ok(State {
        covered: part(COVERED).unwrap_or_default(),
        walking: part(WALKING).unwrap_or_default(),
        after: part(AFTER),
    })
}

/// Replaces a state by another; false if it is not there any more.
pub(super) async fn write(
    session: &Session<'_>,
    scope: &Scope<'_>,
    info: &EntityInfo,
    old: &State,
    new: &State,
) -> Result<bool, Failure> {
    let key = key(scope, info);
    let mut marker = key.clone();
    marker.extend(part(info, COVERED, &new.covered));
    marker.extend(part(info, WALKING, &new.walking));
    marker.extend(new.after.as_ref().and_then(|after| part(info, AFTER, after)));
    let mut change = Change::put(info, &key, marker);
    for (name, content) in [(COVERED, &old.covered), (WALKING, &old.walking)] {
        let content = part(info, name, content).map(|(_, content)| content);
        change = change.if_unchanged(scope, &info.aside(name).into(), content)?;
    }
    apply(session, scope, vec![change]).await
}

fn key(scope: &Scope<'_>, info: &EntityInfo) -> Map {
    reserved_key(scope, info, MARKER)
}

/// A clause as the marker names it: as its guards are, without what all guards have in common.
fn label(clause: &Clause<'_>) -> String {
    clause.prefix.trim_start_matches(GUARD).trim_end_matches('#').to_owned()
}

fn part(info: &EntityInfo, name: &str, content: &Map) -> Option<(String, AttributeValue)> {
    (!content.is_empty()).then(|| (info.aside(name), AttributeValue::M(content.clone())))
}

fn map(item: &Item, name: &str) -> Option<Map> {
    let Some(ValueRef::M(entries)) = item.get(name) else { return None };
    Some(entries.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

fn has(clauses: &Map, clause: &Clause<'_>) -> bool {
    matches!(clauses.get(&label(clause)), Some(AttributeValue::S(found)) if *found == clause.fingerprint)
}
