//! Counts by error kind, without a lock and without a list of kinds: a kind gets a slot when it first occurs.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// More kinds than one operation of DynamoDB can raise.
const SLOTS: usize = 32;

/// What kinds beyond the slots are counted as.
const OTHER: &str = "Other";

/// A count per error kind.
#[derive(Debug, Default)]
pub(crate) struct ErrorCounts {
    slots: [Slot; SLOTS],
    other: AtomicU64,
}

#[derive(Debug, Default)]
struct Slot {
    kind: OnceLock<&'static str>,
    count: AtomicU64,
}

impl ErrorCounts {
    pub(crate) fn add(&self, kind: &'static str) {
        let slot = self.slots.iter().find(|slot| *slot.kind.get_or_init(|| kind) == kind);
        slot.map_or(&self.other, |slot| &slot.count).fetch_add(1, Ordering::Relaxed);
    }

    /// The kinds that occurred, in the order of their first occurrence.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let known =
            self.slots.iter().map_while(|slot| Some((*slot.kind.get()?, slot.count.load(Ordering::Relaxed))));
        let other = self.other.load(Ordering::Relaxed);
        known.chain((other > 0).then_some((OTHER, other)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted_apart() {
        let errors = ErrorCounts::default();
        for kind in ["A", "B", "A", "C", "A", "B"] {
            errors.add(kind);
        }
        assert_eq!(errors.counts().collect::<Vec<_>>(), [("A", 3), ("B", 2), ("C", 1)]);
    }

    #[test]
    fn kinds_beyond_the_slots_share_one_count() {
        let errors = ErrorCounts::default();
        let kinds: Vec<&'static str> = (0..SLOTS + 2).map(|n| &*n.to_string().leak()).collect();
        kinds.iter().for_each(|kind| errors.add(kind));
        assert_eq!(errors.counts().last(), Some((OTHER, 2)));
        assert_eq!(errors.counts().count(), SLOTS + 1);
    }
}
