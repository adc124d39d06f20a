//! Streams: a log of a table's changes, split into shards by hash ranges of the partition key.
//!
//! A record's place is its commit version and its ordinal within the batch. Within a shard that order is the
//! order in which changes became visible, so all changes of one item are in order.

pub(crate) mod shard;
pub(crate) mod streaming;

use serde::{Deserialize, Serialize};
use sortkey_storage::Value;
use sortkey_value::Item;

use crate::catalog::table::Table;
use crate::stream::shard::Generation;
use crate::write::change::ItemChange;

/// The number of shards in streams of earlier versions, whose descriptors lack it.
pub(crate) const EARLIER_SHARDS: u16 = 4;
/// How long records can be read.
pub(crate) const RETENTION_MS: u64 = 24 * 60 * 60 * 1000;

/// The originator of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Actor {
    User,
    /// The service itself, which removes expired items.
    Expiry,
}

/// A stream's descriptor. It outlives its table for as long as its records can be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stream {
    pub(crate) id: u32,
    pub(crate) table_name: String,
    pub(crate) label: String,
    pub(crate) view_type: String,
    pub(crate) key: crate::catalog::schema::KeySchema,
    pub(crate) created_ms: u64,
    /// The version from which on changes are in the stream.
    pub(crate) first_version: u64,
    /// Set when the stream was switched off or its table deleted: when, and the last version it can contain.
    pub(crate) closed: Option<Closed>,
    /// The shards, oldest first; never empty.
    #[serde(default)]
    pub(crate) generations: Vec<Generation>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Closed {
    pub(crate) at_ms: u64,
    pub(crate) version: u64,
}

impl Stream {
    pub(crate) fn to_value(&self) -> Value {
        serde_json::to_vec(self).expect("a descriptor has only string keys").into()
    }

    pub(crate) fn from_value(value: &[u8]) -> Result<Stream, String> {
        let mut stream: Stream = serde_json::from_slice(value).map_err(|error| error.to_string())?;
        if stream.generations.is_empty() {
            stream.generations.push(stream.earlier_generation());
        }
        Ok(stream)
    }

    /// The shards of a stream that was opened before descriptors named them.
    fn earlier_generation(&self) -> Generation {
        Generation {
            first_shard: 0,
            shards: EARLIER_SHARDS,
            created_ms: self.created_ms,
            first_version: self.first_version,
        }
    }
}

/// The kind of a change to an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Insert,
    Modify,
    Remove,
}

/// One change as a stream keeps it.
///
/// ```text
/// event:u8 actor:u8 (length:u32 item)*3      keys, new image, old image; length 0: absent
/// ```
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StreamRecord {
    pub(crate) event: Event,
    pub(crate) actor: Actor,
    pub(crate) keys: Item,
    pub(crate) new_image: Option<Item>,
    pub(crate) old_image: Option<Item>,
}

impl StreamRecord {
    pub(crate) fn new(table: &Table, view_type: &str, change: &ItemChange, actor: Actor) -> StreamRecord {
        let (event, source) = match (&change.before, &change.after) {
            (None, after) => (Event::Insert, after),
            (before, None) => (Event::Remove, before),
            (_, after) => (Event::Modify, after),
        };
        let wants = |image: &str| view_type == image || view_type == "NEW_AND_OLD_IMAGES";
        StreamRecord {
            event,
            actor,
            keys: source.as_ref().map(|item| table.key.project(item)).unwrap_or_default(),
            new_image: change.after.clone().filter(|_| wants("NEW_IMAGE")),
            old_image: change.before.clone().filter(|_| wants("OLD_IMAGE")),
        }
    }

