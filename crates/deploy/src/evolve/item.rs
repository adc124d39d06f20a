//! One item brought to the form of the version that is being deployed, concurrently with writers.

use sortkey_core::internals::{Session, apply, replacing, target};
use sortkey_core::{Failure, FailureKind};
use sortkey_value::{Item, Map};

use super::entity::{Entities, Entity};

/// How often an item is rewritten again because it was changed concurrently.
pub(super) const ATTEMPTS: usize = 16;

/// The outcome of one attempt to store an item in its new form.
pub(super) enum Rewritten {
    /// It is stored so, or it is gone.
    Done,
    /// It was changed concurrently: this is what is there now.
    Changed(Item),
}

impl<'a> Entities<'a> {
    /// The item as the version that is being deployed stores it; the item itself where no difference concerns it.
    pub(super) fn modern(&self, item: &Item) -> Result<Item, Failure> {
        Ok(self.made(item)?.map_or_else(|| item.clone(), |(_, made)| Item::from(made)))
    }

    fn made(&self, item: &Item) -> Result<Option<(&Entity<'a>, Map)>, Failure> {
        let concerned = self.owner(item).filter(|entity| entity.is_rewritten() && entity.old.is_some());
        let Some((entity, info)) = concerned.and_then(|entity| Some((entity, entity.new?))) else {
            return Ok(None);
        };
        let (old, new) = (self.old_runtime.scope(None), self.runtime.scope(None));
        let moved = entity.moved((&old, &new), item)?;
        Ok(Some((entity, target(&new, info, &moved)?)))
    }

    /// Stores an item in its new form, if it is still what was read.
    pub(super) async fn rewrite(&self, session: &Session<'_>, item: &Item) -> Result<Rewritten, Failure> {
        let Some((entity, made)) = self.made(item)? else { return Ok(Rewritten::Done) };
        let Some(info) = entity.new else { return Ok(Rewritten::Done) };
        let new = self.runtime.scope(None);
        let Some(change) = replacing(&new, info, item, &made)? else { return Ok(Rewritten::Done) };
        match apply(session, &new, vec![change]).await {
            Ok(true) => return Ok(Rewritten::Done),
            Ok(false) => {}
            // The item that is there by now may still be in its old form.
            Err(failure) if failure.kind == FailureKind::Unreadable => {}
            Err(failure) => return Err(failure),
        }
        let now = session.get(&info.table, info.key_of(item), true).await?;
        Ok(now.map_or(Rewritten::Done, Rewritten::Changed))
    }

    /// The failure of an item that was changed before each of many attempts.
    pub(super) fn restless(&self, item: &Item) -> Failure {
        let name = self.owner(item).and_then(|entity| entity.new).map_or("", |info| &*info.name);
        let message = format!(
            "{name} items keep changing while they are rewritten; run `sortkey up` again with fewer writes"
        );
        Failure::new(FailureKind::Conflict, message)
    }
}
