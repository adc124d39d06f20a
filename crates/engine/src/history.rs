//! History: what an item was before each change, so that a table can be seen as it was.
//!
//! ```text
//! history   key: item, position     value: time:u64 item?      absent: there was none
//! log       key: position           value: time:u64 rest of the item's key
//! ```
//!
//! A position is the commit version and the ordinal of the change within its batch, as in streams. The history is in
//! the order of items, so that an earlier state is read by merging it with them; the log is in the order of time, so that
//! what is too old is found at its front.
//!
//! Nothing of this is written for a table unless an earlier state can be needed: continuous backups are on, or work
//! is under way that reads the table as it was.

pub(crate) mod backup;
pub(crate) mod past;
pub(crate) mod recovery;
pub(crate) mod restore;

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_storage::{Batch, Counts, Key, Lock, Order, Published, StorageError, Value};
use sortkey_value::Item;

use crate::catalog;
use crate::catalog::describe::totals;
use crate::catalog::table::Table;
use crate::engine::{Engine, Shared};
use crate::layout::{self, ITEM_PREFIX_BYTES};
use crate::reply::storage_failure;
use crate::stream::Position;
use crate::write::change::ItemChange;

/// Bytes of a position, and of a time.
const POSITION_BYTES: usize = 10;
const TIME_BYTES: usize = 8;
/// Changes that are forgotten in one write.
const CHUNK: usize = 256;

/// The size of a table's history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// The table.
    pub table: String,
    /// How many changes are kept.
    pub changes: u64,
    /// The bytes of their keys and values.
    pub bytes: u64,
}

impl Engine {
    /// The histories of all tables that keep one.
    pub fn histories(&self) -> Result<Vec<History>, ApiError> {
        let view = self.shared.committer.view();
        let mut histories = Vec::new();
        for table in catalog::tables(&view) {
            let table = table?;
            let kept = totals(&view, table.id, layout::HISTORY_TOTALS)?;
            if table.keeps_history() || kept.items > 0 {
                let (changes, bytes) = (kept.items.unsigned_abs(), kept.bytes.unsigned_abs());
                histories.push(History { table: table.name.to_string(), changes, bytes });
            }
        }
        Ok(histories)
    }
}

/// Adds what was there before a change to the batch that makes it.
pub(crate) fn record(batch: &mut Batch, table: &Table, ordinal: u16, change: &ItemChange) {
    let before: &[u8] = change.before.as_ref().map_or(&[], |item| item.as_bytes());
    let rest = &change.key[ITEM_PREFIX_BYTES..];
    let ordinal = ordinal.to_be_bytes();
    batch.log(&layout::item_history(table.id, &change.key), &ordinal, before);
    batch.log(&layout::history_log(table.id), &ordinal, rest);
    batch.count(layout::totals(table.id, layout::HISTORY_TOTALS), stored(rest.len(), before.len()));
}

/// The space that one change occupies: an entry in the history and one in the log.
pub(crate) fn stored(rest_bytes: usize, before_bytes: usize) -> Counts {
    let each = ITEM_PREFIX_BYTES + POSITION_BYTES + TIME_BYTES + rest_bytes;
    Counts { items: 1, bytes: i64::try_from(2 * each + before_bytes).unwrap_or(i64::MAX) }
}

/// An entry of the history.
pub(crate) struct Change {
    pub(crate) time_ms: u64,
    pub(crate) before: Option<Item>,
}

impl Change {
    pub(crate) fn read(value: &Value) -> Option<Change> {
        let (time, before) = value.split_first_chunk::<TIME_BYTES>()?;
        Some(Change {
            time_ms: u64::from_be_bytes(*time),
            before: (!before.is_empty()).then(|| Item::from_bytes(before.into())),
        })
    }
}

/// An entry of the log.
pub(crate) struct Logged {
    pub(crate) time_ms: u64,
    /// The key of the same change in the history.
    pub(crate) history_key: Key,
    /// How much of that is the item's key.
    pub(crate) rest_bytes: usize,
}

