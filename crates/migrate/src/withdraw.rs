//! The way back from a migration that was started: writes go to the old design alone again, and nothing of the new items is left.
//!
//! It leads through the phase in which nobody makes new items and everybody removes them, as the start does, so the phases that
//! processes work with at one time are neighbours. How far the copy was is forgotten first: a withdrawal that is cut off can be
//! taken up again, and so can the migration.

use sortkey_api::ErrorKind;
use sortkey_api::operations::{DeleteItem, DeleteItemInput, UpdateItem, UpdateItemInput};
use sortkey_core::internals::{EntityInfo, is_reserved};
use sortkey_value::{Item, ValueRef};

use crate::hidden;
use crate::place::Place;
use crate::plan::{Side, stored_names};
use crate::refusal::Refusal;
use crate::runner::{Held, Runner, fenced};
use crate::segments::Walks;
use crate::state::{Phase, State};

impl Runner {
    /// Ends a migration that was not switched. The new tables stay, empty.
    pub(crate) async fn withdraw(&self) -> Result<State, Refusal> {
        let state = self.begun().await?;
        // The process that follows other programs is fenced off: there is nothing to follow any more.
        let (held, state) = match state.captured {
            true => self.seize().await?,
            false => self.lease().await?,
        };
        let ended = self.take_back(held, &state).await;
        self.end_lease(held, ended).await?;
        self.begun().await
    }

    async fn take_back(&self, held: Held, state: &State) -> Result<(), Refusal> {
        if state.captured {
            self.stop_following(held).await?;
        }
        let plan = self.plan.fingerprint();
        for at in 0..state.segments {
            if !self.home.claim(&self.backend, plan, held.fence, at, &Walks::new()).await? {
                return Err(fenced());
            }
        }
        self.change(|state| {
            (state.verified, state.gate, state.paused) = (None, None, false);
            Ok(())
        })
        .await?;
        if state.phase == Phase::Both {
            self.go(&[Phase::Both], Phase::Starting, "only a migration that was started is taken back")
                .await?;
        }
        if self.settle().await?.phase == Phase::Starting {
            for table in self.plan.tables(Side::New) {
                self.empty(table).await?;
            }
            self.go(&[Phase::Starting], Phase::Prepared, "only a migration that was started is taken back")
                .await?;
        }
        self.change(|state| {
            state.captured = false;
            Ok(())
        })
        .await
        .map(drop)
    }

    /// Removes what the new design has in a table.
    async fn empty(&self, table: &str) -> Result<(), Refusal> {
        let mut after = None;
        loop {
            let (items, next) = self.page(table, after, None).await?;
            for item in &items {
                self.remove(table, item).await?;
            }
            match next {
                Some(next) => after = Some(next),
                None => return Ok(()),
            }
        }
    }

    async fn remove(&self, table: &str, item: &Item) -> Result<(), Refusal> {
        let Some(first) = self.plan.entities(Side::New).find(|info| info.table.name() == table) else {
            return Ok(());
        };
        let place = Place::of(first, item);
        if hidden::is_migrated(item) || self.is_new_guard(table, first, &place) {
            let input = DeleteItemInput {
                table_name: place.table_name(),
                key: place.key.clone().into(),
                ..DeleteItemInput::default()
            };
            return Ok(self.backend.ask::<DeleteItem>(input).await.map(drop)?);
        }
        match self.plan.owner(Side::Old, table, item) {
            Some(old) => self.separate(old, &place, item).await,
            None => Ok(()),
        }
    }

    /// Whether an item is a guard of the new design that the old one does not have.
    fn is_new_guard(&self, table: &str, first: &EntityInfo, place: &Place) -> bool {
        let text = match place.key.get(&first.partition) {
            Some(ValueRef::S(text)) if is_reserved(&place.key, &first.partition) => text,
            _ => return false,
        };
        let has = |side: Side| {
            let mut here = self.plan.entities(side).filter(|info| info.table.name() == table);
            here.any(|info| info.guards.iter().any(|prefix| text.starts_with(prefix.as_str())))
        };
        has(Side::New) && !has(Side::Old)
    }

    /// Takes what the new design added out of an item of both.
    async fn separate(&self, old: &EntityInfo, place: &Place, item: &Item) -> Result<(), Refusal> {
        let own = stored_names(self.plan.old.program(), old.at);
        let mut added: Vec<String> = Vec::new();
        for (_, mapping) in self.plan.reading(old.at) {
            let names = stored_names(self.plan.new.program(), mapping.of.new).into_iter();
            added.extend(names.filter(|name| !own.contains(name) && item.get(name).is_some()));
        }
        added.push(hidden::AHEAD.to_owned());
        added.retain(|name| item.get(name).is_some());
        added.sort_unstable();
        added.dedup();
        if added.is_empty() {
            return Ok(());
        }
        let aliases: Vec<String> = (0..added.len()).map(|at| format!("#m{at}")).collect();
        let input = UpdateItemInput {
            table_name: place.table_name(),
            key: place.key.clone().into(),
            update_expression: Some(format!("REMOVE {}", aliases.join(", "))),
            condition_expression: Some(format!("attribute_exists({})", aliases[0])),
            expression_attribute_names: Some(aliases.iter().cloned().zip(added).collect()),
            ..UpdateItemInput::default()
        };
        match self.backend.ask::<UpdateItem>(input).await {
            Ok(_) => Ok(()),
            // It was deleted, or the request was sent twice.
            Err(error) if error.kind == ErrorKind::ConditionalCheckFailedException => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
