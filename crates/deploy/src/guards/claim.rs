//! The guards that an item should have,
//! as writes that happen only if the item is unchanged since it was read.

use std::sync::Arc;

use sortkey_value::{AttributeValue, Item, Map};

use super::clause::Clause;
use sortkey_core::Failure;
use sortkey_core::internals::{Change, EntityInfo, Scope};

/// A live item, and the guards that it should hold.
pub(super) struct Claimant<'a> {
    pub(super) info: &'a EntityInfo,
    pub(super) item: Item,
    pub(super) key: Map,
    pub(super) claims: Vec<Claim<'a>>,
}

pub(super) struct Claim<'a> {
    pub(super) clause: &'a Clause<'a>,
    /// The guard as it is to be.
    pub(super) guard: Map,
    pub(super) key: Map,
}

impl Claimant<'_> {
    /// The condition that the item is unchanged.
    pub(super) fn is_still(&self, scope: &Scope<'_>) -> Result<Change, Failure> {
        let inputs = self.claims.iter().flat_map(|claim| &claim.clause.inputs);
        is_still(scope, self.info, &self.key, Some(&self.item), inputs)
    }
}

impl Claim<'_> {
    /// Writes the guard, if it is free or its holder has no right to it.
    pub(super) fn write(&self, scope: &Scope<'_>, holder: &Map) -> Result<Change, Failure> {
        Change::put(self.clause.info, &self.key, self.guard.clone()).if_free(scope, holder)
    }
}

/// The condition that an item is unchanged in the attributes that matter.
pub(super) fn is_still<'i>(
    scope: &Scope<'_>,
    info: &'i EntityInfo,
    key: &Map,
    item: Option<&Item>,
    inputs: impl IntoIterator<Item = &'i Arc<str>>,
) -> Result<Change, Failure> {
    let mut change = Change::check(info, key);
    let stored = |name: &str| item.and_then(|item| item.get(name)).map(|value| value.to_owned());
    let mut names: Vec<&Arc<str>> = inputs.into_iter().chain([&info.partition]).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let value: Option<AttributeValue> = stored(name);
        change = change.if_unchanged(scope, name, value)?;
    }
    Ok(change)
}
