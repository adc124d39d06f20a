//! One changed item, and everything that changes with it: index entries, stream record, history, expiry entry, totals.
//!
//! All of it goes into one batch, so an index, a stream and an item can never disagree.

use sortkey_api::ApiError;
use sortkey_storage::{Batch, Counts, Key, Published};
use sortkey_value::Item;

use crate::catalog::schema::{Index, IndexEntry, IndexStatus};
use crate::catalog::table::Table;
use crate::jobs::expiry;
use crate::read::capacity::{Cost, write_units};
use crate::reply::storage_failure;
use crate::stream::{Actor, StreamRecord};
use crate::{history, layout};

/// The changes of one write, which may concern several items.
pub(crate) struct Changes<'v> {
    /// The view that the write read, under its locks.
    view: &'v Published,
    pub(crate) batch: Batch,
    /// Distinguishes and orders the changes of one batch in streams and histories.
    next_ordinal: u16,
}

/// An item before and after; absent before it is created and after it is deleted.
#[derive(Clone, Debug)]
pub(crate) struct ItemChange {
    pub(crate) key: Key,
    pub(crate) before: Option<Item>,
    pub(crate) after: Option<Item>,
}

impl<'v> Changes<'v> {
    pub(crate) fn new(view: &'v Published) -> Changes<'v> {
        Changes { view, batch: Batch::new(), next_ordinal: 0 }
    }

    /// Records a change and returns its cost. An item that stays as it was has a cost, but changes nothing.
    pub(crate) fn record(
        &mut self,
        table: &Table,
        change: &ItemChange,
        actor: Actor,
    ) -> Result<Cost, ApiError> {
        let ItemChange { key, before, after } = change;
        let mut cost = Cost::write(before.as_ref(), after.as_ref());
        if before == after {
            return Ok(cost);
        }
        match after {
            Some(item) => self.batch.put(key.clone(), item.as_bytes().clone()),
            None => self.batch.delete(key.clone()),
        }
        self.batch.count(layout::totals(table.id, 0), counts(before.as_ref(), after.as_ref()));
        for index in &table.indexes {
            self.record_index(table, index, change, &mut cost)?;
        }
        self.record_expiry(table, change);
        if table.stream.is_some() || table.keeps_history() {
            self.record_stream(table, change, actor);
            self.record_history(table, change);
            self.next_ordinal += 1;
        }
        Ok(cost)
    }

    /// AWS charges the change to what the index stores: untouched none, moved both, otherwise one write.
    fn record_index(
        &mut self,
        table: &Table,
        index: &Index,
        change: &ItemChange,
        cost: &mut Cost,
    ) -> Result<(), ApiError> {
        let entry =
            |item: &Option<Item>| item.as_ref().and_then(|item| index.entry(table, &change.key, item));
        let (old, new) = (entry(&change.before), entry(&change.after));
        let is_in_place = matches!((&old, &new), (Some(old), Some(new)) if old.key == new.key);
        if is_in_place && old.as_ref().map(|old| &old.item) == new.as_ref().map(|new| &new.item) {
            return Ok(());
        }
        let units = |entry: &Option<IndexEntry>| {
            entry.as_ref().map_or(0.0, |entry| write_units(entry.item.size_bytes()))
        };
        let charged = if is_in_place { units(&old).max(units(&new)) } else { units(&old) + units(&new) };
        if old.is_some() || new.is_some() {
            cost.add_index(index, charged);
        }
        let stored = match &old {
            Some(old) if self.is_stored(index, old)? => Some(&old.item),
            _ => None,
        };
        let totals = layout::totals(table.id, index.id);
        self.batch.count(totals, counts(stored, new.as_ref().map(|new| &new.item)));
        if let Some(old) = old.filter(|_| !is_in_place) {
            self.batch.delete(old.key.into());
        }
        if let Some(new) = new {
            self.batch.put(new.key.into(), new.item.as_bytes().clone());
        }
        Ok(())
    }

    /// Whether an index has the entry that an item should have. One that is being created may not have come to
    /// it yet, and then has not counted it either.
    fn is_stored(&self, index: &Index, entry: &IndexEntry) -> Result<bool, ApiError> {
        if index.status == IndexStatus::Active {
            return Ok(true);
        }
        let found = self.view.snapshot.get(&entry.key).map_err(|error| storage_failure(&error))?;
        Ok(found.is_some())
    }

    fn record_expiry(&mut self, table: &Table, change: &ItemChange) {
        let Some(setting) = &table.expiry else { return };
        let second =
            |item: &Option<Item>| item.as_ref().and_then(|item| expiry::second(item, &setting.attribute));
        let (old, new) = (second(&change.before), second(&change.after));
        if old == new {
            return;
        }
        if let Some(old) = old {
            self.batch.delete(layout::expiry(table.id, old, &change.key));
        }
        if let Some(new) = new {
            self.batch.put(layout::expiry(table.id, new, &change.key), Key::from([]));
        }
    }

    fn record_stream(&mut self, table: &Table, change: &ItemChange, actor: Actor) {
        let Some(stream) = &table.stream else { return };
        let record = StreamRecord::new(table, &stream.view_type, change, actor);
        let shard = stream.shard_of(layout::partition_hash(&change.key));
        let prefix = layout::shard_records(stream.id, shard);
        self.batch.log(&prefix, &self.next_ordinal.to_be_bytes(), &record.to_bytes());
    }

    fn record_history(&mut self, table: &Table, change: &ItemChange) {
        if table.keeps_history() {
            history::record(&mut self.batch, table, self.next_ordinal, change);
        }
    }
}

fn counts(before: Option<&Item>, after: Option<&Item>) -> Counts {
    let items = |item: Option<&Item>| i64::from(item.is_some());
    let bytes =
        |item: Option<&Item>| item.map_or(0, |item| i64::try_from(item.size_bytes()).unwrap_or(i64::MAX));
    Counts { items: items(after) - items(before), bytes: bytes(after) - bytes(before) }
}
