//! The changes of one write, as they are passed to the committer.

use crate::store::{Change, Key, Value};

/// When and as which commit a batch became visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Counts up by one with every batch.
    pub version: u64,
    /// Milliseconds since 1970; never less than the one before.
    pub time_ms: u64,
}

/// A pair of running totals that many writes change at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many.
    pub items: i64,
    /// How large.
    pub bytes: i64,
}

impl Counts {
    /// The totals as a store keeps them.
    pub fn to_value(self) -> Value {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.items.to_be_bytes());
        bytes[8..].copy_from_slice(&self.bytes.to_be_bytes());
        Value::from(bytes)
    }

    /// Reads what [`Counts::to_value`] wrote; anything else counts as nothing.
    pub fn from_value(value: &[u8]) -> Counts {
        let read = |at: usize| {
            let bytes = value.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(0, i64::from_be_bytes)
        };
        Counts { items: read(0), bytes: read(8) }
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.items += other.items;
        self.bytes += other.bytes;
    }
}

/// Changes that become visible together.
#[derive(Debug, Default)]
pub struct Batch {
    pub(crate) changes: Vec<Change>,
    pub(crate) stamped: Vec<Stamped>,
    pub(crate) counts: Vec<(Key, Counts)>,
    pub(crate) changes_schema: bool,
    /// The batch gets no earlier time.
    pub(crate) not_before_ms: u64,
}

/// A put whose key contains the version, which is assigned by the committer.
#[derive(Debug)]
pub(crate) struct Stamped {
    key: Vec<u8>,
    version_at: usize,
    value: Vec<u8>,
}

impl Stamped {
    pub(crate) fn into_change(mut self, stamp: Stamp) -> Change {
        self.key[self.version_at..self.version_at + 8].copy_from_slice(&stamp.version.to_be_bytes());
        self.value[..8].copy_from_slice(&stamp.time_ms.to_be_bytes());
        Change::Put(self.key.into(), self.value.into())
    }
}

impl Batch {
    /// A batch that changes nothing yet.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// Whether committing it would change nothing.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.stamped.is_empty() && self.counts.is_empty()
    }

    /// Gives a key a value.
    pub fn put(&mut self, key: Key, value: Value) {
        self.changes.push(Change::Put(key, value));
    }

    /// Removes a key.
    pub fn delete(&mut self, key: Key) {
        self.changes.push(Change::Delete(key));
    }

    /// Puts an entry of a log: key = `prefix`, the commit's version (u64), `suffix`; value = the commit's time
    /// (u64, milliseconds), `value`. Both integers are big-endian.
    pub fn log(&mut self, prefix: &[u8], suffix: &[u8], value: &[u8]) {
        let key = [prefix, &[0; 8], suffix].concat();
        let value = [&[0; 8], value].concat();
        self.stamped.push(Stamped { key, version_at: prefix.len(), value });
    }

    /// Adds to the totals under a key. Unlike the other changes it needs no lock: sums commute.
    pub fn count(&mut self, key: Key, delta: Counts) {
        if delta != Counts::default() {
            self.counts.push((key, delta));
        }
    }

    /// Sets a lower bound for the commit's time. Entries that it removes had expired by a clock that may be set back
    /// before the commit; without the bound, the store's time could be one at which they still existed.
    pub fn not_before(&mut self, time_ms: u64) {
        self.not_before_ms = self.not_before_ms.max(time_ms);
    }

    /// Marks the batch as one that changes the cached schema, so that readers load it again (see
    /// [`crate::Published::schema`]).
    pub fn changes_schema(&mut self) {
        self.changes_schema = true;
    }
}
