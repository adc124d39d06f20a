//! Shards and places in them, as the wire names them.
//!
//! A stream starts with one generation of shards. When a generation is as old as the settings allow, all of its
//! shards are closed and the next generation continues each of them: with two children while there are few
//! shards, with one afterwards. Every key belongs to one shard of each generation, so a reader that finishes a
//! parent before its children sees all changes of an item in order.

use serde::{Deserialize, Serialize};
use sortkey_api::{ApiError, ErrorKind};
use sortkey_storage::Published;

use crate::catalog;
use crate::catalog::resource::Resource;
use crate::stream::{Position, Stream};

/// How long an iterator can be used.
const ITERATOR_LIFE_MS: u64 = 15 * 60 * 1000;
/// Shards are split in two until there are this many; from then on each has one child.
const ENOUGH_SHARDS: u16 = 4;

/// Shards that were opened together and that together hold every key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Generation {
    /// The number of the first shard. The others follow; numbers wrap around.
    pub(crate) first_shard: u16,
    pub(crate) shards: u16,
    pub(crate) created_ms: u64,
    /// The version before the first that it can contain.
    pub(crate) first_version: u64,
}

impl Generation {
    /// The generation that continues this one.
    pub(crate) fn next(&self, created_ms: u64, first_version: u64) -> Generation {
        let shards = if self.shards < ENOUGH_SHARDS { self.shards * 2 } else { self.shards };
        let first_shard = self.first_shard.wrapping_add(self.shards);
        Generation { first_shard, shards, created_ms, first_version }
    }

    /// The number of the shard to which a partition's hash belongs: shards are ranges of hashes of equal size.
    pub(crate) fn shard_of(&self, hash: u64) -> u16 {
        let index = (u128::from(hash) * u128::from(self.shards)) >> 64;
        self.first_shard.wrapping_add(u16::try_from(index).unwrap_or(0))
    }
}

/// A shard of a stream.
#[derive(Clone, Copy)]
pub(crate) struct Shard<'s> {
    stream: &'s Stream,
    generation: usize,
    index: u16,
}

impl Stream {
    /// All shards whose records can still be read, parents before children.
    pub(crate) fn shards(&self) -> impl Iterator<Item = Shard<'_>> {
        self.generations.iter().enumerate().flat_map(move |(generation, of)| {
            (0..of.shards).map(move |index| Shard { stream: self, generation, index })
        })
    }

    /// The shard that a name names.
    pub(crate) fn find_shard(&self, id: &str) -> Option<Shard<'_>> {
        self.shards().find(|shard| shard.id() == id)
    }

    pub(crate) fn shard_numbered(&self, number: u16) -> Option<Shard<'_>> {
        self.shards().find(|shard| shard.number() == number)
    }

    /// The number of the shard that has a change of a partition, by the version of the change.
    pub(crate) fn shard_of(&self, hash: u64, version: u64) -> Option<u16> {
        let generation = self.generations.iter().rev().find(|of| of.first_version < version)?;
        Some(generation.shard_of(hash))
    }
}

impl Shard<'_> {
    fn generation(&self) -> &Generation {
        &self.stream.generations[self.generation]
    }

    /// The number under which its records lie.
    pub(crate) fn number(&self) -> u16 {
        self.generation().first_shard.wrapping_add(self.index)
    }

    /// The name of the shard: it contains its age, as AWS's do, and is unique.
    pub(crate) fn id(&self) -> String {
        let (created_ms, number) = (self.generation().created_ms, self.number());
        format!("shardId-{created_ms:020}-{:08x}{number:04x}", self.stream.id)
    }

    /// The shard that it continues, if that one's records can still be read.
    pub(crate) fn parent(&self) -> Option<Self> {
        let generation = self.generation.checked_sub(1)?;
        let children = self.generation().shards / self.stream.generations[generation].shards.max(1);
        Some(Shard { stream: self.stream, generation, index: self.index / children.max(1) })
    }

    /// The version before the first that it can contain.
    pub(crate) fn first_version(&self) -> u64 {
        self.generation().first_version
    }

    /// The last version that it can contain, if it is closed.
    pub(crate) fn last_version(&self) -> Option<u64> {
        let next = self.stream.generations.get(self.generation + 1).map(|next| next.first_version);
        next.or_else(|| self.stream.closed.map(|closed| closed.version))
    }
}

