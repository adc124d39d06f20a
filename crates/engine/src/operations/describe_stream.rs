//! DescribeStream: the stream and a page of its shards.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{DescribeStream, DescribeStreamInput, DescribeStreamOutput};
use sortkey_api::shapes::stream::{SequenceNumberRange, Shard, StreamDescription, StreamStatus};

use super::Run;
use crate::describe::{key_schema, timestamp};
use crate::engine::Shared;
use crate::reply::Reply;
use crate::shard::{find_shard, find_stream, shard_id};
use crate::stream::{Position, SHARDS, Stream};

const DEFAULT_LIMIT: usize = 100;

impl Run for DescribeStream {
    fn run(shared: &Arc<Shared>, input: DescribeStreamInput) -> Result<Reply<DescribeStreamOutput>, ApiError> {
        let view = shared.committer.view();
        let stream = find_stream(&view, &input.stream_arn)?;
        let unknown = || ApiError::validation("Invalid ShardId: no such shard in the stream");
        let after = match &input.exclusive_start_shard_id {
            Some(id) => find_shard(&stream, id).ok_or_else(unknown)? + 1,
            None => 0,
        };
        // Shards are not split, so none of them has children.
        let numbers = if input.shard_filter.is_some() { 0..0 } else { after..SHARDS };
        let limit = input.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(DEFAULT_LIMIT);
        let more = numbers.len() > limit;
        let shards: Vec<Shard> = numbers.take(limit).map(|shard| describe_shard(&stream, shard)).collect();
        let status = if stream.closed.is_some() { StreamStatus::Disabled } else { StreamStatus::Enabled };
        let description = StreamDescription {
            stream_arn: Some(shared.stream_arn(&stream.table_name, &stream.label)),
            stream_label: Some(stream.label.clone()),
            stream_status: Some(status),
            stream_view_type: Some(stream.view_type.as_str().into()),
            creation_request_date_time: Some(timestamp(stream.created_ms)),
            table_name: Some(stream.table_name.clone()),
            key_schema: Some(key_schema(&stream.key)),
            last_evaluated_shard_id: shards.last().filter(|_| more).and_then(|shard| shard.shard_id.clone()),
            shards: Some(shards),
        };
        Ok(Reply::now(DescribeStreamOutput { stream_description: Some(description) }))
    }
}

fn describe_shard(stream: &Stream, shard: u16) -> Shard {
    let first = Position::before(stream.first_version + 1).sequence_number();
    let last = stream.closed.map(|closed| Position { version: closed.version, ordinal: u16::MAX }.sequence_number());
    Shard {
        shard_id: Some(shard_id(stream, shard)),
        sequence_number_range: Some(SequenceNumberRange {
            starting_sequence_number: Some(first),
            ending_sequence_number: last,
        }),
        parent_shard_id: None,
    }
}
