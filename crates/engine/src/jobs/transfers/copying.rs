//! Copies of an earlier state: into a backup, or into a table that is being created.
//!
//! The state is read in the order of its keys and written in small steps, so a copy continues after the last key that
//! was written, also after a restart.

use std::ops::Bound;
use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_storage::{Batch, Counts, Key, Lock, Order, Published};
use sortkey_value::Item;

use crate::catalog::table::{Filling, Table};
use crate::engine::Shared;
use crate::history::backup::Backup;
use crate::history::past::{Moment, Past};
use crate::reply::storage_failure;
use crate::stream::Actor;
use crate::write::change::{Changes, ItemChange};
use crate::{catalog, layout};

/// Items, and about how many bytes of them, that one write moves at most.
pub(super) const CHUNK_ITEMS: usize = 256;
pub(super) const CHUNK_BYTES: usize = 1024 * 1024;

/// Copies the items of a table as they were when the backup was asked for. Until that is done the table keeps the history
/// of its changes, and cannot be deleted.
pub(super) fn write_backup(shared: &Arc<Shared>, backup: &Backup) -> Result<(), ApiError> {
    let key = layout::backup(&backup.label);
    let mut after = last_item(&shared.committer.view(), backup.id)?;
    loop {
        let view = Arc::clone(&shared.committer.view());
        let chunk = chunk(&view, backup.table.id, backup.moment, after.as_deref())?;
        drop(view);
        let Some((last, _)) = chunk.last() else { break };
        after = Some(last.to_vec());
        let (id, label) = (backup.id, backup.label.clone());
        let write = move |_: &Arc<Shared>, view: &Published| {
            let mut batch = Batch::new();
            let is_there = catalog::backup(view, &label)?.is_some_and(|backup| backup.id == id);
            if is_there {
                for (rest, item) in chunk {
                    batch.count(layout::totals(id, 0), counted(&item));
                    batch.put([layout::items(id).as_slice(), &rest].concat().into(), item.as_bytes().clone());
                }
            }
            Ok((batch, is_there))
        };
        if !shared.write(vec![Lock::shared(key.clone())], write).wait()? {
            return Ok(());
        }
    }
    complete_backup(shared, backup)
}

fn complete_backup(shared: &Arc<Shared>, backup: &Backup) -> Result<(), ApiError> {
    let (label, name) = (backup.label.clone(), Arc::clone(&backup.table.name));
    let locks = vec![Lock::exclusive(layout::backup(&label)), Lock::exclusive(layout::table(&name))];
    let complete = move |shared: &Arc<Shared>, view: &Published| {
        let mut batch = Batch::new();
        if let Some(mut backup) = catalog::backup(view, &label)? {
            backup.complete = true;
            batch.put(layout::backup(&label), backup.to_value());
            let arn = shared.backup_arn(&name, &label);
            release(shared, view, &name, backup.table.id, &arn, &mut batch)?;
        }
        Ok((batch, ()))
    };
    shared.write(locks, complete).wait()?;
    // The background removes history that is not needed any more.
    shared.wake_background();
    Ok(())
}

/// Puts the items of a backup, or of a table as it was at a moment, into a table, with their index entries.
pub(super) fn fill(
    shared: &Arc<Shared>,
    table: &Arc<Table>,
    source: u32,
    moment: Option<Moment>,
) -> Result<(), ApiError> {
    // Nobody changes a backup: as it is now is as it was.
    let moment = moment.unwrap_or_else(|| Moment::now(&shared.committer.view()));
    let mut after = last_item(&shared.committer.view(), table.id)?;
    loop {
        let view = Arc::clone(&shared.committer.view());
        let chunk = chunk(&view, source, moment, after.as_deref())?;
        drop(view);
        let Some((last, _)) = chunk.last() else { break };
        after = Some(last.to_vec());
        let items = chunk.into_iter().map(|(_, item)| item).collect();
        if !put_items(shared, table, items)? {
            return Ok(());
        }
    }
    complete_table(shared, table)
}

