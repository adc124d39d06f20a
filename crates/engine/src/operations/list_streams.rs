//! ListStreams: also those that are closed, while their records can be read.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_api::operations::{ListStreams, ListStreamsInput, ListStreamsOutput};
use sortkey_api::shapes::stream::Stream as StreamShape;

use super::Run;
use crate::engine::Shared;
use crate::reply::Reply;
use crate::stream::shard;
use crate::catalog;

const DEFAULT_LIMIT: usize = 100;

impl Run for ListStreams {
    fn run(shared: &Arc<Shared>, input: ListStreamsInput) -> Result<Reply<ListStreamsOutput>, ApiError> {
        let limit = input.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(DEFAULT_LIMIT);
        let view = shared.committer.view();
        let start = match &input.exclusive_start_stream_arn {
            Some(arn) => shard::find_stream(&view, arn)?.id,
            None => 0,
        };
        let mut streams = Vec::new();
        for stream in catalog::streams(&view) {
            let stream = stream?;
            let wanted = input.table_name.as_ref().is_none_or(|name| *name == stream.table_name);
            if wanted && stream.id > start {
                streams.push(StreamShape {
                    stream_arn: Some(shared.stream_arn(&stream.table_name, &stream.label)),
                    table_name: Some(stream.table_name),
                    stream_label: Some(stream.label),
                });
            }
        }
        let more = streams.len() > limit;
        streams.truncate(limit);
        Ok(Reply::now(ListStreamsOutput {
            last_evaluated_stream_arn: streams.last().filter(|_| more).and_then(|stream| stream.stream_arn.clone()),
            streams: Some(streams),
        }))
    }
}
