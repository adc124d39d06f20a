//! The background jobs: complete new indexes, remove expired items, forget what is past its retention, clear
//! away dropped tables. Each works in small locked writes beside the requests, and can be interrupted anywhere.

pub(crate) mod background;
pub(crate) mod expiry;
pub(crate) mod transfers;

use std::ops::Bound;
use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_storage::{Batch, Counts, Key, Lock, Order, Published, StorageError};
use sortkey_value::Item;

use crate::catalog::schema::{Index, IndexStatus};
use crate::catalog::table::Table;
use crate::engine::Shared;
use crate::reply::storage_failure;
use crate::stream::{Actor, RETENTION_MS, Stream, streaming};
use crate::write::change::{Changes, ItemChange};
use crate::{catalog, history, layout};

/// Keys that one write of a job touches at most, so that it never holds up a request for long.
const CHUNK: usize = 256;

/// Does in the background what is due. While the clock is stopped nothing expires by itself: a test that stops the clock decides
/// by its steps which request still sees an item, and a sweep in between would come at a moment of the machine's own.
pub(crate) fn run_in_background(shared: &Arc<Shared>) -> Result<(), ApiError> {
    run_with(shared, false)
}

/// Does everything that is due.
pub(crate) fn run(shared: &Arc<Shared>) -> Result<(), ApiError> {
    run_with(shared, true)
}

fn run_with(shared: &Arc<Shared>, is_asked: bool) -> Result<(), ApiError> {
    let _running = shared.running_jobs.lock();
    let view = Arc::clone(&shared.committer.view());
    for table in catalog::tables(&view) {
        let table = table?;
        if table.needs_backfill() {
            backfill(shared, &table)?;
        }
        if table.expiry.is_none() {
            clear_expiry_entries(shared, &table)?;
        }
        history::prune(shared, &table)?;
        split_shards(shared, &table)?;
    }
    if (is_asked || !shared.clock.is_stopped()) && shared.settings.expiry_interval.is_some() {
        expire(shared)?;
    }
    forget_tokens(shared)?;
    trim_streams(shared)?;
    drop_expired_backups(shared)?;
    clear_dropped_tables(shared)
}

/// Whether a database that was just opened has work for the background thread.
pub(crate) fn are_due(shared: &Shared) -> bool {
    let view = shared.committer.view();
    let unfinished = |table: &Table| {
        table.needs_backfill()
            || table.expiry.is_some()
            || table.stream.is_some()
            || table.recovery.is_some()
            || history::is_left(&view, table.id)
    };
    catalog::tables(&view).any(|table| table.is_ok_and(|table| unfinished(&table)))
        || catalog::backups(&view).any(|backup| backup.is_ok_and(|backup| backup.expires_ms.is_some()))
        || !keys(&view, layout::starting_with(layout::DROPPED_TABLES), 1).unwrap_or_default().is_empty()
}

/// Adds older items to the indexes that are being created, then declares those active. Writers maintain such an
/// index already; every item is read again under its lock, so neither can undo the other's work.
fn backfill(shared: &Arc<Shared>, table: &Arc<Table>) -> Result<(), ApiError> {
    let (mut low, high) = layout::starting_with(&layout::items(table.id));
    loop {
        let view = Arc::clone(&shared.committer.view());
        let chunk = keys(&view, (low.clone(), high.clone()), CHUNK)?;
        let Some(last) = chunk.last() else { break };
        low = Bound::Excluded(last.to_vec());
        let mut locks: Vec<Lock> = chunk.iter().cloned().map(Lock::exclusive).collect();
        locks.push(Lock::shared(layout::table(&table.name)));
        let (name, id) = (table.name.clone(), table.id);
        let still_there = shared
            .write(locks, move |shared, view| {
                let Some(table) = shared.catalog.find(view, &name)?.filter(|table| table.id == id) else {
                    return Ok((Batch::new(), false));
                };
                let mut batch = Batch::new();
                for key in &chunk {
                    complete_item(&mut batch, &table, view, key)?;
                }
                Ok((batch, true))
            })
            .wait()?;
        if !still_there {
            return Ok(());
        }
    }
    declare_complete(shared, table)
}

