//! An observed request: its action, the images of the items it touched, and its consumption.

use std::collections::BTreeMap;

use sortkey_api::shapes::capacity::{Capacity, ConsumedCapacity};
use sortkey_plan::Act;
use sortkey_value::{AttributeValue, Item, Map};

use sortkey_core::internals::{GUARD, RECEIPT};

/// One request.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The DynamoDB action.
    pub asked: Asked,
    /// Whether it was refused; a refusal does not report what it consumed.
    pub refused: bool,
    /// The consumed capacity, by table.
    pub consumed: Vec<Charge>,
}

/// The DynamoDB action of a request.
#[derive(Clone, Debug)]
pub enum Asked {
    /// GetItem or BatchGetItem.
    Items {
        /// The table.
        table: String,
        /// Whether it was strongly consistent.
        strong: bool,
        /// Whether it was a batch.
        batch: bool,
        /// The bytes of each item; zero for one that is not there.
        bytes: Vec<u64>,
    },
    /// Query or Scan.
    Query {
        /// The table.
        table: String,
        /// The index.
        index: Option<String>,
        /// Whether it was strongly consistent.
        strong: bool,
        /// Whether it was a Scan.
        scan: bool,
        /// Whether it continued where another one ended.
        continues: bool,
        /// Whether there is more behind it.
        more: bool,
        /// The bytes of what was read.
        bytes: u64,
    },
    /// Writes and checks.
    Writes {
        /// The kind of request.
        kind: Kind,
        /// The items.
        items: Vec<Written>,
    },
}

/// How items are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// PutItem, UpdateItem or DeleteItem.
    Alone,
    /// TransactWriteItems.
    Together,
    /// BatchWriteItem.
    Batch,
}

/// An item that was written or checked.
#[derive(Clone, Debug)]
pub struct Written {
    /// The table.
    pub table: String,
    /// Its key.
    pub key: Map,
    /// The kind of change that was requested.
    pub act: Act,
    /// Before.
    pub before: Option<Item>,
    /// After.
    pub after: Option<Item>,
}

/// The capacity consumed on a table and its indexes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Charge {
    /// The table.
    pub table: String,
    /// The table's own units.
    pub own: f64,
    /// The units of its indexes, where there are any.
    pub indexes: BTreeMap<String, f64>,
}

impl Charge {
    /// All units.
    pub fn total(&self) -> f64 {
        self.own + self.indexes.values().sum::<f64>()
    }

    /// Adds to a list that has each table once.
    pub(super) fn add(into: &mut Vec<Charge>, table: &str, own: f64, indexes: BTreeMap<String, f64>) {
        let at = into.iter().position(|each| each.table == table).unwrap_or_else(|| {
            into.push(Charge { table: table.to_owned(), ..Charge::default() });
            into.len() - 1
        });
        into[at].own += own;
        for (name, units) in indexes.into_iter().filter(|(_, units)| *units > 0.0) {
            *into[at].indexes.entry(name).or_default() += units;
        }
    }

    /// As DynamoDB reports it.
    pub(super) fn reported<'a>(consumed: impl IntoIterator<Item = &'a ConsumedCapacity>) -> Vec<Charge> {
        let mut charges = Vec::new();
        for each in consumed {
            let units = |capacity: &Capacity| capacity.capacity_units.unwrap_or_default();
            let indexes = each.local_secondary_indexes.iter().chain(&each.global_secondary_indexes);
            let indexes = indexes
                .flat_map(sortkey_api::StringMap::iter)
                .map(|(name, capacity)| (name.to_owned(), units(capacity)));
            let own = each.table.as_ref().map(units).unwrap_or_default();
            Charge::add(&mut charges, each.table_name.as_deref().unwrap_or_default(), own, indexes.collect());
        }
        charges.sort_by(|left, right| left.table.cmp(&right.table));
        charges
    }
}

impl Written {
    fn begins(&self, with: &str) -> bool {
        self.key.values().any(|value| match value {
            AttributeValue::S(text) => text.starts_with(with),
            AttributeValue::B(bytes) => bytes.starts_with(with.as_bytes()),
            _ => false,
        })
    }

    /// Whether it is the guard of a unique value.
    pub fn is_guard(&self) -> bool {
        self.begins(GUARD)
    }

    /// Whether it is the receipt of an operation.
    pub fn is_receipt(&self) -> bool {
        self.begins(RECEIPT)
    }
}

impl Observed {
    /// Its name in DynamoDB's API.
    pub fn name(&self) -> &'static str {
        match &self.asked {
            Asked::Items { batch: false, .. } => "GetItem",
            Asked::Items { batch: true, .. } => "BatchGetItem",
            Asked::Query { scan: false, .. } => "Query",
            Asked::Query { scan: true, .. } => "Scan",
            Asked::Writes { kind: Kind::Together, .. } => "TransactWriteItems",
            Asked::Writes { kind: Kind::Batch, .. } => "BatchWriteItem",
            Asked::Writes { kind: Kind::Alone, items } => {
                items.first().map_or("PutItem", |item| item.act.request())
            }
        }
    }

    /// Whether it reads.
    pub fn reads(&self) -> bool {
        !matches!(self.asked, Asked::Writes { .. })
    }

    /// All units that it consumed.
    pub fn units(&self) -> f64 {
        self.consumed.iter().map(Charge::total).sum()
    }
}
