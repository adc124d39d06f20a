//! Keys, projections and indexes: which attributes place an item where.

use std::fmt;

use serde::{Deserialize, Serialize};
use sortkey_value::limits::{PARTITION_KEY_BYTES, SORT_KEY_BYTES};
use sortkey_value::{AttributeType, Item, ValueRef, key};

/// An attribute that is part of a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeyAttribute {
    pub(crate) name: String,
    #[serde(with = "descriptor")]
    pub(crate) kind: AttributeType,
}

/// The key of a table (one partition attribute, at most one sort attribute) or of an index (up to four of each).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeySchema {
    pub(crate) partition: Vec<KeyAttribute>,
    pub(crate) sort: Vec<KeyAttribute>,
}

/// Why an item cannot be placed by a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeyFault {
    Missing { name: String },
    WrongType { name: String, expected: AttributeType, actual: AttributeType },
    Empty { name: String, kind: AttributeType },
    PartitionTooLong,
    SortTooLong,
}

/// As AWS shows a key in its errors.
impl fmt::Display for KeySchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = |role: &'static str| {
            move |attribute: &KeyAttribute| {
                format!("SchemaElement: key{{{}:{}:{role}}}", attribute.name, attribute.kind.as_str())
            }
        };
        let elements =
            self.partition.iter().map(element("HASH")).chain(self.sort.iter().map(element("RANGE")));
        write!(f, "Schema:[{}]", elements.collect::<Vec<_>>().join(", "))
    }
}

impl KeySchema {
    /// All key attributes, the partition's first.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.partition.iter().chain(&self.sort)
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.attributes().any(|attribute| attribute.name == name)
    }

    pub(crate) fn len(&self) -> usize {
        self.partition.len() + self.sort.len()
    }

    /// The first fault in the key attributes of an item, the partition's first.
    pub(crate) fn fault(&self, item: &Item) -> Option<KeyFault> {
        self.attribute_faults(item).next().map(|(_, fault)| fault)
    }

    /// Like `fault`, for the partition attributes alone.
    pub(crate) fn partition_fault(&self, item: &Item) -> Option<KeyFault> {
        let mut partition = self.partition.iter();
        partition.find_map(|key| key.fault(item, PARTITION_KEY_BYTES, KeyFault::PartitionTooLong))
    }

    /// Like `fault`, for the sort attributes alone.
    pub(crate) fn sort_fault(&self, item: &Item) -> Option<KeyFault> {
        self.sort.iter().find_map(|key| key.fault(item, SORT_KEY_BYTES, KeyFault::SortTooLong))
    }

    /// Like `fault`, for the attributes that the item has and `concerns` accepts: an item without a key
    /// attribute is simply not in the index.
    pub(crate) fn fault_of_given(&self, item: &Item, concerns: impl Fn(&str) -> bool) -> Option<KeyFault> {
        let faults = self.attribute_faults(item).filter(|(attribute, _)| concerns(&attribute.name));
        faults.map(|(_, fault)| fault).find(|fault| !matches!(fault, KeyFault::Missing { .. }))
    }

    fn attribute_faults(&self, item: &Item) -> impl Iterator<Item = (&KeyAttribute, KeyFault)> {
        let partition =
            self.partition.iter().map(|key| (key, PARTITION_KEY_BYTES, KeyFault::PartitionTooLong));
        let sort = self.sort.iter().map(|key| (key, SORT_KEY_BYTES, KeyFault::SortTooLong));
        partition
            .chain(sort)
            .filter_map(|(key, limit, too_long)| Some((key, key.fault(item, limit, too_long)?)))
    }

    /// Appends partition and sort bytes of an item that has [no fault](KeySchema::fault).
    pub(crate) fn put(&self, out: &mut Vec<u8>, item: &Item) -> Result<(), key::NotAKey> {
        key::put_partition(out, self.partition.iter().filter_map(|attribute| item.get(&attribute.name)))?;
        for attribute in &self.sort {
            key::put_component(out, item.get(&attribute.name).ok_or(key::NotAKey)?)?;
        }
        Ok(())
    }

    /// The key attributes of an item, alone.
    pub(crate) fn project(&self, item: &Item) -> Item {
        let mut builder = Item::builder();
        for attribute in self.attributes() {
            if let Some(value) = item.get(&attribute.name) {
                builder.name(&attribute.name);
                builder.value(value);
            }
        }
        builder.finish()
    }
}