fn complete_item(batch: &mut Batch, table: &Table, view: &Published, key: &Key) -> Result<(), ApiError> {
    let Some(value) = view.snapshot.get(key).map_err(|error| storage_failure(&error))? else { return Ok(()) };
    let item = Item::from_bytes(value);
    for index in table.indexes.iter().filter(|index| index.status == IndexStatus::Creating) {
        complete_entry(batch, table, index, view, key, &item)?;
    }
    if let Some(setting) = table.expiry.as_ref().filter(|setting| !setting.complete)
        && let Some(second) = expiry::second(&item, &setting.attribute)
    {
        batch.put(layout::expiry(table.id, second, key), Key::from([]));
    }
    Ok(())
}

fn complete_entry(
    batch: &mut Batch,
    table: &Table,
    index: &Index,
    view: &Published,
    key: &Key,
    item: &Item,
) -> Result<(), ApiError> {
    let Some(entry) = index.entry(table, key, item) else { return Ok(()) };
    // A writer may have been here first; then it has been counted, too.
    if view.snapshot.get(&entry.key).map_err(|error| storage_failure(&error))?.is_none() {
        let bytes = i64::try_from(entry.item.size_bytes()).unwrap_or(i64::MAX);
        batch.count(layout::totals(table.id, index.id), Counts { items: 1, bytes });
        batch.put(entry.key.into(), entry.item.as_bytes().clone());
    }
    Ok(())
}

/// Declares the indexes active that were being created when the backfill began.
fn declare_complete(shared: &Arc<Shared>, began_with: &Arc<Table>) -> Result<(), ApiError> {
    let began_with = Arc::clone(began_with);
    let locks = vec![Lock::exclusive(layout::table(&began_with.name))];
    let reply = shared.write(locks, move |shared, view| {
        let mut batch = Batch::new();
        let Some(table) =
            shared.catalog.find(view, &began_with.name)?.filter(|table| table.id == began_with.id)
        else {
            return Ok((batch, ()));
        };
        let mut table = Table::clone(&table);
        let was_creating = |id: u16| {
            began_with.indexes.iter().any(|index| index.id == id && index.status == IndexStatus::Creating)
        };
        for index in table.indexes.iter_mut().filter(|index| was_creating(index.id)) {
            index.status = IndexStatus::Active;
        }
        if let (Some(now), Some(then)) = (&mut table.expiry, &began_with.expiry)
            && now.since_version == then.since_version
        {
            now.complete = true;
        }
        batch.put(layout::table(&table.name), table.to_value());
        batch.changes_schema();
        Ok((batch, ()))
    });
    reply.wait()
}

/// Removes expired items; returns how many. Includes items from before expiry was switched on: a caller cannot
/// depend on the progress of the background job.
pub(crate) fn expire(shared: &Arc<Shared>) -> Result<usize, ApiError> {
    let view = Arc::clone(&shared.committer.view());
    let mut removed = 0;
    for table in catalog::tables(&view) {
        let table = table?;
        let Some(setting) = &table.expiry else { continue };
        if !setting.complete {
            backfill(shared, &table)?;
        }
        removed += expire_table(shared, &table)?;
    }
    Ok(removed)
}

fn expire_table(shared: &Arc<Shared>, table: &Arc<Table>) -> Result<usize, ApiError> {
    let seconds = expiry::expired_seconds(shared.expiry_now_ms());
    let edge = |second: u64| [layout::expiries(table.id), second.to_be_bytes().to_vec()].concat();
    let mut low = Bound::Included(edge(seconds.start));
    let mut removed = 0;
    loop {
        let view = Arc::clone(&shared.committer.view());
        let chunk = keys(&view, (low, Bound::Excluded(edge(seconds.end))), CHUNK)?;
        let Some(last) = chunk.last() else { return Ok(removed) };
        low = Bound::Excluded(last.to_vec());
        for entry in chunk {
            removed += usize::from(expire_item(shared, table, entry)?);
        }
    }
}

