//! Streams: their settings, their shards and their records.

use super::table::KeySchemaElement;
use crate::shape::{Timestamp, choices, shape};
use sortkey_value::Item;

choices! {
    /// The images that a stream record contains.
    enum StreamViewType {
        NewImage = "NEW_IMAGE",
        OldImage = "OLD_IMAGE",
        NewAndOldImages = "NEW_AND_OLD_IMAGES",
        KeysOnly = "KEYS_ONLY",
    }
}

choices! {
    /// The status of a stream.
    enum StreamStatus {
        Enabling = "ENABLING",
        Enabled = "ENABLED",
        Disabling = "DISABLING",
        Disabled = "DISABLED",
    }
}

choices! {
    /// The kind of a record's change.
    enum OperationType {
        Insert = "INSERT",
        Modify = "MODIFY",
        Remove = "REMOVE",
    }
}

choices! {
    /// The position in a shard at which an iterator begins.
    enum ShardIteratorType {
        AfterSequenceNumber = "AFTER_SEQUENCE_NUMBER",
        AtTimestamp = "AT_TIMESTAMP",
        Latest = "LATEST",
        TrimHorizon = "TRIM_HORIZON",
        AtSequenceNumber = "AT_SEQUENCE_NUMBER",
    }
}

choices! {
    /// The kind of a shard filter.
    enum ShardFilterType {
        ChildShards = "CHILD_SHARDS",
    }
}

shape! {
    /// Whether a table has a stream, and what its records carry.
    struct StreamSpecification {
        stream_enabled: bool = "StreamEnabled";
        stream_view_type: Option<StreamViewType> = "StreamViewType";
    }
}

shape! {
    /// A stream, in a list of streams.
    struct Stream {
        stream_arn: Option<String> = "StreamArn";
        table_name: Option<String> = "TableName";
        stream_label: Option<String> = "StreamLabel";
    }
}

shape! {
    /// A stream and a page of its shards.
    struct StreamDescription {
        stream_arn: Option<String> = "StreamArn";
        stream_label: Option<String> = "StreamLabel";
        stream_status: Option<StreamStatus> = "StreamStatus";
        stream_view_type: Option<StreamViewType> = "StreamViewType";
        creation_request_date_time: Option<Timestamp> = "CreationRequestDateTime";
        table_name: Option<String> = "TableName";
        key_schema: Option<Vec<KeySchemaElement>> = "KeySchema";
        shards: Option<Vec<Shard>> = "Shards";
        last_evaluated_shard_id: Option<String> = "LastEvaluatedShardId";
    }
}

shape! {
    /// A part of a stream, in which records are ordered.
    struct Shard {
        shard_id: Option<String> = "ShardId";
        sequence_number_range: Option<SequenceNumberRange> = "SequenceNumberRange";
        parent_shard_id: Option<String> = "ParentShardId";
    }
}

shape! {
    /// The first and, of a closed shard, the last sequence number.
    struct SequenceNumberRange {
        starting_sequence_number: Option<String> = "StartingSequenceNumber";
        ending_sequence_number: Option<String> = "EndingSequenceNumber";
    }
}

shape! {
    /// Restricts the shards that are described.
    struct ShardFilter {
        filter_type: Option<ShardFilterType> = "Type";
        shard_id: Option<String> = "ShardId", super::limits::SHARD_ID;
    }
}

shape! {
    /// One change of one item.
    struct Record {
        event_id: Option<String> = "eventID";
        event_name: Option<OperationType> = "eventName";
        event_version: Option<String> = "eventVersion";
        event_source: Option<String> = "eventSource";
        aws_region: Option<String> = "awsRegion";
        dynamodb: Option<StreamRecord> = "dynamodb";
        user_identity: Option<Identity> = "userIdentity";
    }
}

shape! {
    /// The change.
    struct StreamRecord {
        approximate_creation_date_time: Option<Timestamp> = "ApproximateCreationDateTime";
        keys: Option<Item> = "Keys";
        new_image: Option<Item> = "NewImage";
        old_image: Option<Item> = "OldImage";
        sequence_number: Option<String> = "SequenceNumber";
        size_bytes: Option<i64> = "SizeBytes";
        stream_view_type: Option<StreamViewType> = "StreamViewType";
    }
}

shape! {
    /// The originator of a change that no client made: time to live.
    struct Identity {
        principal_id: Option<String> = "PrincipalId";
        identity_type: Option<String> = "Type";
    }
}
