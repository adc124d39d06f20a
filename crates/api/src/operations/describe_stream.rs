//! DescribeStream: a stream and its shards.

use crate::shape::shape;
use crate::shapes::limits::{SHARD_ID, STREAM_ARN};
use crate::shapes::stream::{ShardFilter, StreamDescription};

shape! {
    /// The stream to describe, and the page of its shards.
    struct DescribeStreamInput {
        stream_arn: String = "StreamArn", STREAM_ARN;
        limit: Option<i32> = "Limit", &[AtLeast(1), AtMost(100)];
        exclusive_start_shard_id: Option<String> = "ExclusiveStartShardId", SHARD_ID;
        shard_filter: Option<ShardFilter> = "ShardFilter";
    }
}

shape! {
    /// The stream as it is.
    struct DescribeStreamOutput {
        stream_description: Option<StreamDescription> = "StreamDescription";
    }
}