/// Removes the item of an expiry entry, if it is still expired once its lock is held. An entry that does not match
/// its item is removed instead: it dates from a time when expiry was off and writes did not maintain the entries.
fn expire_item(shared: &Arc<Shared>, table: &Arc<Table>, entry: Key) -> Result<bool, ApiError> {
    let Some((second, key)) = layout::expiring_item(table.id, &entry) else { return Ok(false) };
    let (name, id) = (table.name.clone(), table.id);
    let locks = vec![Lock::shared(layout::table(&name)), Lock::exclusive(key.clone())];
    let reply = shared.write(locks, move |shared, view| {
        let mut changes = Changes::new(view);
        let table = shared.catalog.find(view, &name)?.filter(|table| table.id == id);
        let Some((table, setting)) = table.as_ref().and_then(|table| Some((table, table.expiry.as_ref()?)))
        else {
            return Ok((changes.batch, false));
        };
        let before = view.snapshot.get(&key).map_err(|error| storage_failure(&error))?.map(Item::from_bytes);
        let is_known =
            before.as_ref().and_then(|item| expiry::second(item, &setting.attribute)) == Some(second);
        let due = is_known && expiry::expired_seconds(shared.expiry_now_ms()).contains(&second);
        if due {
            changes.record(table, &ItemChange { key, before, after: None }, Actor::Expiry)?;
        } else if !is_known {
            changes.batch.delete(entry);
        }
        Ok((changes.batch, due))
    });
    reply.wait()
}

/// Removes the expiry entries of a table whose items do not expire any more. The lock keeps the setting as it is.
fn clear_expiry_entries(shared: &Arc<Shared>, table: &Arc<Table>) -> Result<(), ApiError> {
    loop {
        let view = Arc::clone(&shared.committer.view());
        let chunk = keys(&view, layout::starting_with(&layout::expiries(table.id)), CHUNK)?;
        if chunk.is_empty() {
            return Ok(());
        }
        let (name, id) = (table.name.clone(), table.id);
        let locks = vec![Lock::exclusive(layout::table(&name))];
        let clear = move |shared: &Arc<Shared>, view: &Published| {
            let mut batch = Batch::new();
            let table = shared.catalog.find(view, &name)?.filter(|table| table.id == id);
            let is_off = table.is_some_and(|table| table.expiry.is_none());
            if is_off {
                chunk.into_iter().for_each(|key| batch.delete(key));
            }
            Ok((batch, is_off))
        };
        if !shared.write(locks, clear).wait()? {
            return Ok(());
        }
    }
}

/// Forgets idempotency tokens that are past their ten minutes.
fn forget_tokens(shared: &Arc<Shared>) -> Result<(), ApiError> {
    let now = shared.now_ms();
    let (low, high) = layout::tokens_before(now);
    loop {
        let view = Arc::clone(&shared.committer.view());
        let chunk = keys(&view, (Bound::Included(low.clone()), Bound::Excluded(high.clone())), CHUNK)?;
        if chunk.is_empty() {
            return Ok(());
        }
        let tokens: Vec<Key> = chunk.iter().filter_map(|key| layout::expiring_token(key)).collect();
        let locks = tokens.iter().cloned().map(Lock::exclusive).collect();
        let forget = move |_: &Arc<Shared>, view: &Published| {
            let mut batch = Batch::new();
            batch.not_before(now);
            for (expiry, token) in chunk.into_iter().zip(tokens) {
                // A token used again after its time has a younger expiry entry and stays.
                let kept = view.snapshot.get(&token).map_err(|error| storage_failure(&error))?;
                if kept.is_some_and(|value| crate::write::token::expires_with(&value, &expiry)) {
                    batch.delete(token);
                }
                batch.delete(expiry);
            }
            Ok((batch, ()))
        };
        shared.write(locks, forget).wait()?;
    }
}

/// Removes stream records older than a day, and streams that were closed longer ago.
fn trim_streams(shared: &Arc<Shared>) -> Result<(), ApiError> {
    let now = shared.now_ms();
    let horizon = now.saturating_sub(RETENTION_MS);
    let view = Arc::clone(&shared.committer.view());
    for stream in catalog::streams(&view) {
        let stream = stream?;
        for shard in stream.shards() {
            trim_shard(shared, &stream, shard.number(), now)?;
        }
        if stream.generations.get(1).is_some_and(|second| second.created_ms < horizon) {
            forget_generations(shared, &stream, horizon)?;
        }
        if stream.closed.is_some_and(|closed| closed.at_ms < horizon) {
            remove(shared, vec![layout::stream(stream.id)], now)?;
        }
    }
    Ok(())
}