/// The stream that an ARN names.
pub(crate) fn find_stream(view: &Published, arn: &str) -> Result<Stream, ApiError> {
    let resource = Resource::parse(arn);
    let Some(Resource { table, stream: Some(label) }) = resource else {
        return Err(ApiError::validation(format!("Invalid StreamArn: {arn}")));
    };
    for stream in catalog::streams(view) {
        let stream = stream?;
        if stream.table_name == table && stream.label == label {
            return Ok(stream);
        }
    }
    Err(not_found(arn))
}

pub(crate) fn not_found(arn: &str) -> ApiError {
    ApiError::new(
        ErrorKind::ResourceNotFoundException,
        format!("Requested resource not found: Stream: {arn} not found"),
    )
}

/// A place in a shard, to read on from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShardIterator {
    pub(crate) stream: u32,
    /// The shard's number.
    pub(crate) shard: u16,
    pub(crate) position: Position,
    pub(crate) issued_ms: u64,
}

impl ShardIterator {
    /// As a client holds it: the stream's ARN, a version, and hexadecimal fields.
    pub(crate) fn to_text(self, stream_arn: &str) -> String {
        format!(
            "{stream_arn}|1|{:08x}{:04x}{:016x}{:04x}{:016x}",
            self.stream, self.shard, self.position.version, self.position.ordinal, self.issued_ms
        )
    }

    /// Reads what [`ShardIterator::to_text`] wrote.
    pub(crate) fn parse(text: &str) -> Result<ShardIterator, ApiError> {
        let fields = text.rsplit_once("|1|").map(|(_, fields)| fields).filter(|fields| fields.len() == 48);
        let fields = fields.ok_or_else(invalid_iterator)?;
        let field = |from: usize, to: usize| {
            let digits = fields.get(from..to).ok_or_else(invalid_iterator)?;
            u64::from_str_radix(digits, 16).map_err(|_| invalid_iterator())
        };
        Ok(ShardIterator {
            stream: u32::try_from(field(0, 8)?).map_err(|_| invalid_iterator())?,
            shard: u16::try_from(field(8, 12)?).map_err(|_| invalid_iterator())?,
            position: Position {
                version: field(12, 28)?,
                ordinal: u16::try_from(field(28, 32)?).map_err(|_| invalid_iterator())?,
            },
            issued_ms: field(32, 48)?,
        })
    }

    pub(crate) fn check_age(self, now_ms: u64) -> Result<(), ApiError> {
        if now_ms.saturating_sub(self.issued_ms) <= ITERATOR_LIFE_MS {
            return Ok(());
        }
        let message = "The shard iterator has expired. Shard iterators are valid for 15 minutes";
        Err(ApiError::new(ErrorKind::ExpiredIteratorException, message))
    }
}

pub(crate) fn invalid_iterator() -> ApiError {
    ApiError::validation("Invalid ShardIterator")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterators_come_back() {
        let iterator = ShardIterator {
            stream: 7,
            shard: 3,
            position: Position { version: 99, ordinal: 2 },
            issued_ms: 1_700_000_000_000,
        };
        let text = iterator.to_text("arn:aws:dynamodb:us-east-1:0:table/t/stream/2015-05-11T21:21:33.291");
        assert_eq!(ShardIterator::parse(&text), Ok(iterator));
    }

    #[test]
    fn malformed_iterators_are_rejected() {
        for text in
            ["", "|1|", "a|1|zz", &format!("a|1|{}", "é".repeat(24)), &format!("a|1|{}", "g".repeat(48))]
        {
            assert!(ShardIterator::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn iterators_age() {
        let iterator = ShardIterator { stream: 1, shard: 0, position: Position::before(1), issued_ms: 1_000 };
        assert!(iterator.check_age(1_000 + ITERATOR_LIFE_MS).is_ok());
        assert!(iterator.check_age(1_001 + ITERATOR_LIFE_MS).is_err());
    }

    #[test]
    fn children_share_out_the_hashes_of_their_parent() {
        let parent = Generation { first_shard: 65_535, shards: 1, created_ms: 0, first_version: 0 };
        let children = parent.next(1, 10);
        assert_eq!((children.first_shard, children.shards), (0, 2));
        assert_eq!(
            [0, u64::MAX / 2, u64::MAX / 2 + 1, u64::MAX].map(|hash| children.shard_of(hash)),
            [0, 0, 1, 1]
        );
        assert_eq!(parent.shard_of(u64::MAX), 65_535);
        let grandchildren = children.next(2, 20);
        assert_eq!((grandchildren.first_shard, grandchildren.shards), (2, 4));
        assert_eq!(grandchildren.shard_of(u64::MAX), 5);
        assert_eq!(grandchildren.next(3, 30).shards, 4);
    }
}
