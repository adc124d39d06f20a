//! The cost of reads and writes, in DynamoDB's units.

use sortkey_value::Item;

use crate::catalog::schema::{Index, IndexKind};

/// Bytes that one read unit pays for.
const READ_UNIT_BYTES: usize = 4 * 1024;
/// Bytes that one write unit pays for.
const WRITE_UNIT_BYTES: usize = 1024;

/// How strict a read is, which decides its price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consistency {
    Eventual,
    Strong,
    Transactional,
}

impl Consistency {
    pub(crate) fn of(strong: Option<bool>) -> Consistency {
        if strong == Some(true) { Consistency::Strong } else { Consistency::Eventual }
    }

    /// The units of reading this many bytes at once; reading nothing costs the least.
    pub(crate) fn read_units(self, size_bytes: usize) -> f64 {
        let units = size_bytes.div_ceil(READ_UNIT_BYTES).max(1) as f64;
        match self {
            Consistency::Eventual => units / 2.0,
            Consistency::Strong => units,
            Consistency::Transactional => units * 2.0,
        }
    }
}

/// The units of writing this many bytes; writing nothing costs the least.
pub(crate) fn write_units(size_bytes: usize) -> f64 {
    size_bytes.div_ceil(WRITE_UNIT_BYTES).max(1) as f64
}

/// The cost of a request on one table and on each of its indexes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cost {
    /// The table's own units.
    pub(crate) table: f64,
    pub(crate) indexes: Vec<IndexCost>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IndexCost {
    pub(crate) name: String,
    pub(crate) kind: IndexKind,
    pub(crate) units: f64,
}

impl Cost {
    pub(crate) fn table(units: f64) -> Cost {
        Cost { table: units, indexes: Vec::new() }
    }

    pub(crate) fn index(index: &Index, units: f64) -> Cost {
        let mut cost = Cost::default();
        cost.add_index(index, units);
        cost
    }

    /// A write of an item: the larger of both images.
    pub(crate) fn write(before: Option<&Item>, after: Option<&Item>) -> Cost {
        let size = |item: Option<&Item>| item.map_or(0, Item::size_bytes);
        Cost::table(write_units(size(before).max(size(after))))
    }

    pub(crate) fn add_index(&mut self, index: &Index, units: f64) {
        match self.indexes.iter_mut().find(|known| known.name == index.name) {
            Some(known) => known.units += units,
            None => self.indexes.push(IndexCost { name: index.name.clone(), kind: index.kind, units }),
        }
    }

    /// Twice the table's units: transactions pay double there, and nowhere else.
    pub(crate) fn in_transaction(mut self) -> Cost {
        self.table *= 2.0;
        self
    }

    pub(crate) fn add(&mut self, other: Cost) {
        self.table += other.table;
        for index in other.indexes {
            match self.indexes.iter_mut().find(|known| known.name == index.name) {
                Some(known) => known.units += index.units,
                None => self.indexes.push(index),
            }
        }
    }

    pub(crate) fn total(&self) -> f64 {
        self.table + self.indexes.iter().map(|index| index.units).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_rounded_up() {
        for (bytes, eventual, write) in [
            (0, 0.5, 1.0),
            (1, 0.5, 1.0),
            (1024, 0.5, 1.0),
            (1025, 0.5, 2.0),
            (4096, 0.5, 4.0),
            (4097, 1.0, 5.0),
        ] {
            assert_eq!(Consistency::Eventual.read_units(bytes), eventual, "{bytes}");
            assert_eq!(Consistency::Strong.read_units(bytes), eventual * 2.0, "{bytes}");
            assert_eq!(Consistency::Transactional.read_units(bytes), eventual * 4.0, "{bytes}");
            assert_eq!(write_units(bytes), write, "{bytes}");
        }
    }

    #[test]
    fn a_transaction_doubles_the_table_only() {
        let cost = Cost {
            table: 2.0,
            indexes: vec![IndexCost { name: "i".into(), kind: IndexKind::Global, units: 3.0 }],
        };
        assert_eq!(cost.in_transaction().total(), 7.0);
    }
}
