//! Backups of tables, as they are described.

use super::index::Projection;
use super::stream::StreamSpecification;
use super::table::{KeySchemaElement, SSEDescription};
use super::throughput::{BillingMode, OnDemandThroughput, ProvisionedThroughputDescription};
use super::time_to_live::TimeToLiveDescription;
use crate::shape::{Timestamp, choices, shape};

choices! {
    /// The status of a backup.
    enum BackupStatus {
        Creating = "CREATING",
        Deleted = "DELETED",
        Available = "AVAILABLE",
    }
}

choices! {
    /// The originator of a backup.
    enum BackupType {
        User = "USER",
        System = "SYSTEM",
        AwsBackup = "AWS_BACKUP",
    }
}

choices! {
    /// The kind of backups to list.
    enum BackupTypeFilter {
        User = "USER",
        System = "SYSTEM",
        AwsBackup = "AWS_BACKUP",
        All = "ALL",
    }
}

shape! {
    /// A backup, without what it is of.
    struct BackupDetails {
        backup_arn: String = "BackupArn";
        backup_name: String = "BackupName";
        backup_size_bytes: Option<i64> = "BackupSizeBytes";
        backup_status: BackupStatus = "BackupStatus";
        backup_type: BackupType = "BackupType";
        backup_creation_date_time: Timestamp = "BackupCreationDateTime";
        backup_expiry_date_time: Option<Timestamp> = "BackupExpiryDateTime";
    }
}

shape! {
    /// A backup and the table it is of.
    struct BackupDescription {
        backup_details: Option<BackupDetails> = "BackupDetails";
        source_table_details: Option<SourceTableDetails> = "SourceTableDetails";
        source_table_feature_details: Option<SourceTableFeatureDetails> = "SourceTableFeatureDetails";
    }
}

shape! {
    /// A table as it was when it was backed up.
    struct SourceTableDetails {
        table_name: String = "TableName";
        table_id: String = "TableId";
        table_arn: Option<String> = "TableArn";
        table_size_bytes: Option<i64> = "TableSizeBytes";
        key_schema: Vec<KeySchemaElement> = "KeySchema";
        table_creation_date_time: Timestamp = "TableCreationDateTime";
        provisioned_throughput: ProvisionedThroughputDescription = "ProvisionedThroughput";
        on_demand_throughput: Option<OnDemandThroughput> = "OnDemandThroughput";
        item_count: Option<i64> = "ItemCount";
        billing_mode: Option<BillingMode> = "BillingMode";
    }
}

shape! {
    /// The features of a table, besides its items, when it was backed up.
    struct SourceTableFeatureDetails {
        local_secondary_indexes: Option<Vec<LocalSecondaryIndexInfo>> = "LocalSecondaryIndexes";
        global_secondary_indexes: Option<Vec<GlobalSecondaryIndexInfo>> = "GlobalSecondaryIndexes";
        stream_description: Option<StreamSpecification> = "StreamDescription";
        time_to_live_description: Option<TimeToLiveDescription> = "TimeToLiveDescription";
        sse_description: Option<SSEDescription> = "SSEDescription";
    }
}

shape! {
    /// A local index when its table was backed up.
    struct LocalSecondaryIndexInfo {
        index_name: Option<String> = "IndexName";
        key_schema: Option<Vec<KeySchemaElement>> = "KeySchema";
        projection: Option<Projection> = "Projection";
    }
}

shape! {
    /// A global index when its table was backed up.
    struct GlobalSecondaryIndexInfo {
        index_name: Option<String> = "IndexName";
        key_schema: Option<Vec<KeySchemaElement>> = "KeySchema";
        projection: Option<Projection> = "Projection";
        provisioned_throughput: Option<ProvisionedThroughputDescription> = "ProvisionedThroughput";
        on_demand_throughput: Option<OnDemandThroughput> = "OnDemandThroughput";
    }
}

shape! {
    /// A backup in a list.
    struct BackupSummary {
        table_name: Option<String> = "TableName";
        table_id: Option<String> = "TableId";
        table_arn: Option<String> = "TableArn";
        backup_arn: Option<String> = "BackupArn";
        backup_name: Option<String> = "BackupName";
        backup_creation_date_time: Option<Timestamp> = "BackupCreationDateTime";
        backup_expiry_date_time: Option<Timestamp> = "BackupExpiryDateTime";
        backup_status: Option<BackupStatus> = "BackupStatus";
        backup_type: Option<BackupType> = "BackupType";
        backup_size_bytes: Option<i64> = "BackupSizeBytes";
    }
}
