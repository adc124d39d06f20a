//! UpdateTable: changes throughput, indexes, stream and settings of a table.

use crate::shape::{RawJson, TableName, shape};
use crate::shapes::index::GlobalSecondaryIndexUpdate;
use crate::shapes::limits::CONTROL_TABLE;
use crate::shapes::stream::StreamSpecification;
use crate::shapes::table::{AttributeDefinition, SSESpecification, TableClass, TableDescription};
use crate::shapes::throughput::{BillingMode, OnDemandThroughput, ProvisionedThroughput, WarmThroughput};

shape! {
    /// The changes to a table.
    struct UpdateTableInput {
        attribute_definitions: Option<Vec<AttributeDefinition>> = "AttributeDefinitions";
        table_name: TableName = "TableName", CONTROL_TABLE;
        billing_mode: Option<BillingMode> = "BillingMode";
        provisioned_throughput: Option<ProvisionedThroughput> = "ProvisionedThroughput";
        global_secondary_index_updates: Option<Vec<GlobalSecondaryIndexUpdate>> = "GlobalSecondaryIndexUpdates";
        stream_specification: Option<StreamSpecification> = "StreamSpecification";
        sse_specification: Option<SSESpecification> = "SSESpecification";
        table_class: Option<TableClass> = "TableClass";
        deletion_protection_enabled: Option<bool> = "DeletionProtectionEnabled";
        on_demand_throughput: Option<OnDemandThroughput> = "OnDemandThroughput";
        warm_throughput: Option<WarmThroughput> = "WarmThroughput";
        /// Known, so that it can be refused: there are no other regions here.
        replica_updates: Option<RawJson> = "ReplicaUpdates";
        /// Known, so that it can be refused.
        multi_region_consistency: Option<String> = "MultiRegionConsistency";
        /// Known, so that it can be refused.
        global_table_witness_updates: Option<RawJson> = "GlobalTableWitnessUpdates";
        /// Known, so that it can be refused.
        global_table_settings_replication_mode: Option<String> = "GlobalTableSettingsReplicationMode";
        /// Known, so that it can be refused.
        disassociation_protection_enabled: Option<bool> = "DisassociationProtectionEnabled";
        /// Known, so that it can be refused.
        vector_index_updates: Option<RawJson> = "VectorIndexUpdates";
    }
}

shape! {
    /// The table while it changes.
    struct UpdateTableOutput {
        table_description: Option<TableDescription> = "TableDescription";
    }
}
