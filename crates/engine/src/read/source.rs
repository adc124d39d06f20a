//! The source of a query or scan: a table or one of its indexes.

use std::ops::Bound;
use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_expression::{KeyCondition, KeyRange, SortRange};
use sortkey_storage::Published;
use sortkey_value::{AttributeType, Item, ValueRef, key};

use crate::catalog::schema::{Index, IndexKind, IndexStatus, KeySchema};
use crate::catalog::table::Table;
use crate::engine::Shared;
use crate::read::capacity::{Consistency, Cost};
use crate::read::expressions::invalid;
use crate::{layout, text};

/// A table, or one of its indexes.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) table: &'a Table,
    pub(crate) index: Option<&'a Index>,
}

/// A range of store keys.
pub(crate) type Range = (Bound<Vec<u8>>, Bound<Vec<u8>>);

impl<'a> Source<'a> {
    /// Finds what a request names, and refuses what an index cannot do.
    pub(crate) fn find(
        table: &'a Table,
        index: Option<&str>,
        consistent: Option<bool>,
    ) -> Result<Source<'a>, ApiError> {
        let Some(name) = index else { return Ok(Source { table, index: None }) };
        let index = table.index(name).ok_or_else(|| text::index_not_found(name))?;
        if index.kind == IndexKind::Global && consistent == Some(true) {
            return Err(ApiError::validation(
                "Consistent reads are not supported on global secondary indexes",
            ));
        }
        if index.status != IndexStatus::Active {
            return Err(ApiError::validation(format!(
                "Cannot read from backfilling global secondary index: {name}"
            )));
        }
        Ok(Source { table, index: Some(index) })
    }

    /// The state to read: the one that the table was found in, so that nobody sees half of an index that is being
    /// cleared away. Global indexes may lag behind it, though not to when they were not complete yet.
    pub(crate) fn view(&self, shared: &Shared, found_in: Arc<Published>) -> Result<Arc<Published>, ApiError> {
        let Some(index) = self.index.filter(|index| index.kind == IndexKind::Global) else {
            return Ok(found_in);
        };
        let Some(older) = shared.delayed_view() else { return Ok(found_in) };
        let table = shared.catalog.find(&older, &self.table.name)?.filter(|table| table.id == self.table.id);
        let was_complete = |older: &Index| older.id == index.id && older.status == IndexStatus::Active;
        Ok(if table.is_some_and(|table| table.indexes.iter().any(was_complete)) { older } else { found_in })
    }

    pub(crate) fn key(&self) -> &'a KeySchema {
        self.index.map_or(&self.table.key, |index| &index.key)
    }

    /// The prefix of all entries.
    pub(crate) fn space(&self) -> Vec<u8> {
        match self.index {
            Some(index) => layout::index_entries(self.table.id, index.id),
            None => layout::items(self.table.id),
        }
    }

    /// The attributes that name an entry: the keys of the index and of the table.
    pub(crate) fn entry_key(&self, item: &Item) -> Item {
        let mut builder = Item::builder();
        for (name, value) in item.iter() {
            if self.key().contains(name) || self.table.key.contains(name) {
                builder.name(name);
                builder.value(value);
            }
        }
        builder.finish()
    }

    /// The part of a partition that a key condition selects. AWS goes through the key once, and checks the
    /// starting key and the condition for each part of it.
    pub(crate) fn resolve(
        &self,
        condition: &KeyCondition,
        start: Option<&Item>,
    ) -> Result<KeyRange, ApiError> {
        fn attributes(attributes: &[crate::catalog::schema::KeyAttribute]) -> Vec<(&str, AttributeType)> {
            attributes.iter().map(|attribute| (attribute.name.as_str(), attribute.kind)).collect()
        }
        let schema = self.key();
        let (partition, sort) = (attributes(&schema.partition), attributes(&schema.sort));
        start.map_or(Ok(()), |start| self.check_start_partition(start))?;
        let equal = condition.resolve_partition(&partition, &sort).map_err(invalid)?;
        start.map_or(Ok(()), |start| self.check_start_sort(start))?;
        let (sort_equal, sort_range) = condition.resolve_sort(&partition, &sort).map_err(invalid)?;
        Ok(KeyRange { partition: equal, sort_equal, sort_range })
    }

    /// The range of a part of a partition.
    pub(crate) fn key_range(&self, range: &KeyRange) -> Result<Range, ApiError> {
        self.check_lengths(range)?;
        store_range(self.space(), range).map_err(|_| text::key_does_not_match())
    }

    fn check_lengths(&self, range: &KeyRange) -> Result<(), ApiError> {
        use sortkey_value::limits::{PARTITION_KEY_BYTES, SORT_KEY_BYTES};
        let check = |value: ValueRef<'_>,
                     name: &str,
                     limit: usize,
                     fault: crate::catalog::schema::KeyFault| match value {
            ValueRef::S("") | ValueRef::B([]) => {
                Err(text::key_fault(&crate::catalog::schema::KeyFault::Empty {
                    name: name.to_owned(),
                    kind: value.attribute_type(),
                }))
            }
            _ if value.size_bytes() > limit => Err(text::key_fault(&fault)),
            _ => Ok(()),
        };
        for (attribute, value) in self.key().partition.iter().zip(&range.partition) {
            check(
                value.value(),
                &attribute.name,
                PARTITION_KEY_BYTES,
                crate::catalog::schema::KeyFault::PartitionTooLong,
            )?;
        }
        for (attribute, value) in self.key().sort.iter().zip(&range.sort_equal) {
            check(
                value.value(),
                &attribute.name,
                SORT_KEY_BYTES,
                crate::catalog::schema::KeyFault::SortTooLong,
            )?;
        }
        Ok(())
    }

    /// The cost of reading this many bytes from it.
    pub(crate) fn read_cost(&self, consistency: Consistency, size_bytes: usize) -> Cost {
        let units = consistency.read_units(size_bytes);
        match self.index {
            Some(index) => Cost::index(index, units),
            None => Cost::table(units),
        }
    }
}