/// Forgets shards that were closed so long ago that all their records are gone.
fn forget_generations(shared: &Arc<Shared>, stream: &Stream, horizon: u64) -> Result<(), ApiError> {
    let id = stream.id;
    // The lock under which a stream's descriptor is changed.
    let locks = vec![Lock::exclusive(layout::table(&stream.table_name))];
    let forget = move |_: &Arc<Shared>, view: &Published| {
        let mut batch = Batch::new();
        if let Some(mut stream) = catalog::stream(view, id)? {
            while stream.generations.get(1).is_some_and(|second| second.created_ms < horizon) {
                stream.generations.remove(0);
            }
            batch.put(layout::stream(id), stream.to_value());
        }
        Ok((batch, ()))
    };
    shared.write(locks, forget).wait()
}

/// Splits the shards of a stream that are as old as the settings allow.
fn split_shards(shared: &Arc<Shared>, table: &Table) -> Result<(), ApiError> {
    let Some(lifetime) = shared.settings.shard_lifetime else { return Ok(()) };
    let lifetime_ms = u64::try_from(lifetime.as_millis()).unwrap_or(u64::MAX);
    let is_due = move |shared: &Shared, table: &Table| {
        let opened_ms = table.stream.as_ref().map(|stream| stream.generation.map_or(0, |of| of.created_ms));
        opened_ms.is_some_and(|opened_ms| shared.now_ms() >= opened_ms.saturating_add(lifetime_ms))
    };
    if !is_due(shared, table) {
        return Ok(());
    }
    let (name, id) = (Arc::clone(&table.name), table.id);
    let locks = vec![Lock::exclusive(layout::table(&name))];
    let split = move |shared: &Arc<Shared>, view: &Published| {
        let mut batch = Batch::new();
        let table = shared.catalog.find(view, &name)?;
        if let Some(table) = table.filter(|table| table.id == id && is_due(shared, table)) {
            let mut table = Table::clone(&table);
            streaming::split(shared, view, &mut table, &mut batch)?;
            batch.put(layout::table(&name), table.to_value());
            batch.changes_schema();
        }
        Ok((batch, ()))
    };
    shared.write(locks, split).wait()
}

fn trim_shard(shared: &Arc<Shared>, stream: &Stream, shard: u16, now_ms: u64) -> Result<(), ApiError> {
    let horizon = now_ms.saturating_sub(RETENTION_MS);
    let (low, high) = layout::starting_with(&layout::shard_records(stream.id, shard));
    loop {
        let view = Arc::clone(&shared.committer.view());
        let entries = view.snapshot.range(
            low.as_ref().map(Vec::as_slice),
            high.as_ref().map(Vec::as_slice),
            Order::Ascending,
        );
        let is_old = |value: &[u8]| {
            let time = value.get(..8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_be_bytes);
            time < horizon
        };
        let mut old = Vec::new();
        for entry in entries.take(CHUNK) {
            let (key, value) = entry.map_err(|error| storage_failure(&error))?;
            if !is_old(&value) {
                break;
            }
            old.push(key);
        }
        if old.is_empty() {
            return Ok(());
        }
        remove(shared, old, now_ms)?;
    }
}

/// Drops the backups of deleted tables that are past their time.
fn drop_expired_backups(shared: &Arc<Shared>) -> Result<(), ApiError> {
    let (view, now) = (Arc::clone(&shared.committer.view()), shared.now_ms());
    for backup in catalog::backups(&view) {
        let backup = backup?;
        if backup.expires_ms.is_some_and(|expires_ms| expires_ms <= now) {
            drop_backup(shared, &backup.label, false)?;
        }
    }
    Ok(())
}

