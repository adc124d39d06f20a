//! RestoreTableToPointInTime.

use crate::shape::{RawJson, TableName, Timestamp, shape};
use crate::shapes::index::{GlobalSecondaryIndex, LocalSecondaryIndex};
use crate::shapes::limits::PLAIN_TABLE_NAME;
use crate::shapes::table::{SSESpecification, TableDescription};
use crate::shapes::throughput::{BillingMode, OnDemandThroughput, ProvisionedThroughput};

shape! {
    /// The source table, the time, and the settings of the new table that replace those of the source.
    struct RestoreTableToPointInTimeInput {
        source_table_arn: Option<TableName> = "SourceTableArn";
        source_table_name: Option<String> = "SourceTableName", PLAIN_TABLE_NAME;
        target_table_name: String = "TargetTableName", PLAIN_TABLE_NAME;
        use_latest_restorable_time: Option<bool> = "UseLatestRestorableTime";
        restore_date_time: Option<Timestamp> = "RestoreDateTime";
        billing_mode_override: Option<BillingMode> = "BillingModeOverride";
        global_secondary_index_override: Option<Vec<GlobalSecondaryIndex>> = "GlobalSecondaryIndexOverride";
        local_secondary_index_override: Option<Vec<LocalSecondaryIndex>> = "LocalSecondaryIndexOverride";
        provisioned_throughput_override: Option<ProvisionedThroughput> = "ProvisionedThroughputOverride";
        on_demand_throughput_override: Option<OnDemandThroughput> = "OnDemandThroughputOverride";
        sse_specification_override: Option<SSESpecification> = "SSESpecificationOverride";
        /// Known, so that it can be refused.
        vector_index_override: Option<RawJson> = "VectorIndexOverride";
    }
}

shape! {
    /// The table as it begins.
    struct RestoreTableToPointInTimeOutput {
        table_description: Option<TableDescription> = "TableDescription";
    }
}
