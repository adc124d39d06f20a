//! The cost of requests, computed from the published rules.

use sortkey_api::StringMap;
use sortkey_api::shapes::capacity::{Capacity, ConsumedCapacity};
use sortkey_api::shapes::returns::ReturnConsumedCapacity;
use sortkey_value::Map;

use super::size;
use super::table::{Change, Table};
use crate::shape::IndexShape;

/// Units on one table and on those of its indexes that were touched, in the order in which they were.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cost {
    pub(crate) table: f64,
    pub(crate) indexes: Vec<(String, bool, f64)>,
}

/// The names of the units beside `CapacityUnits`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Units {
    Unnamed,
    Read,
    Write,
}

/// The units of reading so many bytes at once: 4 KB each, half price unless consistent, at least one.
pub(crate) fn read_units(size: usize, consistent: bool) -> f64 {
    let units = size.div_ceil(4096).max(1) as f64;
    if consistent { units } else { units / 2.0 }
}

fn write_units(size: usize) -> f64 {
    size.div_ceil(1024).max(1) as f64
}

impl Cost {
    pub(crate) fn on_table(units: f64) -> Cost {
        Cost { table: units, indexes: Vec::new() }
    }

    pub(crate) fn on_index(index: &IndexShape, units: f64) -> Cost {
        let mut cost = Cost::default();
        cost.add_index(&index.name, index.local, units);
        cost
    }

    /// The larger image on the table; on an index, what its view of the item changes: nothing if it stays, one
    /// write if it changes in place, comes or goes, two if it moves.
    pub(crate) fn of_write(table: &Table, change: &Change) -> Cost {
        let size = |image: &Option<Map>| image.as_ref().map_or(0, size::of_item);
        let mut cost = Cost::on_table(write_units(size(&change.before).max(size(&change.after))));
        for index in &table.shape.indexes {
            let view = |image: &Option<Map>| table.index_view(index, image.as_ref()?);
            let (old, new) = (view(&change.before), view(&change.after));
            let units = match (&old, &new) {
                _ if old == new => continue,
                (Some(old_view), Some(new_view)) if index.key.of(old_view) == index.key.of(new_view) => {
                    write_units(size(&old).max(size(&new)))
                }
                _ => [&old, &new].into_iter().flatten().map(|view| write_units(size::of_item(view))).sum(),
            };
            cost.add_index(&index.name, index.local, units);
        }
        cost
    }

    fn add_index(&mut self, name: &str, local: bool, units: f64) {
        match self.indexes.iter_mut().find(|(known, ..)| known == name) {
            Some((_, _, known)) => *known += units,
            None => self.indexes.push((name.to_owned(), local, units)),
        }
    }

    pub(crate) fn add(&mut self, other: &Cost) {
        self.table += other.table;
        for (name, local, units) in &other.indexes {
            self.add_index(name, *local, *units);
        }
    }

    /// Transactions pay double on the table.
    pub(crate) fn in_transaction(mut self) -> Cost {
        self.table *= 2.0;
        self
    }

    pub(crate) fn report(
        &self,
        asked: Option<&ReturnConsumedCapacity>,
        table: &str,
        units: Units,
    ) -> Option<ConsumedCapacity> {
        let asked = asked.filter(|asked| **asked != ReturnConsumedCapacity::None)?;
        let capacity = |amount: f64| Capacity {
            capacity_units: Some(amount),
            read_capacity_units: (units == Units::Read).then_some(amount),
            write_capacity_units: (units == Units::Write).then_some(amount),
        };
        let in_detail = *asked == ReturnConsumedCapacity::Indexes;
        let of_kind = |wanted: bool| {
            let of_kind = self.indexes.iter().filter(|(_, local, _)| *local == wanted);
            let indexes: StringMap<Capacity> =
                of_kind.map(|(name, _, units)| (name.clone(), capacity(*units))).collect();
            (in_detail && !indexes.is_empty()).then_some(indexes)
        };
        let total = capacity(self.table + self.indexes.iter().map(|(.., units)| units).sum::<f64>());
        Some(ConsumedCapacity {
            table_name: Some(table.to_owned()),
            capacity_units: total.capacity_units,
            read_capacity_units: total.read_capacity_units,
            write_capacity_units: total.write_capacity_units,
            table: in_detail.then(|| capacity(self.table)),
            local_secondary_indexes: of_kind(true),
            global_secondary_indexes: of_kind(false),
        })
    }
}

/// The costs of a request on several tables, in the order in which they were touched.
#[derive(Default)]
pub(crate) struct Costs(Vec<(String, Cost)>);

impl Costs {
    pub(crate) fn add(&mut self, table: &str, cost: &Cost) {
        match self.0.iter_mut().find(|(known, _)| known == table) {
            Some((_, known)) => known.add(cost),
            None => self.0.push((table.to_owned(), cost.clone())),
        }
    }

    pub(crate) fn report(
        &self,
        asked: Option<&ReturnConsumedCapacity>,
        units: Units,
    ) -> Option<Vec<ConsumedCapacity>> {
        let reports: Vec<_> =
            self.0.iter().filter_map(|(table, cost)| cost.report(asked, table, units)).collect();
        (!reports.is_empty()).then_some(reports)
    }
}