/// Drops a backup; one that a table is being made of stays, unless the table goes as well.
fn drop_backup(shared: &Arc<Shared>, label: &str, even_if_used: bool) -> Result<(), ApiError> {
    let key = layout::backup(label);
    let locks = vec![Lock::exclusive(key.clone())];
    let label = label.to_owned();
    let drop_it = move |_: &Arc<Shared>, view: &Published| {
        let mut batch = Batch::new();
        if let Some(backup) = catalog::backup(view, &label)?
            && (even_if_used || !backup.is_being_restored(view)?)
        {
            batch.delete(key);
            batch.put(layout::dropped(backup.id), Key::from([]));
        }
        Ok((batch, ()))
    };
    shared.write(locks, drop_it).wait()
}

/// Removes what dropped tables and indexes left behind. Their ids are never used again, so nobody can see it meanwhile.
fn clear_dropped_tables(shared: &Arc<Shared>) -> Result<(), ApiError> {
    let view = Arc::clone(&shared.committer.view());
    for mark in keys(&view, layout::starting_with(layout::DROPPED_TABLES), usize::MAX)? {
        let Some((table, index)) = layout::dropped_ids(&mark) else { continue };
        let surroundings = || {
            let history = layout::totals(table, layout::HISTORY_TOTALS).to_vec();
            [layout::expiries(table), layout::history_log(table), layout::history(table), history]
        };
        let spaces = match index {
            Some(layout::SURROUNDINGS) => surroundings().to_vec(),
            Some(index) => vec![layout::index_entries(table, index), layout::totals(table, index).to_vec()],
            None => {
                let own = [layout::items(table), layout::all_index_entries(table), layout::all_totals(table)];
                own.into_iter().chain(surroundings()).collect()
            }
        };
        for space in spaces {
            clear(shared, &space)?;
        }
        remove(shared, vec![mark], 0)?;
    }
    Ok(())
}

/// Drops every table and backup, whatever protects it, and forgets tokens, streams, exports and imports.
pub(crate) fn remove_everything(shared: &Arc<Shared>) -> Result<(), ApiError> {
    let view = Arc::clone(&shared.committer.view());
    for table in catalog::tables(&view) {
        let key = layout::table(&table?.name);
        let locks = vec![Lock::exclusive(key.clone())];
        let drop_table = move |_: &Arc<Shared>, view: &Published| {
            let mut batch = Batch::new();
            if let Some(value) = view.snapshot.get(&key).map_err(|error| storage_failure(&error))? {
                let table = Table::from_value(&value)
                    .map_err(|what| storage_failure(&StorageError::Damaged(what)))?;
                batch.delete(key);
                batch.put(layout::dropped(table.id), Key::from([]));
                batch.changes_schema();
            }
            Ok((batch, ()))
        };
        shared.write(locks, drop_table).wait()?;
    }
    for backup in catalog::backups(&view) {
        drop_backup(shared, &backup?.label, true)?;
    }
    for space in layout::RECORDS {
        clear(shared, space)?;
    }
    clear_dropped_tables(shared)
}

/// Removes all keys with a prefix.
fn clear(shared: &Arc<Shared>, prefix: &[u8]) -> Result<(), ApiError> {
    loop {
        let view = Arc::clone(&shared.committer.view());
        let chunk = keys(&view, layout::starting_with(prefix), CHUNK * 4)?;
        if chunk.is_empty() {
            return Ok(());
        }
        drop(view);
        remove(shared, chunk, 0)?;
    }
}

/// Removes keys that nobody else writes.
fn remove(shared: &Arc<Shared>, keys: Vec<Key>, not_before_ms: u64) -> Result<(), ApiError> {
    let removal = move |_: &Arc<Shared>, _: &Published| {
        let mut batch = Batch::new();
        batch.not_before(not_before_ms);
        keys.into_iter().for_each(|key| batch.delete(key));
        Ok((batch, ()))
    };
    shared.write(Vec::new(), removal).wait()
}

/// The first keys of a range.
fn keys(
    view: &Published,
    range: (Bound<Vec<u8>>, Bound<Vec<u8>>),
    most: usize,
) -> Result<Vec<Key>, ApiError> {
    let (low, high) = (range.0.as_ref().map(Vec::as_slice), range.1.as_ref().map(Vec::as_slice));
    let entries = view.snapshot.range(low, high, Order::Ascending).take(most);
    entries.map(|entry| entry.map(|(key, _)| key).map_err(|error| storage_failure(&error))).collect()
}
