//! The targets of autoscaling: the reads and writes of a table and of each of its indexes.

use crate::model::{Range, Scaling, Table};

/// Reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dimension {
    Read,
    Write,
}

/// Something that scales.
pub(crate) struct Target<'a> {
    pub(crate) index: Option<&'a str>,
    pub(crate) dimension: Dimension,
    pub(crate) range: Range,
}

/// Everything of a table that scales.
pub(crate) fn targets(table: &Table) -> Vec<Target<'_>> {
    let of = |index, scaling: Scaling| {
        let read = scaling.read.map(|range| Target { index, dimension: Dimension::Read, range });
        let write = scaling.write.map(|range| Target { index, dimension: Dimension::Write, range });
        read.into_iter().chain(write)
    };
    let indexes = table.global.iter().flat_map(|index| of(Some(index.name.as_str()), index.scaling));
    of(None, table.scaling).chain(indexes).collect()
}

impl Target<'_> {
    /// A description for messages.
    pub(crate) fn what(&self, table: &Table) -> String {
        match self.index {
            Some(index) => format!("index `{index}` of table `{}`", table.design_name),
            None => format!("table `{}`", table.design_name),
        }
    }

    /// A name that is unique in a region.
    pub(crate) fn name(&self, table: &Table) -> String {
        let word = self.dimension.word();
        match self.index {
            Some(index) => format!("{}-{index}-{word}", table.name),
            None => format!("{}-{word}", table.name),
        }
    }
}

impl Dimension {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Dimension::Read => "Read",
            Dimension::Write => "Write",
        }
    }

    /// The dimension as Application Auto Scaling spells it.
    pub(crate) fn scalable(self, is_index: bool) -> String {
        format!("dynamodb:{}:{}CapacityUnits", if is_index { "index" } else { "table" }, self.word())
    }

    /// The metric that is kept at its target.
    pub(crate) fn metric(self) -> String {
        format!("DynamoDB{}CapacityUtilization", self.word())
    }
}