/// The store keys that a key range spans, in a space.
fn store_range(space: Vec<u8>, range: &KeyRange) -> Result<Range, key::NotAKey> {
    let mut prefix = space;
    key::put_partition(&mut prefix, range.partition.iter().map(|value| value.value()))?;
    for value in &range.sort_equal {
        key::put_component(&mut prefix, value.value())?;
    }
    let (all_low, all_high) = layout::starting_with(&prefix);
    let Some(sort) = &range.sort_range else { return Ok((all_low, all_high)) };
    let component = |value: ValueRef<'_>| {
        let mut bytes = prefix.clone();
        key::put_component(&mut bytes, value).map(|()| bytes)
    };
    let behind = |bytes: &[u8]| key::after_prefix(bytes);
    Ok(match sort {
        SortRange::Equal(value) => layout::starting_with(&component(value.value())?),
        SortRange::Less(value) => (all_low, Bound::Excluded(component(value.value())?)),
        SortRange::LessOrEqual(value) => {
            (all_low, behind(&component(value.value())?).map_or(Bound::Unbounded, Bound::Excluded))
        }
        SortRange::Greater(value) => {
            let low = behind(&component(value.value())?);
            (low.map_or(all_low, Bound::Included), all_high)
        }
        SortRange::GreaterOrEqual(value) => (Bound::Included(component(value.value())?), all_high),
        SortRange::Between(low, high) => (
            Bound::Included(component(low.value())?),
            behind(&component(high.value())?).map_or(Bound::Unbounded, Bound::Excluded),
        ),
        SortRange::BeginsWith(value) => {
            let mut bytes = prefix.clone();
            key::put_prefix(&mut bytes, value.value())?;
            layout::starting_with(&bytes)
        }
    })
}
