//! DescribeStream: the stream and a page of its shards.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{DescribeStream, DescribeStreamInput, DescribeStreamOutput};
use sortkey_api::shapes::stream::{SequenceNumberRange, ShardFilter, Shard, StreamDescription, StreamStatus};

use super::Run;
use crate::catalog::describe::{key_schema, timestamp};
use crate::engine::Shared;
use crate::reply::Reply;
use crate::stream::Position;
use crate::stream::shard::{self, find_stream};

const DEFAULT_LIMIT: usize = 100;

impl Run for DescribeStream {
    fn run(shared: &Arc<Shared>, input: DescribeStreamInput) -> Result<Reply<DescribeStreamOutput>, ApiError> {
        let parent = input.shard_filter.as_ref().map(wanted_parent).transpose()?;
        let view = shared.committer.view();
        let stream = find_stream(&view, &input.stream_arn)?;
        let mut shards: Vec<shard::Shard<'_>> = stream.shards().collect();
        if let Some(id) = &input.exclusive_start_shard_id {
            // The id of a missing or removed shard still determines its position.
            match shards.iter().position(|shard| shard.id() == *id) {
                Some(at) => drop(shards.drain(..=at)),
                None => shards.retain(|shard| shard.id() > *id),
            }
        }
        if let Some(parent) = parent {
            shards.retain(|shard| shard.parent().is_some_and(|of| of.id() == *parent));
        }
        let limit = input.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(DEFAULT_LIMIT);
        let more = shards.len() > limit;
        let shards: Vec<Shard> = shards.iter().take(limit).map(describe_shard).collect();
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

/// The shard whose children are asked for.
fn wanted_parent(filter: &ShardFilter) -> Result<&String, ApiError> {
    match (&filter.filter_type, &filter.shard_id) {
        (Some(_), Some(parent)) => Ok(parent),
        (None, _) => Err(ApiError::validation("ShardFilter.Type must be specified")),
        (_, None) => Err(ApiError::validation("ShardFilter.ShardId must be specified when ShardFilter.Type is CHILD_SHARDS")),
    }
}

fn describe_shard(shard: &shard::Shard<'_>) -> Shard {
    let first = Position::before(shard.first_version() + 1).sequence_number();
    let last = shard.last_version().map(|version| Position { version, ordinal: u16::MAX }.sequence_number());
    Shard {
        shard_id: Some(shard.id()),
        sequence_number_range: Some(SequenceNumberRange {
            starting_sequence_number: Some(first),
            ending_sequence_number: last,
        }),
        parent_shard_id: shard.parent().map(|parent| parent.id()),
    }
}