impl KeyAttribute {
    fn fault(&self, item: &Item, limit: usize, too_long: KeyFault) -> Option<KeyFault> {
        let name = || self.name.clone();
        let Some(value) = item.get(&self.name) else { return Some(KeyFault::Missing { name: name() }) };
        let actual = value.attribute_type();
        if actual != self.kind {
            return Some(KeyFault::WrongType { name: name(), expected: self.kind, actual });
        }
        match value {
            ValueRef::S("") | ValueRef::B([]) => Some(KeyFault::Empty { name: name(), kind: actual }),
            ValueRef::S(text) if text.len() > limit => Some(too_long),
            ValueRef::B(bytes) if bytes.len() > limit => Some(too_long),
            _ => None,
        }
    }
}

/// The attributes that an index keeps besides the keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Projection {
    All,
    KeysOnly,
    Include(Vec<String>),
}

/// A global index has its own partitions; a local one shares the table's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IndexKind {
    Global,
    Local,
}

/// How far an index is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IndexStatus {
    /// Maintained by every write; older items are being added.
    Creating,
    Active,
}

/// An index of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Index {
    pub(crate) id: u16,
    pub(crate) name: String,
    pub(crate) kind: IndexKind,
    pub(crate) key: KeySchema,
    pub(crate) projection: Projection,
    pub(crate) status: IndexStatus,
    pub(crate) capacity: crate::catalog::table::Capacity,
}

/// An item as an index keeps it.
pub(crate) struct IndexEntry {
    pub(crate) key: Vec<u8>,
    pub(crate) item: Item,
}

impl Index {
    /// The entry of an item, unless it lacks a key attribute or has one of another type.
    pub(crate) fn entry(
        &self,
        table: &crate::catalog::table::Table,
        item_key: &[u8],
        item: &Item,
    ) -> Option<IndexEntry> {
        if self.key.fault(item).is_some() {
            return None;
        }
        let mut key = crate::layout::index_entries(table.id, self.id);
        self.key.put(&mut key, item).ok()?;
        key.extend_from_slice(&item_key[crate::layout::ITEM_PREFIX_BYTES..]);
        Some(IndexEntry { key, item: self.project(&table.key, item) })
    }

    /// Whether the index keeps an attribute.
    pub(crate) fn keeps(&self, table_key: &KeySchema, name: &str) -> bool {
        let named = match &self.projection {
            Projection::All => true,
            Projection::KeysOnly => false,
            Projection::Include(names) => names.iter().any(|kept| kept == name),
        };
        named || self.key.contains(name) || table_key.contains(name)
    }

    fn project(&self, table_key: &KeySchema, item: &Item) -> Item {
        if self.projection == Projection::All {
            return item.clone();
        }
        let mut builder = Item::builder();
        for (name, value) in item.iter().filter(|(name, _)| self.keeps(table_key, name)) {
            builder.name(name);
            builder.value(value);
        }
        builder.finish()
    }
}

/// Attribute types on disk are DynamoDB's descriptors.
mod descriptor {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use sortkey_value::AttributeType;

    pub(super) fn serialize<S: Serializer>(kind: &AttributeType, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(kind.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<AttributeType, D::Error> {
        let text = String::deserialize(deserializer)?;
        AttributeType::from_descriptor(&text)
            .ok_or_else(|| D::Error::custom(format!("no attribute type: {text}")))
    }
}
