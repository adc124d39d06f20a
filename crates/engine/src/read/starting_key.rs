//! `ExclusiveStartKey`: the entry behind which a page goes on.
//!
//! AWS checks it twice. Before the key condition it requires the key of the table or index that is read; after
//! it, the key of the table, and that the query could have ended there. Only errors of the second check mention
//! the starting key.

use std::ops::Bound;

use sortkey_api::ApiError;
use sortkey_expression::{Constant, KeyRange};
use sortkey_value::Item;

use crate::catalog::schema::KeyFault;
use crate::read::source::{Range, Source};
use crate::text;
use crate::write::mutation::item_key;

impl Source<'_> {
    /// The first look: as many attributes as name an entry, and the partition attributes of what is read.
    pub(crate) fn check_start_partition(&self, start: &Item) -> Result<(), ApiError> {
        let table_only =
            self.table.key.attributes().filter(|attribute| !self.key().contains(&attribute.name));
        if start.len() != self.key().len() + table_only.count() {
            return Err(text::starting_key_invalid());
        }
        self.key().partition_fault(start).map_or(Ok(()), |fault| Err(start_fault(&fault)))
    }

    /// The rest of the first look: the sort attributes of what is read.
    pub(crate) fn check_start_sort(&self, start: &Item) -> Result<(), ApiError> {
        self.key().sort_fault(start).map_or(Ok(()), |fault| Err(start_fault(&fault)))
    }

    /// The second look: the store key of the entry.
    pub(crate) fn start_key(&self, start: &Item) -> Result<Vec<u8>, ApiError> {
        let not_the_table = |error: ApiError| text::starting_key_fault(&error.message);
        let Some(index) = self.index else {
            return item_key(self.table, start).map(|key| key.to_vec()).map_err(not_the_table);
        };
        item_key(self.table, &self.table.key.project(start)).map_err(not_the_table)?;
        let mut key = self.space();
        index.key.put(&mut key, start).map_err(|_| text::starting_key_invalid())?;
        self.table.key.put(&mut key, start).map_err(|_| text::starting_key_invalid())?;
        Ok(key)
    }

    /// Like `start_key`, but for a query, which must be one that could have ended at the entry; if it is not,
    /// the error depends on the condition that the entry violates.
    pub(crate) fn start_key_within(&self, start: &Item, range: &KeyRange) -> Result<Vec<u8>, ApiError> {
        let place = self.start_key(start)?;
        if self.index.is_none() && self.key().sort.is_empty() {
            return Err(text::starting_key_of_one_item(start));
        }
        if contains(&self.key_range(range)?, &place) {
            return Ok(place);
        }
        if range.sort_equal.is_empty() && range.sort_range.is_none() {
            return Err(ApiError::validation(
                "The provided starting key is outside query boundaries based on provided conditions",
            ));
        }
        let partition = self.key().partition.iter().filter_map(|attribute| start.get(&attribute.name));
        let own = KeyRange {
            partition: partition.map(|value| Constant::from(&value.to_owned())).collect(),
            ..range.clone()
        };
        Err(match contains(&self.key_range(&own)?, &place) {
            true => cannot_be_restarted(),
            false => ApiError::validation("The provided starting key does not match the range key predicate"),
        })
    }
}

fn cannot_be_restarted() -> ApiError {
    ApiError::validation("The query can return at most one row and cannot be restarted")
}

fn start_fault(fault: &KeyFault) -> ApiError {
    match fault {
        KeyFault::Missing { .. } => text::starting_key_invalid(),
        _ => text::key_fault(fault),
    }
}

fn contains(range: &Range, place: &[u8]) -> bool {
    let above = match &range.0 {
        Bound::Included(low) => place >= low.as_slice(),
        Bound::Excluded(low) => place > low.as_slice(),
        Bound::Unbounded => true,
    };
    let below = match &range.1 {
        Bound::Included(high) => place <= high.as_slice(),
        Bound::Excluded(high) => place < high.as_slice(),
        Bound::Unbounded => true,
    };
    above && below
}
