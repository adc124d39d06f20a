//! A table's descriptor: the settings from CreateTable and later changes, in stored form.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sortkey_storage::{Key, Value};
use sortkey_value::Item;

use crate::catalog::schema::{Index, IndexKind, IndexStatus, KeyAttribute, KeySchema};
use crate::history::past::Moment;
use crate::layout;
use crate::stream::EARLIER_SHARDS;
use crate::stream::shard::Generation;

/// The version of the descriptor's encoding; its first byte.
const FORMAT: u8 = 1;

/// A table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Table {
    pub(crate) id: u32,
    pub(crate) name: Arc<str>,
    /// The id that AWS would show.
    pub(crate) uuid: String,
    pub(crate) created_ms: u64,
    pub(crate) attributes: Vec<KeyAttribute>,
    pub(crate) key: KeySchema,
    /// Local indexes first, as they were declared; then global ones.
    pub(crate) indexes: Vec<Index>,
    pub(crate) next_index_id: u16,
    pub(crate) billing: Billing,
    pub(crate) capacity: Capacity,
    pub(crate) deletion_protection: bool,
    pub(crate) table_class: Option<String>,
    pub(crate) encryption: Option<Encryption>,
    pub(crate) stream: Option<TableStream>,
    pub(crate) expiry: Option<Expiry>,
    pub(crate) recovery: Option<Recovery>,
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) policy: Option<Policy>,
    pub(crate) stream_policies: BTreeMap<String, Policy>,
    /// Work that reads an earlier state of the table; its history is kept meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) holds: Vec<Hold>,
    /// The source that the table was restored from, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) restored: Option<Restored>,
    /// The source of its items while it is being created; it cannot be used meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) filling: Option<Filling>,
}

/// The billing mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Billing {
    pub(crate) on_demand: bool,
    /// Since when on demand; a table that never was has no billing summary.
    pub(crate) on_demand_since_ms: Option<u64>,
}

/// Throughput of a table or of a global index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Capacity {
    pub(crate) read_units: i64,
    pub(crate) write_units: i64,
    pub(crate) increased_ms: Option<u64>,
    pub(crate) decreased_ms: Option<u64>,
    /// How often it was lowered on the day of `decreased_ms`.
    #[serde(default)]
    pub(crate) decreases_that_day: i64,
    pub(crate) max_read_request_units: Option<i64>,
    pub(crate) max_write_request_units: Option<i64>,
    pub(crate) warm_read_units: Option<i64>,
    pub(crate) warm_write_units: Option<i64>,
}

/// Encryption at rest with a key of the user's account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Encryption {
    pub(crate) key_arn: String,
}

/// The stream that a table writes now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableStream {
    pub(crate) id: u32,
    pub(crate) label: String,
    pub(crate) view_type: String,
    /// The shards that take records now; absent in descriptors of earlier versions.
    #[serde(default)]
    pub(crate) generation: Option<Generation>,
}

impl TableStream {
    /// The number of the shard that takes the records of a partition.
    pub(crate) fn shard_of(&self, hash: u64) -> u16 {
        self.generation.unwrap_or(EARLIER_GENERATION).shard_of(hash)
    }
}

/// The shards of streams from earlier versions; the other members do not matter here.
const EARLIER_GENERATION: Generation =
    Generation { first_shard: 0, shards: EARLIER_SHARDS, created_ms: 0, first_version: 0 };

/// Time to live.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Expiry {
    pub(crate) attribute: String,
    /// The version before it was enabled: distinguishes this setting from an earlier one by the same
    /// attribute.
    pub(crate) since_version: u64,
    /// Whether items from before it was enabled are all in the expiry index.
    pub(crate) complete: bool,
}

/// Continuous backups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Recovery {
    pub(crate) since_ms: u64,
    pub(crate) period_days: i64,
    /// The version before it was enabled: every later change is in the history.
    #[serde(default)]
    pub(crate) since_version: u64,
}

/// Work that reads the table as it was at a moment, while others go on writing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hold {
    /// The ARN of what is being made: a backup, a table, an export.
    pub(crate) by: String,
    /// Changes from this time on are needed.
    pub(crate) since_ms: u64,
}

/// The source of a restored table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Restored {
    pub(crate) backup_arn: Option<String>,
    pub(crate) table_arn: String,
    /// The time that it shows.
    pub(crate) time_ms: u64,
}

/// The source of the items of a table that is being created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Filling {
    /// From a backup, whose items lie under this id.
    Backup { source: u32 },
    /// From a table as it was.
    Table { name: Arc<str>, source: u32, moment: Moment },
    /// From files, by an import.
    Import { label: String },
}

/// A resource policy and its revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Policy {
    pub(crate) document: String,
    pub(crate) revision: String,
}

impl Table {
    /// The descriptor as a store keeps it.
    pub(crate) fn to_value(&self) -> Value {
        let mut bytes = vec![FORMAT];
        serde_json::to_writer(&mut bytes, self).expect("a descriptor has only string keys");
        bytes.into()
    }

    /// Reads what [`Table::to_value`] wrote.
    pub(crate) fn from_value(value: &[u8]) -> Result<Table, String> {
        match value {
            [FORMAT, json @ ..] => serde_json::from_slice(json).map_err(|error| error.to_string()),
            [other, ..] => Err(format!("descriptor format {other} is unknown to this version")),
            [] => Err("a descriptor is empty".into()),
        }
    }

    /// The store key of an item that has the key attributes.
    pub(crate) fn item_key(&self, item: &Item) -> Option<Key> {
        let mut key = layout::items(self.id);
        self.key.put(&mut key, item).ok()?;
        Some(key.into())
    }

    pub(crate) fn index(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name == name)
    }

    pub(crate) fn locals(&self) -> impl Iterator<Item = &Index> {
        self.indexes.iter().filter(|index| index.kind == IndexKind::Local)
    }

    pub(crate) fn globals(&self) -> impl Iterator<Item = &Index> {
        self.indexes.iter().filter(|index| index.kind == IndexKind::Global)
    }

    pub(crate) fn has_locals(&self) -> bool {
        self.locals().next().is_some()
    }

    /// Takes away the definitions that no key uses.
    pub(crate) fn keep_used_attributes(&mut self) {
        let Table { attributes, key, indexes, .. } = self;
        attributes.retain(|attribute| {
            key.contains(&attribute.name) || indexes.iter().any(|index| index.key.contains(&attribute.name))
        });
    }

    /// Whether every change must leave behind what was there before.
    pub(crate) fn keeps_history(&self) -> bool {
        self.recovery.is_some() || !self.holds.is_empty()
    }

    /// Whether a background job still has to add older items to an index or to the expiry index.
    pub(crate) fn needs_backfill(&self) -> bool {
        self.indexes.iter().any(|index| index.status == IndexStatus::Creating)
            || self.expiry.as_ref().is_some_and(|expiry| !expiry.complete)
    }
}
