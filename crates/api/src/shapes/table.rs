//! Tables: their keys, their settings, and how they are described.

use super::index::{GlobalSecondaryIndexDescription, LocalSecondaryIndexDescription};
use super::limits::KEY_ATTRIBUTE_NAME;
use super::stream::StreamSpecification;
use super::throughput::{
    BillingModeSummary, OnDemandThroughput, ProvisionedThroughputDescription, WarmThroughputDescription,
};
use crate::shape::{Timestamp, choices, shape};

choices! {
    /// The type of a key attribute.
    enum ScalarAttributeType {
        B = "B",
        N = "N",
        S = "S",
    }
}

choices! {
    /// The role of a key attribute: partition key or sort key.
    enum KeyType {
        Hash = "HASH",
        Range = "RANGE",
    }
}

choices! {
    /// The status of a table or an index.
    enum TableStatus {
        Creating = "CREATING",
        Updating = "UPDATING",
        Deleting = "DELETING",
        Active = "ACTIVE",
        InaccessibleEncryptionCredentials = "INACCESSIBLE_ENCRYPTION_CREDENTIALS",
        Archiving = "ARCHIVING",
        Archived = "ARCHIVED",
        ReplicationNotAuthorized = "REPLICATION_NOT_AUTHORIZED",
    }
}

choices! {
    /// The price class of a table's storage.
    enum TableClass {
        Standard = "STANDARD",
        StandardInfrequentAccess = "STANDARD_INFREQUENT_ACCESS",
    }
}

choices! {
    /// The owner of the key that encrypts a table.
    enum SseType {
        Aes256 = "AES256",
        Kms = "KMS",
    }
}

choices! {
    /// The status of a change of encryption.
    enum SseStatus {
        Enabling = "ENABLING",
        Enabled = "ENABLED",
        Disabling = "DISABLING",
        Disabled = "DISABLED",
        Updating = "UPDATING",
    }
}

shape! {
    /// The type of an attribute that is part of a key.
    struct AttributeDefinition {
        attribute_name: String = "AttributeName", KEY_ATTRIBUTE_NAME;
        attribute_type: ScalarAttributeType = "AttributeType";
    }
}

shape! {
    /// An attribute of a key.
    struct KeySchemaElement {
        attribute_name: String = "AttributeName", KEY_ATTRIBUTE_NAME;
        key_type: KeyType = "KeyType";
    }
}

shape! {
    /// How a table is to be encrypted.
    struct SSESpecification {
        enabled: Option<bool> = "Enabled";
        sse_type: Option<SseType> = "SSEType";
        kms_master_key_id: Option<String> = "KMSMasterKeyId";
    }
}

shape! {
    /// How a table is encrypted.
    struct SSEDescription {
        status: Option<SseStatus> = "Status";
        sse_type: Option<SseType> = "SSEType";
        kms_master_key_arn: Option<String> = "KMSMasterKeyArn";
        inaccessible_encryption_date_time: Option<Timestamp> = "InaccessibleEncryptionDateTime";
    }
}

shape! {
    /// The price class of a table and when it changed.
    struct TableClassSummary {
        table_class: Option<TableClass> = "TableClass";
        last_update_date_time: Option<Timestamp> = "LastUpdateDateTime";
    }
}

shape! {
    /// The source of a restored table.
    struct RestoreSummary {
        source_backup_arn: Option<String> = "SourceBackupArn";
        source_table_arn: Option<String> = "SourceTableArn";
        restore_date_time: Timestamp = "RestoreDateTime";
        restore_in_progress: bool = "RestoreInProgress";
    }
}

shape! {
    /// A table as it is.
    struct TableDescription {
        attribute_definitions: Option<Vec<AttributeDefinition>> = "AttributeDefinitions";
        table_name: Option<String> = "TableName";
        key_schema: Option<Vec<KeySchemaElement>> = "KeySchema";
        table_status: Option<TableStatus> = "TableStatus";
        creation_date_time: Option<Timestamp> = "CreationDateTime";
        provisioned_throughput: Option<ProvisionedThroughputDescription> = "ProvisionedThroughput";
        table_size_bytes: Option<i64> = "TableSizeBytes";
        item_count: Option<i64> = "ItemCount";
        table_arn: Option<String> = "TableArn";
        table_id: Option<String> = "TableId";
        billing_mode_summary: Option<BillingModeSummary> = "BillingModeSummary";
        local_secondary_indexes: Option<Vec<LocalSecondaryIndexDescription>> = "LocalSecondaryIndexes";
        global_secondary_indexes: Option<Vec<GlobalSecondaryIndexDescription>> = "GlobalSecondaryIndexes";
        stream_specification: Option<StreamSpecification> = "StreamSpecification";
        latest_stream_label: Option<String> = "LatestStreamLabel";
        latest_stream_arn: Option<String> = "LatestStreamArn";
        restore_summary: Option<RestoreSummary> = "RestoreSummary";
        sse_description: Option<SSEDescription> = "SSEDescription";
        table_class_summary: Option<TableClassSummary> = "TableClassSummary";
        deletion_protection_enabled: Option<bool> = "DeletionProtectionEnabled";
        on_demand_throughput: Option<OnDemandThroughput> = "OnDemandThroughput";
        warm_throughput: Option<WarmThroughputDescription> = "WarmThroughput";
    }
}
