//! GetRecords: reads records from a shard.

use crate::shape::shape;
use crate::shapes::stream::Record;

shape! {
    /// The position to read from, and the number of records.
    struct GetRecordsInput {
        shard_iterator: String = "ShardIterator", &[MinLength(1), MaxLength(2048)];
        limit: Option<i32> = "Limit", &[AtLeast(1), AtMost(1000)];
    }
}

shape! {
    /// A page of records.
    struct GetRecordsOutput {
        records: Vec<Record> = "Records";
        /// Absent at the end of a closed shard.
        next_shard_iterator: Option<String> = "NextShardIterator";
    }
}