/// Adds items to a table that is being filled; returns whether it still exists.
pub(super) fn put_items(
    shared: &Arc<Shared>,
    table: &Arc<Table>,
    items: Vec<Item>,
) -> Result<bool, ApiError> {
    let table = Arc::clone(table);
    let locks = vec![Lock::shared(layout::table(&table.name))];
    let put = move |shared: &Arc<Shared>, view: &Published| {
        let mut changes = Changes::new(view);
        let is_there = shared.catalog.find(view, &table.name)?.is_some_and(|found| found.id == table.id);
        for item in items.into_iter().filter(|_| is_there) {
            let Some(key) = table.item_key(&item) else { continue };
            let before =
                view.snapshot.get(&key).map_err(|error| storage_failure(&error))?.map(Item::from_bytes);
            changes.record(&table, &ItemChange { key, before, after: Some(item) }, Actor::User)?;
        }
        Ok((changes.batch, is_there))
    };
    shared.write(locks, put).wait()
}

/// Lets everybody use a table whose items are all there.
fn complete_table(shared: &Arc<Shared>, table: &Arc<Table>) -> Result<(), ApiError> {
    let source = match &table.filling {
        Some(Filling::Table { name, .. }) => Some(Arc::clone(name)),
        _ => None,
    };
    let table = Arc::clone(table);
    let names = source.iter().chain([&table.name]);
    let locks = names.map(|name| Lock::exclusive(layout::table(name))).collect();
    let complete = move |shared: &Arc<Shared>, view: &Published| {
        let mut batch = Batch::new();
        if let Some(found) = shared.catalog.find(view, &table.name)?.filter(|found| found.id == table.id) {
            let mut found = Table::clone(&found);
            if let Some(Filling::Table { name, source, .. }) = found.filling.take() {
                let arn = shared.table_arn(&table.name);
                release(shared, view, &name, source, &arn, &mut batch)?;
            }
            batch.put(layout::table(&table.name), found.to_value());
            batch.changes_schema();
        }
        Ok((batch, ()))
    };
    shared.write(locks, complete).wait()?;
    shared.wake_background();
    Ok(())
}

/// Lets a table forget the history that was kept for somebody. The caller holds the table's lock.
pub(super) fn release(
    shared: &Shared,
    view: &Published,
    name: &str,
    id: u32,
    by: &str,
    batch: &mut Batch,
) -> Result<(), ApiError> {
    if let Some(table) = shared.catalog.find(view, name)?.filter(|table| table.id == id) {
        let mut table = Table::clone(&table);
        table.holds.retain(|hold| hold.by != by);
        batch.put(layout::table(name), table.to_value());
        batch.changes_schema();
    }
    Ok(())
}

/// The next items of an earlier state, behind one of them.
pub(super) fn chunk(
    view: &Published,
    source: u32,
    moment: Moment,
    after: Option<&[u8]>,
) -> Result<Vec<(Key, Item)>, ApiError> {
    let (mut chunk, mut bytes) = (Vec::new(), 0);
    for entry in Past::read(view, source, moment, after) {
        let (rest, item) = entry?;
        bytes += item.as_bytes().len();
        chunk.push((rest, item));
        if chunk.len() == CHUNK_ITEMS || bytes >= CHUNK_BYTES {
            break;
        }
    }
    Ok(chunk)
}

/// The key of the last item under an id, behind that id.
fn last_item(view: &Published, id: u32) -> Result<Option<Vec<u8>>, ApiError> {
    let (low, high) = layout::starting_with(&layout::items(id));
    let (low, high): (Bound<&[u8]>, Bound<&[u8]>) =
        (low.as_ref().map(Vec::as_slice), high.as_ref().map(Vec::as_slice));
    let last = view.snapshot.range(low, high, Order::Descending).next().transpose();
    let last = last.map_err(|error| storage_failure(&error))?;
    Ok(last.and_then(|(key, _)| Some(key.get(layout::ITEM_PREFIX_BYTES..)?.to_vec())))
}

fn counted(item: &Item) -> Counts {
    Counts { items: 1, bytes: i64::try_from(item.size_bytes()).unwrap_or(i64::MAX) }
}