    /// The bytes that AWS reports for a record: keys and images.
    pub(crate) fn size_bytes(&self) -> usize {
        let images = [&self.new_image, &self.old_image];
        let size = |item: &&Option<Item>| item.as_ref().map_or(0, Item::size_bytes);
        self.keys.size_bytes() + images.iter().map(size).sum::<usize>()
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let event = match self.event {
            Event::Insert => 1,
            Event::Modify => 2,
            Event::Remove => 3,
        };
        let mut out = vec![event, u8::from(self.actor == Actor::Expiry)];
        for item in [Some(&self.keys), self.new_image.as_ref(), self.old_image.as_ref()] {
            let bytes: &[u8] = item.map_or(&[], |item| item.as_bytes());
            out.extend_from_slice(&u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes());
            out.extend_from_slice(bytes);
        }
        out
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<StreamRecord> {
        let [event, actor, rest @ ..] = bytes else { return None };
        let mut rest = rest;
        let mut next = || {
            let (length, behind) = rest.split_first_chunk::<4>()?;
            let (item, behind) = behind.split_at_checked(u32::from_be_bytes(*length) as usize)?;
            rest = behind;
            Some((!item.is_empty()).then(|| Item::from_bytes(item.into())))
        };
        Some(StreamRecord {
            event: match event {
                1 => Event::Insert,
                2 => Event::Modify,
                3 => Event::Remove,
                _ => return None,
            },
            actor: if *actor == 1 { Actor::Expiry } else { Actor::User },
            keys: next()?.unwrap_or_default(),
            new_image: next()?,
            old_image: next()?,
        })
    }
}

/// The position of a record in its shard; the sequence number of the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) version: u64,
    pub(crate) ordinal: u16,
}

impl Position {
    /// Sequence numbers are decimal, of one length, as AWS's are; their order is the order of positions.
    const BASE: u128 = 100_000_000_000_000_000_000_000;

    /// The place before all records of a version.
    pub(crate) fn before(version: u64) -> Position {
        Position { version, ordinal: 0 }
    }

    /// The place behind this record.
    pub(crate) fn next(self) -> Position {
        match self.ordinal.checked_add(1) {
            Some(ordinal) => Position { ordinal, ..self },
            None => Position { version: self.version + 1, ordinal: 0 },
        }
    }

    pub(crate) fn sequence_number(self) -> String {
        (Position::BASE + (u128::from(self.version) << 16) + u128::from(self.ordinal)).to_string()
    }

    pub(crate) fn from_sequence_number(text: &str) -> Option<Position> {
        let place = text.parse::<u128>().ok()?.checked_sub(Position::BASE)?;
        Some(Position { version: u64::try_from(place >> 16).ok()?, ordinal: place as u16 })
    }

    pub(crate) fn to_bytes(self) -> [u8; 10] {
        let mut bytes = [0; 10];
        bytes[..8].copy_from_slice(&self.version.to_be_bytes());
        bytes[8..].copy_from_slice(&self.ordinal.to_be_bytes());
        bytes
    }

    /// The position at the end of a record's key.
    pub(crate) fn from_key(key: &[u8]) -> Option<Position> {
        let (_, bytes) = key.split_last_chunk::<10>()?;
        let (version, ordinal) = bytes.split_first_chunk::<8>()?;
        let ordinal = u16::from_be_bytes(ordinal.try_into().ok()?);
        Some(Position { version: u64::from_be_bytes(*version), ordinal })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back() {
        let item = |value: &str| Item::from([("pk", "k"), ("v", value)]);
        let record = StreamRecord {
            event: Event::Modify,
            actor: Actor::Expiry,
            keys: Item::from([("pk", "k")]),
            new_image: Some(item("new")),
            old_image: None,
        };
        assert_eq!(StreamRecord::from_bytes(&record.to_bytes()), Some(record));
        assert_eq!(StreamRecord::from_bytes(&[9]), None);
    }

    #[test]
    fn sequence_numbers_keep_the_order() {
        let positions = [(1, 0), (1, 1), (1, u16::MAX), (2, 0), (u64::MAX, 7)]
            .map(|(version, ordinal)| Position { version, ordinal });
        let numbers = positions.map(Position::sequence_number);
        assert!(numbers.is_sorted_by(|a, b| (a.len(), a) < (b.len(), b)));
        assert_eq!(numbers.map(|number| Position::from_sequence_number(&number)), positions.map(Some));
        assert_eq!(Position::from_sequence_number("12"), None);
        assert_eq!(Position { version: 1, ordinal: u16::MAX }.next(), Position::before(2));
    }

    #[test]
    fn streams_of_earlier_versions_keep_their_four_shards() {
        let written = r#"{"id":1,"table_name":"t","label":"l","view_type":"KEYS_ONLY","key":{"partition":[],"sort":[]},
            "created_ms":5,"first_version":2,"closed":null}"#;
        let stream = Stream::from_value(written.as_bytes()).unwrap();
        let shards = (0..4u64).map(|quarter| stream.shard_of(quarter << 62, 3).unwrap());
        assert_eq!(shards.collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(stream.shards().count(), 4);
    }
}
