//! GetShardIterator: a place in a shard from which records can be read.

use crate::shape::{Timestamp, shape};
use crate::shapes::limits::{SHARD_ID, STREAM_ARN};
use crate::shapes::stream::ShardIteratorType;

shape! {
    /// The shard, and the position in it.
    struct GetShardIteratorInput {
        stream_arn: String = "StreamArn", STREAM_ARN;
        shard_id: String = "ShardId", SHARD_ID;
        shard_iterator_type: ShardIteratorType = "ShardIteratorType";
        sequence_number: Option<String> = "SequenceNumber", &[MinLength(21), MaxLength(40)];
        timestamp: Option<Timestamp> = "Timestamp";
    }
}

shape! {
    /// The place.
    struct GetShardIteratorOutput {
        shard_iterator: Option<String> = "ShardIterator";
    }
}
