//! What moves whole tables, in a thread of its own: backups being written, tables being filled, exports and imports.
//!
//! Backups and restores read an earlier state in the order of its keys and write it in small steps, so the last key that was
//! written says where to go on, also after a restart (see `past.rs`). Exports and imports begin anew.

pub(crate) mod bucket;
pub(crate) mod export;
pub(crate) mod import;
mod lines;
pub(crate) mod listing;
mod manifest;

use std::io;
use std::ops::Bound;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sortkey_api::ApiError;
use sortkey_storage::{Batch, Counts, Key, Lock, Order, Published};
use sortkey_value::Item;

use crate::backup::Backup;
use crate::change::{Changes, ItemChange};
use crate::engine::Shared;
use crate::past::{Moment, Past};
use crate::reply::storage_failure;
use crate::stream::Actor;
use crate::table::{Filling, Table};
use crate::{catalog, layout};
use export::Export;

/// Items, and about how many bytes of them, that one write moves at most.
const CHUNK_ITEMS: usize = 256;
const CHUNK_BYTES: usize = 1024 * 1024;

/// How far an export or an import is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    InProgress,
    Completed,
    Failed(Failure),
}

/// Why an export or an import failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) code: String,
    pub(crate) message: String,
}

impl Failure {
    fn new(code: &str, message: String) -> Failure {
        Failure { code: code.to_owned(), message }
    }

    /// The settings do not allow what they allowed when it began.
    fn unreachable(error: ApiError) -> Failure {
        Failure::new("S3AccessDenied", error.message)
    }
}

/// Why an export or an import does not go on: for good, or until the store works again.
enum Stop {
    Files(Failure),
    Store(ApiError),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Files(failure)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Failure::new("S3AccessFailed", error.to_string()).into()
    }
}

impl From<ApiError> for Stop {
    fn from(error: ApiError) -> Stop {
        Stop::Store(error)
    }
}

/// Completes everything that is unfinished.
pub(crate) fn run(shared: &Arc<Shared>) -> Result<(), ApiError> {
    // The view goes at once: what follows can take long, and must not pin it.
    let Unfinished { backups, exports, tables } = Unfinished::find(&shared.committer.view())?;
    for backup in backups {
        write_backup(shared, &backup)?;
    }
    for export in exports {
        export::run(shared, export)?;
    }
    for table in tables {
        fill(shared, &table)?;
    }
    Ok(())
}

/// Whether something is unfinished in a database that was just opened.
pub(crate) fn are_due(view: &Published) -> bool {
    Unfinished::find(view).is_ok_and(|Unfinished { backups, exports, tables }| {
        !backups.is_empty() || !exports.is_empty() || !tables.is_empty()
    })
}

/// What there is to do.
struct Unfinished {
    backups: Vec<Backup>,
    exports: Vec<Export>,
    tables: Vec<Arc<Table>>,
}

impl Unfinished {
    fn find(view: &Published) -> Result<Unfinished, ApiError> {
        let backups = catalog::backups(view).collect::<Result<Vec<_>, _>>()?;
        let exports = catalog::entries::<Export>(view, layout::EXPORTS).collect::<Result<Vec<_>, _>>()?;
        let tables = catalog::tables(view).collect::<Result<Vec<_>, _>>()?;
        Ok(Unfinished {
            backups: backups.into_iter().filter(|backup| !backup.complete).collect(),
            exports: exports.into_iter().filter(|export| export.status == Status::InProgress).collect(),
            tables: tables.into_iter().filter(|table| table.filling.is_some()).collect(),
        })
    }
}

/// Copies the items of a table as they were when the backup was asked for. Until that is done the table keeps the history
/// of its changes, and cannot be deleted.
fn write_backup(shared: &Arc<Shared>, backup: &Backup) -> Result<(), ApiError> {
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
    // What the history holds may not be needed any more.
    shared.wake_background();
    Ok(())
}

/// Puts items from a backup, a table as it was or files into a table, with their index entries.
fn fill(shared: &Arc<Shared>, table: &Arc<Table>) -> Result<(), ApiError> {
    let (source, moment) = match &table.filling {
        None => return Ok(()),
        Some(Filling::Backup { source }) => (*source, Moment::now(&shared.committer.view())),
        Some(Filling::Table { source, moment, .. }) => (*source, *moment),
        Some(Filling::Import { label }) => return import::run(shared, table, label),
    };
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

/// Adds items to a table that is being filled; says whether it is still there.
fn put_items(shared: &Arc<Shared>, table: &Arc<Table>, items: Vec<Item>) -> Result<bool, ApiError> {
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
fn release(
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
fn chunk(
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
