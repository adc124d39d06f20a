//! The consumed capacity of a request, as the answer reports it.

use sortkey_api::StringMap;
use sortkey_api::shapes::capacity::{Capacity, ConsumedCapacity, ItemCollectionMetrics};
use sortkey_api::shapes::returns::{ReturnConsumedCapacity, ReturnItemCollectionMetrics};
use sortkey_value::Item;

use crate::catalog::schema::{IndexKind, KeySchema};
use crate::catalog::table::Table;
use crate::read::capacity::Cost;

/// The kind of units, which transactions report and the older operations do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Units {
    Unnamed,
    Read,
    Write,
}

impl Units {
    fn capacity(self, units: f64) -> Capacity {
        Capacity {
            capacity_units: Some(units),
            read_capacity_units: (self == Units::Read).then_some(units),
            write_capacity_units: (self == Units::Write).then_some(units),
        }
    }
}

/// The report on one table, as detailed as it was asked for.
pub(crate) fn report(
    asked: Option<&ReturnConsumedCapacity>,
    table: &str,
    cost: &Cost,
    units: Units,
) -> Option<ConsumedCapacity> {
    let detailed = match asked {
        Some(ReturnConsumedCapacity::Indexes) => true,
        Some(ReturnConsumedCapacity::Total) => false,
        _ => return None,
    };
    let total = units.capacity(cost.total());
    let of_kind = |kind: IndexKind| {
        let mut indexes = StringMap::new();
        for index in cost.indexes.iter().filter(|index| index.kind == kind) {
            indexes.insert(index.name.clone(), units.capacity(index.units));
        }
        (detailed && !indexes.is_empty()).then_some(indexes)
    };
    Some(ConsumedCapacity {
        table_name: Some(table.to_owned()),
        capacity_units: total.capacity_units,
        read_capacity_units: total.read_capacity_units,
        write_capacity_units: total.write_capacity_units,
        table: detailed.then(|| units.capacity(cost.table)),
        local_secondary_indexes: of_kind(IndexKind::Local),
        global_secondary_indexes: of_kind(IndexKind::Global),
    })
}

/// The costs of a request on several tables, in the order in which they were touched.
#[derive(Default)]
pub(crate) struct Costs(Vec<(String, Cost)>);

impl Costs {
    pub(crate) fn add(&mut self, table: &str, cost: Cost) {
        match self.0.iter_mut().find(|(name, _)| name == table) {
            Some((_, known)) => known.add(cost),
            None => self.0.push((table.to_owned(), cost)),
        }
    }

    pub(crate) fn report(
        &self,
        asked: Option<&ReturnConsumedCapacity>,
        units: Units,
    ) -> Option<Vec<ConsumedCapacity>> {
        let reports: Vec<_> =
            self.0.iter().filter_map(|(table, cost)| report(asked, table, cost, units)).collect();
        (!reports.is_empty()).then_some(reports)
    }
}

/// The size of the item collection that a write touched; only tables with local indexes have collections.
pub(crate) fn collection_metrics(
    asked: Option<&ReturnItemCollectionMetrics>,
    table: &Table,
    key: &Item,
) -> Option<ItemCollectionMetrics> {
    let wanted = asked == Some(&ReturnItemCollectionMetrics::Size) && table.has_locals();
    let partition = KeySchema { partition: table.key.partition.clone(), sort: Vec::new() };
    wanted.then(|| ItemCollectionMetrics {
        item_collection_key: Some(partition.project(key)),
        // AWS estimates in whole gigabytes; a collection here never reaches the second.
        size_estimate_range_gb: Some(vec![0.0, 1.0]),
    })
}
