//! RestoreTableFromBackup.

use crate::shape::{RawJson, shape};
use crate::shapes::index::{GlobalSecondaryIndex, LocalSecondaryIndex};
use crate::shapes::limits::{BACKUP_ARN, PLAIN_TABLE_NAME};
use crate::shapes::table::{SSESpecification, TableDescription};
use crate::shapes::throughput::{BillingMode, OnDemandThroughput, ProvisionedThroughput};

shape! {
    /// The backup, and the settings of the new table that replace those in the backup.
    struct RestoreTableFromBackupInput {
        target_table_name: String = "TargetTableName", PLAIN_TABLE_NAME;
        backup_arn: String = "BackupArn", BACKUP_ARN;
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
    struct RestoreTableFromBackupOutput {
        table_description: Option<TableDescription> = "TableDescription";
    }
}
