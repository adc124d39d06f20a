//! A table as it was at a moment: the items as they are, minus every later change.
//!
//! For each item, the oldest of its later changes contains the earlier state (see `history.rs`). Items and history are
//! in the same order, so both are read once, side by side, whatever their size; and any snapshot will do, as long as
//! the changes since the moment are kept. So work on an earlier state pins nothing and can be resumed after a restart.

use std::iter::Peekable;
use std::ops::Bound;

use serde::{Deserialize, Serialize};
use sortkey_api::ApiError;
use sortkey_storage::{Entry, Key, Order, Published, StorageError};
use sortkey_value::{Item, key};

use crate::history::{Change, damaged, rest_of_change};
use crate::layout::{self, ITEM_PREFIX_BYTES};
use crate::reply::storage_failure;
use crate::stream::Position;

/// A point in a table's life. Everything committed later than its time, or behind its version, comes after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Moment {
    pub(crate) time_ms: u64,
    pub(crate) version: u64,
}

impl Moment {
    /// The moment of the newest commit in a view.
    pub(crate) fn now(view: &Published) -> Moment {
        Moment { time_ms: view.stamp.time_ms, version: view.stamp.version }
    }

    fn is_before(self, time_ms: u64, version: u64) -> bool {
        time_ms > self.time_ms || version > self.version
    }
}

/// The items of a table as they were at a moment, in the order of their keys; each with its key behind the table's id.
pub(crate) struct Past<'v> {
    moment: Moment,
    items: Peekable<Entries<'v>>,
    history: Peekable<Entries<'v>>,
}

type Entries<'v> = Box<dyn Iterator<Item = Result<Entry, StorageError>> + 'v>;

impl<'v> Past<'v> {
    /// Starts behind an item, given its key behind the table's id, or at the first one.
    pub(crate) fn read(view: &'v Published, table: u32, moment: Moment, after: Option<&[u8]>) -> Past<'v> {
        let entries = |space: Vec<u8>| {
            let (mut low, high) = layout::starting_with(&space);
            if let Some(rest) = after {
                // No item's key starts with another's, so this is behind all that concerns the item.
                let behind = key::after_prefix(&[&space, rest].concat());
                low = behind.map_or_else(|| high.clone(), Bound::Included);
            }
            let (low, high) = (low.as_ref().map(Vec::as_slice), high.as_ref().map(Vec::as_slice));
            view.snapshot.range(low, high, Order::Ascending).peekable()
        };
        Past { moment, items: entries(layout::items(table)), history: entries(layout::history(table)) }
    }

    /// The next item that is there now or was there once, and what it was.
    fn next_state(&mut self) -> Result<Option<(Key, Option<Item>)>, StorageError> {
        let item = peek(&mut self.items, rest_of_item)?;
        let change = peek(&mut self.history, rest_of_change)?;
        let Some(rest) = [&item, &change].into_iter().flatten().min().cloned() else { return Ok(None) };
        let mut state = None;
        if item.as_ref() == Some(&rest)
            && let Some((_, value)) = self.items.next().transpose()?
        {
            state = Some(Item::from_bytes(value));
        }
        let mut is_undone = false;
        while peek(&mut self.history, rest_of_change)?.as_ref() == Some(&rest) {
            let Some((key, value)) = self.history.next().transpose()? else { break };
            let change = Change::read(&value).ok_or_else(damaged)?;
            let position = Position::from_key(&key).ok_or_else(damaged)?;
            if !is_undone && self.moment.is_before(change.time_ms, position.version) {
                state = change.before;
                is_undone = true;
            }
        }
        Ok(Some((rest, state)))
    }
}

impl Iterator for Past<'_> {
    type Item = Result<(Key, Item), ApiError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.next_state() {
                Ok(Some((rest, Some(item)))) => return Some(Ok((rest, item))),
                Ok(Some((_, None))) => {}
                Ok(None) => return None,
                Err(error) => return Some(Err(storage_failure(&error))),
            }
        }
    }
}

fn rest_of_item(key: &[u8]) -> Option<&[u8]> {
    key.get(ITEM_PREFIX_BYTES..)
}

/// The item key of the next entry.
fn peek(
    entries: &mut Peekable<Entries<'_>>,
    rest: fn(&[u8]) -> Option<&[u8]>,
) -> Result<Option<Key>, StorageError> {
    match entries.peek() {
        None => Ok(None),
        Some(Ok((key, _))) => rest(key).map(|rest| Some(rest.into())).ok_or_else(damaged),
        Some(Err(error)) => Err(error.clone()),
    }
}
