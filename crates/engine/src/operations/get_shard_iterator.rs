//! GetShardIterator: a place in a shard.

use std::sync::Arc;

use sortkey_api::operations::{GetShardIterator, GetShardIteratorInput, GetShardIteratorOutput};
use sortkey_api::shapes::stream::ShardIteratorType;
use sortkey_api::{ApiError, ErrorKind};

use super::Run;
use crate::engine::Shared;
use crate::reply::Reply;
use crate::stream::Position;
use crate::stream::shard::{Shard, ShardIterator, find_stream};

impl Run for GetShardIterator {
    fn run(shared: &Arc<Shared>, input: GetShardIteratorInput) -> Result<Reply<GetShardIteratorOutput>, ApiError> {
        check_place(&input)?;
        let view = shared.committer.view();
        let stream = find_stream(&view, &input.stream_arn)?;
        let shard = stream.find_shard(&input.shard_id).ok_or_else(|| {
            let message = format!("Requested resource not found: Shard: {} in Stream: {} not found", input.shard_id, input.stream_arn);
            ApiError::new(ErrorKind::ResourceNotFoundException, message)
        })?;
        let position = match input.shard_iterator_type {
            ShardIteratorType::Latest => Position::before(view.stamp.version + 1),
            ShardIteratorType::AtSequenceNumber => given_position(&shard, &input)?,
            ShardIteratorType::AfterSequenceNumber => given_position(&shard, &input)?.next(),
            _ => Position::before(shard.first_version()),
        };
        let iterator = ShardIterator { stream: stream.id, shard: shard.number(), position, issued_ms: shared.now_ms() };
        let arn = shared.stream_arn(&stream.table_name, &stream.label);
        Ok(Reply::now(GetShardIteratorOutput { shard_iterator: Some(iterator.to_text(&arn)) }))
    }
}

/// A place is given exactly where the type asks for one.
fn check_place(input: &GetShardIteratorInput) -> Result<(), ApiError> {
    match input.shard_iterator_type {
        ShardIteratorType::AtTimestamp => {
            return Err(ApiError::validation("AT_TIMESTAMP is not a ShardIteratorType of DynamoDB Streams"));
        }
        ShardIteratorType::TrimHorizon | ShardIteratorType::Latest if input.sequence_number.is_some() => {
            return Err(ApiError::validation(format!(
                "SequenceNumber cannot be specified when ShardIteratorType is {}",
                input.shard_iterator_type
            )));
        }
        _ => {}
    }
    match input.timestamp {
        Some(_) => Err(ApiError::validation(format!(
            "Timestamp cannot be specified when ShardIteratorType is {}",
            input.shard_iterator_type
        ))),
        None => Ok(()),
    }
}

fn given_position(shard: &Shard<'_>, input: &GetShardIteratorInput) -> Result<Position, ApiError> {
    let Some(number) = &input.sequence_number else {
        return Err(ApiError::validation(format!(
            "SequenceNumber must be specified when ShardIteratorType is {}",
            input.shard_iterator_type
        )));
    };
    let outside = || ApiError::validation("Invalid SequenceNumber: it is not in the range of the shard");
    let position = Position::from_sequence_number(number).ok_or_else(outside)?;
    let after_end = shard.last_version().is_some_and(|last| position.version > last);
    if position.version < shard.first_version() || after_end {
        return Err(outside());
    }
    Ok(position)
}
