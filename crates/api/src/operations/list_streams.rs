//! ListStreams.

use crate::shape::shape;
use crate::shapes::limits::{PLAIN_TABLE_NAME, STREAM_ARN};
use crate::shapes::stream::Stream;

shape! {
    /// The table whose streams to list, and the page.
    struct ListStreamsInput {
        table_name: Option<String> = "TableName", PLAIN_TABLE_NAME;
        limit: Option<i32> = "Limit", &[AtLeast(1), AtMost(100)];
        exclusive_start_stream_arn: Option<String> = "ExclusiveStartStreamArn", STREAM_ARN;
    }
}

shape! {
    /// A page of streams.
    struct ListStreamsOutput {
        streams: Option<Vec<Stream>> = "Streams";
        last_evaluated_stream_arn: Option<String> = "LastEvaluatedStreamArn";
    }
}
