//! The naive model: tables are maps of trees, indexes are computed when they are asked for, streams are lists.
//!
//! It implements DynamoDB's rules without the engine's means: no key bytes, no entries, no batches.

pub(crate) mod condition;
pub(crate) mod cost;
pub(crate) mod failure;
pub(crate) mod legacy;
pub(crate) mod pages;
pub(crate) mod partiql;
pub(crate) mod path;
pub(crate) mod placeholders;
pub(crate) mod size;
pub(crate) mod stream;
pub(crate) mod table;
pub(crate) mod update;

use std::collections::BTreeMap;

use self::stream::Stream;
use self::table::Table;

/// Everything that a database contains.
pub(crate) struct Model {
    pub(crate) tables: BTreeMap<String, Table>,
    /// Streams, open and closed, with their records.
    pub(crate) streams: Vec<Stream>,
    /// Idempotency tokens: what was asked under them, and until when they are remembered.
    pub(crate) tokens: BTreeMap<String, (String, u64)>,
    pub(crate) now_ms: u64,
}

impl Model {
    pub(crate) fn new(now_ms: u64) -> Model {
        Model { tables: BTreeMap::new(), streams: Vec::new(), tokens: BTreeMap::new(), now_ms }
    }

    /// Makes a change that was evaluated before, and records it in the table's stream.
    pub(crate) fn apply(&mut self, table: &str, change: &table::Change, by_service: bool) {
        let Some(table) = self.tables.get_mut(table) else { return };
        table.apply(change);
        if change.before == change.after {
            return;
        }
        let open = table.stream.and_then(|id| self.streams.get_mut(id));
        if let Some(stream) = open {
            stream.record(change, self.now_ms, by_service);
        }
    }
}
