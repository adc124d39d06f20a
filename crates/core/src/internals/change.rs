//! Writes that happen only if nothing they rely on has changed.

use std::sync::Arc;

use sortkey_value::{AttributeValue, Item, Map};

use crate::catalog::EntityInfo;
use crate::evaluate::Scope;
use crate::session::Session;
use crate::write::{Act, Answers, Refusal, Test, Write, send};
use crate::{Failure, FailureKind};

/// A write or a check of one item, with its conditions.
pub struct Change(Write);

impl Change {
    /// Stores an item under a key.
    pub fn put(info: &EntityInfo, key: &Map, item: impl Into<Item>) -> Change {
        Change(Write::new(info, key.clone(), Act::Put(item.into())))
    }

    /// A write that is prepared already.
    pub(crate) fn of(write: Write) -> Change {
        Change(write)
    }

    /// Removes the item under a key.
    pub fn delete(info: &EntityInfo, key: &Map) -> Change {
        Change(Write::new(info, key.clone(), Act::Delete))
    }

    /// Changes nothing: its conditions must hold for the other changes to happen.
    pub fn check(info: &EntityInfo, key: &Map) -> Change {
        Change(Write::new(info, key.clone(), Act::Check))
    }

    /// Only if an attribute has this value still, or is still absent.
    pub fn if_unchanged(
        self,
        scope: &Scope<'_>,
        name: &Arc<str>,
        value: Option<AttributeValue>,
    ) -> Result<Change, Failure> {
        self.only_if(scope, Test::Unchanged(name.clone(), value))
    }

    /// Only if the guard is free, expired, or belongs to this owner.
    pub fn if_free(self, scope: &Scope<'_>, owner: &Map) -> Result<Change, Failure> {
        self.only_if(scope, Test::Free(owner.clone()))
    }

    fn only_if(mut self, scope: &Scope<'_>, test: Test) -> Result<Change, Failure> {
        let changed = Failure::new(FailureKind::Conflict, "something was changed meanwhile");
        self.0.demand(scope, test, changed)?;
        Ok(self)
    }
}

/// Makes changes, all or none; false if a condition does not hold.
pub async fn apply(session: &Session<'_>, scope: &Scope<'_>, changes: Vec<Change>) -> Result<bool, Failure> {
    let writes = changes.into_iter().map(|change| change.0).collect();
    match send(session, scope, writes, Answers::Nothing).await {
        Ok(_) => Ok(true),
        Err(Refusal::Stale) => Ok(false),
        Err(Refusal::Failed(failure)) if failure.kind == FailureKind::Conflict => Ok(false),
        Err(Refusal::Failed(failure)) => Err(failure),
    }
}
