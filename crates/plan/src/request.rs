//! One request of a plan: its action, the items it writes, and the indexes it can touch.

use sortkey_design::program::{EntityId, Index, IndexId, Program, TableId, UniqueId};

use crate::Recipe;
use crate::cost::{Cost, Entry, Images, read_units};

/// One request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The question.
    pub ask: Ask,
    /// A description of each item it reads or writes.
    pub items: Vec<String>,
    /// Requests and units for items of the usual size.
    pub cost: Cost,
}

/// The DynamoDB action of a request.
#[derive(Clone, Debug)]
pub enum Ask {
    /// GetItem.
    Item {
        /// The table.
        table: TableId,
        /// Whether it is strongly consistent.
        strong: bool,
    },
    /// GetItem for one, BatchGetItem for up to a hundred.
    Items {
        /// The table.
        table: TableId,
        /// Whether it is strongly consistent.
        strong: bool,
    },
    /// Query, or Scan.
    Query(Query),
    /// One item: PutItem, UpdateItem, DeleteItem (and GetItem for a check). Several: TransactWriteItems.
    Write(Vec<Part>),
    /// BatchWriteItem of up to twenty-five such items.
    Batch(Part),
}

/// A query, or a scan.
#[derive(Clone, Debug)]
pub struct Query {
    /// The table.
    pub table: TableId,
    /// The index, if it is not the table itself.
    pub index: Option<IndexId>,
    /// Whether it is strongly consistent.
    pub strong: bool,
    /// Whether everything is read.
    pub scan: bool,
    /// The entity whose keys are used.
    pub entity: EntityId,
    /// The conditions on its key.
    pub key: Recipe,
}

/// One item of a write.
#[derive(Clone, Debug)]
pub struct Part {
    /// The kind of change.
    pub act: Act,
    /// The table.
    pub table: TableId,
    /// Its kind.
    pub role: Role,
    /// Whether it may be left out.
    pub sometimes: bool,
    /// Whether there may be several.
    pub many: bool,
    /// The indexes that the write can touch; all others stay as they are.
    pub arms: Vec<Arm>,
    /// The usual size.
    pub bytes: u64,
}

/// The kind of change to an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// It is stored.
    Put,
    /// It is changed.
    Update,
    /// It is changed, or stored where there is none.
    Upsert,
    /// It is deleted.
    Delete,
    /// Its condition is checked.
    Check,
}

/// The role of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// One of an entity.
    Item(EntityId),
    /// The guard of a unique value.
    Guard(EntityId, UniqueId),
    /// The receipt of an operation.
    Receipt,
}

/// An index that a write can touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arm {
    /// The index.
    pub index: IndexId,
    /// The change of the entry.
    pub change: EntryChange,
    /// The usual size of an entry.
    pub bytes: u64,
}

/// The effect of a write on an entry of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryChange {
    /// Only a new item has one.
    Born,
    /// It changes, and its key stays.
    InPlace,
    /// Its key may change, and it may be added or removed.
    Moved,
}

impl Arm {
    /// The units of the index for an entry. `new` is set if the item was not there before.
    pub fn units(&self, entry: Entry, new: bool) -> u64 {
        match self.change {
            EntryChange::Born if !new => 0,
            // The plan predicts that the key stays: a key that moved shows as a difference.
            EntryChange::InPlace if !new => Entry { same_key: true, ..entry }.units(),
            _ => entry.units(),
        }
    }
}

impl Part {
    /// Images of the usual size.
    fn usual(&self, bytes: u64) -> Images {
        match self.act {
            Act::Put => Images { before: None, after: Some(bytes) },
            Act::Delete => Images { before: Some(bytes), after: None },
            Act::Update | Act::Upsert | Act::Check => Images { before: Some(bytes), after: Some(bytes) },
        }
    }

    /// Its share of the cost of a request, for items of the usual size.
    /// Transactions pay twice on the table, not on its indexes.
    fn cost(&self, together: bool) -> Cost {
        let (table, indexes) = self.usual_units();
        match (self.act, together) {
            (Act::Check, false) => Cost { rcu: read_units(self.bytes, true), ..Cost::default() },
            (_, true) => Cost { wcu: 2.0 * table + indexes, ..Cost::default() },
            (_, false) => Cost { wcu: table + indexes, ..Cost::default() },
        }
    }

    /// Units of the table and of the indexes for items of the usual size.
    fn usual_units(&self) -> (f64, f64) {
        let arm = |arm: &Arm| {
            let images = self.usual(arm.bytes);
            let entry = Entry { images, same_key: arm.change != EntryChange::Moved, same: false };
            arm.units(entry, images.before.is_none())
        };
        (self.usual(self.bytes).units() as f64, self.arms.iter().map(arm).sum::<u64>() as f64)
    }
}

