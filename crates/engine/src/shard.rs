//! Shards and places in them, as the wire names them.

use sortkey_api::{ApiError, ErrorKind};
use sortkey_storage::Published;

use crate::catalog;
use crate::resource::Resource;
use crate::stream::{Position, SHARDS, Stream};

/// How long an iterator can be used.
const ITERATOR_LIFE_MS: u64 = 15 * 60 * 1000;

/// The name of a shard: it tells the stream's age, as AWS's do, and is unique.
pub(crate) fn shard_id(stream: &Stream, shard: u16) -> String {
    format!("shardId-{:020}-{:08x}{shard:04x}", stream.created_ms, stream.id)
}

/// The shard of a stream that a name names.
pub(crate) fn find_shard(stream: &Stream, id: &str) -> Option<u16> {
    (0..SHARDS).find(|shard| shard_id(stream, *shard) == id)
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
        let invalid = || ApiError::validation("Invalid ShardIterator");
        let fields = text.rsplit_once("|1|").map(|(_, fields)| fields).filter(|fields| fields.len() == 48);
        let fields = fields.ok_or_else(invalid)?;
        let field = |from: usize, to: usize| {
            let digits = fields.get(from..to).ok_or_else(invalid)?;
            u64::from_str_radix(digits, 16).map_err(|_| invalid())
        };
        let shard = u16::try_from(field(8, 12)?).map_err(|_| invalid())?;
        if shard >= SHARDS {
            return Err(invalid());
        }
        Ok(ShardIterator {
            stream: u32::try_from(field(0, 8)?).map_err(|_| invalid())?,
            shard,
            position: Position {
                version: field(12, 28)?,
                ordinal: u16::try_from(field(28, 32)?).map_err(|_| invalid())?,
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
    fn forged_iterators_are_refused() {
        for text in
            ["", "|1|", "a|1|zz", &format!("a|1|{}", "é".repeat(24)), &format!("a|1|{}", "f".repeat(48))]
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
}
