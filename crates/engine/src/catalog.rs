//! The catalog: table descriptors, read from the same snapshot as the items they describe.
//!
//! Descriptors are cached as long as the schema stays the same (see [`Published::schema`]), so a cached one can
//! never be older or newer than the snapshot it is used with.

pub(crate) mod declaration;
pub(crate) mod describe;
pub(crate) mod encryption;
pub(crate) mod policy;
pub(crate) mod resource;
pub(crate) mod schema;
pub(crate) mod table;
pub(crate) mod tags;
pub(crate) mod throughput;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::RwLock;
use serde::de::DeserializeOwned;
use sortkey_api::ApiError;
use sortkey_storage::{Clock, Order, Published, StorageError};

use crate::catalog::table::Table;
use crate::history::backup::Backup;
use crate::layout;
use crate::reply::storage_failure;
use crate::stream::Stream;

/// Finds tables by name.
pub(crate) struct Catalog {
    cached: ArcSwap<Generation>,
    /// For how long a new table cannot be used.
    creation_delay_ms: u64,
    clock: Arc<dyn Clock>,
}

/// The tables seen so far under one schema; a name that is known to be absent maps to `None`.
#[derive(Default)]
struct Generation {
    schema: u64,
    tables: RwLock<HashMap<String, Option<Arc<Table>>>>,
}

/// Absent names that are remembered at most; more would let requests for nonsense fill the memory.
const CACHED_NAMES: usize = 10_000;

impl Catalog {
    pub(crate) fn new(creation_delay: Duration, clock: Arc<dyn Clock>) -> Catalog {
        let creation_delay_ms = u64::try_from(creation_delay.as_millis()).unwrap_or(u64::MAX);
        Catalog { cached: ArcSwap::from_pointee(Generation::default()), creation_delay_ms, clock }
    }

    /// Whether a table cannot be used yet: its items are on their way, or the settings let it wait.
    pub(crate) fn is_creating(&self, table: &Table) -> bool {
        let waits = self.creation_delay_ms > 0
            && self.clock.now_ms() < table.created_ms.saturating_add(self.creation_delay_ms);
        waits || table.filling.is_some()
    }

    /// The table of a name, if there is one.
    pub(crate) fn find(&self, view: &Published, name: &str) -> Result<Option<Arc<Table>>, ApiError> {
        let mut generation = self.cached.load();
        if generation.schema < view.schema {
            // A race here costs a descriptor read, not correctness: both store the same generation.
            self.cached.store(Arc::new(Generation { schema: view.schema, tables: RwLock::default() }));
            generation = self.cached.load();
        }
        if generation.schema != view.schema {
            // A reader of an older snapshot must not see, nor leave behind, what does not belong to it.
            return read(view, name);
        }
        if let Some(known) = generation.tables.read().get(name) {
            return Ok(known.clone());
        }
        let table = read(view, name)?;
        let mut tables = generation.tables.write();
        if tables.len() < CACHED_NAMES {
            tables.insert(name.to_owned(), table.clone());
        }
        Ok(table)
    }

    /// The table of a name, for data operations, whose error does not name the missing table. A table that is being
    /// created counts as missing.
    pub(crate) fn table(&self, view: &Published, name: &str) -> Result<Arc<Table>, ApiError> {
        let usable = self.find(view, name)?.filter(|table| !self.is_creating(table));
        usable.ok_or_else(ApiError::resource_not_found)
    }

    /// The table of a name, for operations that manage tables.
    pub(crate) fn managed_table(&self, view: &Published, name: &str) -> Result<Arc<Table>, ApiError> {
        self.find(view, name)?.ok_or_else(|| ApiError::table_not_found(name))
    }

    /// The table of a name, for operations that change tables.
    pub(crate) fn changeable_table(&self, view: &Published, name: &str) -> Result<Arc<Table>, ApiError> {
        let table = self.managed_table(view, name)?;
        if self.is_creating(&table) {
            return Err(ApiError::resource_in_use(format!(
                "Attempt to change a resource which is still in use: Table is being created: {name}"
            )));
        }
        Ok(table)
    }
}

fn read(view: &Published, name: &str) -> Result<Option<Arc<Table>>, ApiError> {
    let value = view.snapshot.get(&layout::table(name)).map_err(|error| storage_failure(&error))?;
    value.map(|value| decode(&value)).transpose()
}

fn decode(value: &[u8]) -> Result<Arc<Table>, ApiError> {
    Table::from_value(value).map(Arc::new).map_err(damaged)
}

fn damaged(what: String) -> ApiError {
    storage_failure(&StorageError::Damaged(what))
}

/// All tables, by name.
pub(crate) fn tables(view: &Published) -> impl Iterator<Item = Result<Arc<Table>, ApiError>> {
    tables_after(view, "")
}

/// All tables behind a name.
pub(crate) fn tables_after(
    view: &Published,
    name: &str,
) -> impl Iterator<Item = Result<Arc<Table>, ApiError>> {
    let start = layout::table(name);
    let (_, high) = layout::starting_with(layout::TABLES);
    let entries = view.snapshot.range(
        std::ops::Bound::Excluded(&start),
        high.as_ref().map(Vec::as_slice),
        Order::Ascending,
    );
    entries.map(|entry| decode(&entry.map_err(|error| storage_failure(&error))?.1))
}

/// All descriptors of one kind, in the order of their keys.
pub(crate) fn entries<T: DeserializeOwned>(
    view: &Published,
    space: &[u8],
) -> impl Iterator<Item = Result<T, ApiError>> {
    let (low, high) = layout::starting_with(space);
    let (low, high) = (low.as_ref().map(Vec::as_slice), high.as_ref().map(Vec::as_slice));
    let entries = view.snapshot.range(low, high, Order::Ascending);
    entries.map(|entry| {
        let (_, value) = entry.map_err(|error| storage_failure(&error))?;
        serde_json::from_slice(&value).map_err(|error| damaged(error.to_string()))
    })
}

/// The descriptor under a key.
pub(crate) fn entry<T: DeserializeOwned>(view: &Published, key: &[u8]) -> Result<Option<T>, ApiError> {
    let value = view.snapshot.get(key).map_err(|error| storage_failure(&error))?;
    value.map(|value| serde_json::from_slice(&value).map_err(|error| damaged(error.to_string()))).transpose()
}

/// All backups, by age.
pub(crate) fn backups(view: &Published) -> impl Iterator<Item = Result<Backup, ApiError>> {
    entries(view, layout::BACKUPS)
}

/// The backup of a label.
pub(crate) fn backup(view: &Published, label: &str) -> Result<Option<Backup>, ApiError> {
    entry(view, &layout::backup(label))
}

/// All streams, by age.
pub(crate) fn streams(view: &Published) -> impl Iterator<Item = Result<Stream, ApiError>> {
    let (low, high) = layout::starting_with(layout::STREAMS);
    let entries = view.snapshot.range(
        low.as_ref().map(Vec::as_slice),
        high.as_ref().map(Vec::as_slice),
        Order::Ascending,
    );
    entries.map(|entry| {
        let (_, value) = entry.map_err(|error| storage_failure(&error))?;
        Stream::from_value(&value).map_err(damaged)
    })
}

/// The stream of an id.
pub(crate) fn stream(view: &Published, id: u32) -> Result<Option<Stream>, ApiError> {
    let value = view.snapshot.get(&layout::stream(id)).map_err(|error| storage_failure(&error))?;
    value.map(|value| Stream::from_value(&value).map_err(damaged)).transpose()
}