impl Logged {
    pub(crate) fn read(table: u32, key: &[u8], value: &[u8]) -> Option<Logged> {
        let (time, rest) = value.split_first_chunk::<TIME_BYTES>()?;
        let position = Position::from_key(key)?.to_bytes();
        let history_key = [layout::history(table).as_slice(), rest, &position].concat().into();
        Some(Logged { time_ms: u64::from_be_bytes(*time), history_key, rest_bytes: rest.len() })
    }
}

/// The item's key behind the table's id, in a key of the history.
pub(crate) fn rest_of_change(key: &[u8]) -> Option<&[u8]> {
    key.get(ITEM_PREFIX_BYTES..key.len().checked_sub(POSITION_BYTES)?)
}

pub(crate) fn damaged() -> StorageError {
    StorageError::Damaged("an entry of a table's history cannot be read".into())
}

impl Table {
    /// Changes before this time need not be kept; `None` if none need to.
    fn history_since_ms(&self, now_ms: u64) -> Option<u64> {
        let recovery = self.recovery.as_ref().map(|recovery| recovery.earliest_ms(now_ms));
        self.holds.iter().map(|hold| hold.since_ms).chain(recovery).min()
    }
}

/// Forgets the changes of a table that nobody can go back to any more.
pub(crate) fn prune(shared: &Arc<Shared>, table: &Table) -> Result<(), ApiError> {
    let (name, id) = (Arc::clone(&table.name), table.id);
    let view = Arc::clone(&shared.committer.view());
    let horizon = table.history_since_ms(shared.now_ms());
    if forgotten(&view, id, horizon, 1).map_err(|error| storage_failure(&error))?.is_empty() {
        return Ok(());
    }
    drop(view);
    loop {
        let name = Arc::clone(&name);
        // The lock keeps the setting as it is; items need none, since only this job removes what they left behind.
        let locks = vec![Lock::shared(layout::table(&name))];
        let forget = move |shared: &Arc<Shared>, view: &Published| {
            let table = shared.catalog.find(view, &name)?.filter(|table| table.id == id);
            let Some(table) = table else { return Ok((Batch::new(), false)) };
            let now = shared.now_ms();
            let horizon = table.history_since_ms(now);
            let mut batch = forgotten(view, id, horizon, CHUNK).map_err(|error| storage_failure(&error))?;
            batch.not_before(now);
            let goes_on = !batch.is_empty();
            Ok((batch, goes_on))
        };
        if !shared.write(locks, forget).wait()? {
            return Ok(());
        }
    }
}

/// Whether a table has history, needed or not.
pub(crate) fn is_left(view: &Published, table: u32) -> bool {
    forgotten(view, table, None, 1).is_ok_and(|batch| !batch.is_empty())
}

/// The removal of the oldest changes before a time, but not of too many at once.
fn forgotten(
    view: &Published,
    table: u32,
    horizon_ms: Option<u64>,
    most: usize,
) -> Result<Batch, StorageError> {
    let mut batch = Batch::new();
    let (low, high) = layout::starting_with(&layout::history_log(table));
    let (low, high) = (low.as_ref().map(Vec::as_slice), high.as_ref().map(Vec::as_slice));
    for entry in view.snapshot.range(low, high, Order::Ascending).take(most) {
        let (key, value) = entry?;
        let logged = Logged::read(table, &key, &value).ok_or_else(damaged)?;
        if horizon_ms.is_some_and(|horizon_ms| logged.time_ms >= horizon_ms) {
            break;
        }
        if let Some(change) = view.snapshot.get(&logged.history_key)? {
            let stored = stored(logged.rest_bytes, change.len().saturating_sub(TIME_BYTES));
            let removed = Counts { items: -stored.items, bytes: -stored.bytes };
            batch.count(layout::totals(table, layout::HISTORY_TOTALS), removed);
        }
        batch.delete(logged.history_key);
        batch.delete(key);
    }
    Ok(batch)
}
