//! DynamoDB's arithmetic, once: the cost of reading and writing some bytes, on the table and on its indexes.
//!
//! Sizes are arguments. With the declared or estimated ones this is a prediction of what a call usually costs; with
//! those of the items that a call touched it is exactly what DynamoDB charges.

use std::ops::AddAssign;

/// Requests and capacity units of one call.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Requests for one page or one item.
    pub requests: f64,
    /// Read units.
    pub rcu: f64,
    /// Write units.
    pub wcu: f64,
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        self.requests += other.requests;
        self.rcu += other.rcu;
        self.wcu += other.wcu;
    }
}

impl Cost {
    /// The cost of so many calls.
    pub fn times(self, often: f64) -> Cost {
        Cost { requests: self.requests * often, rcu: self.rcu * often, wcu: self.wcu * often }
    }
}

/// Read units for some bytes: four kilobytes each, half if eventually consistent. Finding nothing costs the least.
pub fn read_units(bytes: u64, strong: bool) -> f64 {
    let units = bytes.div_ceil(4096).max(1) as f64;
    if strong { units } else { units / 2.0 }
}

/// Write units for an item of some bytes: one kilobyte each.
pub fn write_units(bytes: u64) -> u64 {
    bytes.div_ceil(1024).max(1)
}

/// An item before and after a write, in bytes; none if there was or is no item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Images {
    /// Before.
    pub before: Option<u64>,
    /// After. A check leaves the item as it is.
    pub after: Option<u64>,
}

impl Images {
    /// The units of the table: the larger image counts.
    pub fn units(self) -> u64 {
        write_units(self.before.max(self.after).unwrap_or(0))
    }
}

/// The entry of an item in an index before and after a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its bytes, before and after.
    pub images: Images,
    /// Whether its key stays.
    pub same_key: bool,
    /// Whether nothing of it changes.
    pub same: bool,
}

impl Entry {
    /// The units of the index: an unchanged entry costs nothing, one that changes in place the larger of both, one that
    /// moves is removed and written.
    pub fn units(self) -> u64 {
        let Images { before, after } = self.images;
        match (before, after) {
            (None, None) => 0,
            (Some(_), Some(_)) if self.same => 0,
            (Some(_), Some(_)) if self.same_key => self.images.units(),
            _ => [before, after].into_iter().flatten().map(write_units).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_image_counts() {
        for (before, after, units) in [
            (None, None, 1),
            (None, Some(1), 1),
            (Some(1025), Some(10), 2),
            (Some(10), Some(4096), 4),
            (Some(4097), None, 5),
        ] {
            assert_eq!(Images { before, after }.units(), units, "{before:?} {after:?}");
        }
    }

    #[test]
    fn entries_are_charged_by_what_happens_to_them() {
        let entry = |before, after, same_key, same| {
            Entry { images: Images { before, after }, same_key, same }.units()
        };
        assert_eq!(entry(None, None, false, true), 0, "never in the index");
        assert_eq!(entry(None, Some(100), false, false), 1, "comes");
        assert_eq!(entry(Some(1500), None, false, false), 2, "goes");
        assert_eq!(entry(Some(1500), Some(1500), true, true), 0, "untouched");
        assert_eq!(entry(Some(1500), Some(100), true, false), 2, "changes in place");
        assert_eq!(entry(Some(1500), Some(100), false, false), 3, "moves");
    }

    #[test]
    fn reads_are_rounded_up_and_halved() {
        for (bytes, strong, units) in
            [(0, false, 0.5), (4096, false, 0.5), (4097, false, 1.0), (4097, true, 2.0)]
        {
            assert_eq!(read_units(bytes, strong), units, "{bytes} {strong}");
        }
    }
}
