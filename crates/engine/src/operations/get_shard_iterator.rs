//! GetShardIterator: a place in a shard.

use std::sync::Arc;

use sortkey_api::operations::{GetShardIterator, GetShardIteratorInput, GetShardIteratorOutput};
use sortkey_api::shapes::stream::ShardIteratorType;
use sortkey_api::{ApiError, ErrorKind};
use sortkey_storage::Clock;

use super::Run;
use crate::engine::Shared;
use crate::reply::Reply;
use crate::shard::{ShardIterator, find_shard, find_stream};
use crate::stream::{Position, Stream};

impl Run for GetShardIterator {
    fn run(shared: &Arc<Shared>, input: GetShardIteratorInput) -> Result<Reply<GetShardIteratorOutput>, ApiError> {
        let view = shared.committer.view();
        let stream = find_stream(&view, &input.stream_arn)?;
        let shard = find_shard(&stream, &input.shard_id).ok_or_else(|| {
            let message = format!("Requested resource not found: Shard: {} in Stream: {} not found", input.shard_id, input.stream_arn);
            ApiError::new(ErrorKind::ResourceNotFoundException, message)
        })?;
        let position = match input.shard_iterator_type {
            ShardIteratorType::Latest => Position::before(view.stamp.version + 1),
            ShardIteratorType::AtSequenceNumber => given_position(&stream, &input)?,
            ShardIteratorType::AfterSequenceNumber => given_position(&stream, &input)?.next(),
            _ => Position::before(stream.first_version),
        };
        if input.shard_iterator_type == ShardIteratorType::AtTimestamp {
            return Err(ApiError::validation("AT_TIMESTAMP is not a ShardIteratorType of DynamoDB Streams"));
        }
        let iterator = ShardIterator { stream: stream.id, shard, position, issued_ms: shared.clock.now_ms() };
        let arn = shared.stream_arn(&stream.table_name, &stream.label);
        Ok(Reply::now(GetShardIteratorOutput { shard_iterator: Some(iterator.to_text(&arn)) }))
    }
}

fn given_position(stream: &Stream, input: &GetShardIteratorInput) -> Result<Position, ApiError> {
    let Some(number) = &input.sequence_number else {
        return Err(ApiError::validation(format!(
            "SequenceNumber must be specified when ShardIteratorType is {}",
            input.shard_iterator_type
        )));
    };
    let outside = || ApiError::validation("Invalid SequenceNumber: it is not in the range of the shard");
    let position = Position::from_sequence_number(number).ok_or_else(outside)?;
    let after_end = stream.closed.is_some_and(|closed| position.version > closed.version);
    if position.version < stream.first_version || after_end {
        return Err(outside());
    }
    Ok(position)
}