impl Request {
    /// One GetItem.
    pub(crate) fn get(table: TableId, bytes: u64, strong: bool, item: String) -> Request {
        let cost = Cost { requests: 1.0, rcu: read_units(bytes, strong), wcu: 0.0 };
        Request { ask: Ask::Item { table, strong }, items: vec![item], cost }
    }

    /// As many items as usual, by their keys.
    pub(crate) fn items(table: TableId, bytes: u64, usual: u64, strong: bool, item: String) -> Request {
        let rcu = usual as f64 * read_units(bytes, strong);
        let cost = Cost { requests: usual.div_ceil(100) as f64, rcu, wcu: 0.0 };
        Request { ask: Ask::Items { table, strong }, items: vec![item], cost }
    }

    /// One Query, or a Scan.
    pub(crate) fn query(query: Query, cost: Cost, item: String) -> Request {
        Request { ask: Ask::Query(query), items: vec![item], cost }
    }

    /// All parts in one request.
    pub(crate) fn write(parts: Vec<(Part, String)>) -> Request {
        let (parts, items): (Vec<Part>, Vec<String>) = parts.into_iter().unzip();
        let together = parts.len() > 1 || parts.iter().any(|part| part.many);
        let mut cost = Cost { requests: 1.0, ..Cost::default() };
        parts.iter().for_each(|part| cost += part.cost(together));
        Request { ask: Ask::Write(parts), items, cost }
    }

    /// One item of a BatchWriteItem.
    pub(crate) fn batch(part: Part, item: String) -> Request {
        let (table, indexes) = part.usual_units();
        let cost = Cost { requests: 1.0 / 25.0, rcu: 0.0, wcu: table + indexes };
        Request { ask: Ask::Batch(part), items: vec![item], cost }
    }

    /// The share of each table (with its indexes) in the cost.
    pub fn shares(&self) -> Vec<(TableId, Cost)> {
        match &self.ask {
            Ask::Item { table, .. } | Ask::Items { table, .. } => vec![(*table, self.cost)],
            Ask::Query(query) => vec![(query.table, self.cost)],
            Ask::Batch(part) => vec![(part.table, self.cost)],
            Ask::Write(parts) => {
                let together = parts.len() > 1 || parts.iter().any(|part| part.many);
                parts.iter().map(|part| (part.table, part.cost(together))).collect()
            }
        }
    }

    /// Its name in DynamoDB's API, for the usual number of items.
    pub fn name(&self) -> &'static str {
        match &self.ask {
            Ask::Item { .. } => "GetItem",
            Ask::Items { .. } => "BatchGetItem",
            Ask::Query(query) if query.scan => "Scan",
            Ask::Query(_) => "Query",
            Ask::Batch(_) => "BatchWriteItem",
            Ask::Write(parts) => match parts.as_slice() {
                [part] if !part.many => part.act.request(),
                _ => "TransactWriteItems",
            },
        }
    }
}

impl Act {
    /// The request for one item alone.
    pub fn request(self) -> &'static str {
        match self {
            Act::Put => "PutItem",
            Act::Update | Act::Upsert => "UpdateItem",
            Act::Delete => "DeleteItem",
            Act::Check => "GetItem",
        }
    }
}

/// The usual bytes of an entry, for an item of some bytes: keys are small.
pub(crate) fn entry_bytes(index: &Index, bytes: u64) -> u64 {
    match &index.projects {
        Some(copied) if copied.is_empty() => bytes.min(KEY_BYTES),
        _ => bytes,
    }
}

/// The assumed size of keys, guards and receipts.
pub(crate) const KEY_BYTES: u64 = 200;

/// The indexes that hold a guard or a receipt: those whose keys are made of the table's own.
pub(crate) fn reserved_arms(program: &Program, table: TableId) -> Vec<Arm> {
    let holds = program.tables[table].indexes.entries().filter(|(_, index)| index.holds_reserved);
    holds.map(|(index, _)| Arm { index, change: EntryChange::Moved, bytes: KEY_BYTES }).collect()
}

#[cfg(test)]
mod tests {
    use sortkey_design::program::Id;

    use super::*;
    use crate::write_units;

    #[test]
    fn an_arm_is_charged_as_the_plan_says() {
        let arm = |change| Arm { index: IndexId::new(0), change, bytes: 1 };
        let entry = Entry { images: Images { before: Some(1), after: Some(2000) }, ..Entry::default() };
        assert_eq!(arm(EntryChange::Born).units(entry, false), 0);
        assert_eq!(arm(EntryChange::InPlace).units(entry, false), write_units(2000));
        assert_eq!(arm(EntryChange::Moved).units(entry, false), 1 + write_units(2000));
        let born = Entry { images: Images { before: None, after: Some(1) }, ..Entry::default() };
        assert_eq!(arm(EntryChange::Born).units(born, true), 1);
    }
}
