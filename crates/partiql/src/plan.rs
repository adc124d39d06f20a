//! Plans a statement for a given key: the item that a write targets, and whether a `SELECT` reads by key or
//! scans.

mod branches;
mod overlap;
mod read;
mod single;

use sortkey_value::AttributeType;

pub use read::{Direction, KeyRead, ReadPlan, plan_order, plan_read};
pub use single::{ItemTarget, plan_item_read, plan_write};

/// How many reads by key one `SELECT` can be taken apart into.
pub const READS: usize = 50;

/// The key of a table or an index that has one partition attribute and at most one sort attribute: PartiQL
/// supports no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeySchema<'k> {
    /// The name and type of the partition attribute.
    pub partition: (&'k str, AttributeType),
    /// The name and type of the sort attribute.
    pub sort: Option<(&'k str, AttributeType)>,
}

impl KeySchema<'_> {
    fn is_partition(&self, name: &str) -> bool {
        self.partition.0 == name
    }

    fn is_sort(&self, name: &str) -> bool {
        self.sort.is_some_and(|(sort, _)| sort == name)
    }
}
