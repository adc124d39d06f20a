//! CreateTable.

use crate::shape::{RawJson, TableName, shape};
use crate::shapes::index::{GlobalSecondaryIndex, LocalSecondaryIndex};
use crate::shapes::limits::CONTROL_TABLE;
use crate::shapes::stream::StreamSpecification;
use crate::shapes::table::{AttributeDefinition, KeySchemaElement, SSESpecification, TableClass, TableDescription};
use crate::shapes::tag::Tag;
use crate::shapes::throughput::{BillingMode, OnDemandThroughput, ProvisionedThroughput, WarmThroughput};

shape! {
    /// The table to be created.
    struct CreateTableInput {
        attribute_definitions: Vec<AttributeDefinition> = "AttributeDefinitions";
        table_name: TableName = "TableName", CONTROL_TABLE;
        billing_mode: Option<BillingMode> = "BillingMode";
        provisioned_throughput: Option<ProvisionedThroughput> = "ProvisionedThroughput";
        key_schema: Vec<KeySchemaElement> = "KeySchema", &[MinLength(1), MaxLength(2)];
        local_secondary_indexes: Option<Vec<LocalSecondaryIndex>> = "LocalSecondaryIndexes";
        global_secondary_indexes: Option<Vec<GlobalSecondaryIndex>> = "GlobalSecondaryIndexes";
        stream_specification: Option<StreamSpecification> = "StreamSpecification";
        sse_specification: Option<SSESpecification> = "SSESpecification";
        tags: Option<Vec<Tag>> = "Tags";
        table_class: Option<TableClass> = "TableClass";
        deletion_protection_enabled: Option<bool> = "DeletionProtectionEnabled";
        warm_throughput: Option<WarmThroughput> = "WarmThroughput";
        resource_policy: Option<String> = "ResourcePolicy";
        on_demand_throughput: Option<OnDemandThroughput> = "OnDemandThroughput";
        /// Known, so that it can be refused: there are no other regions here.
        global_table_source_arn: Option<String> = "GlobalTableSourceArn";
        /// Known, so that it can be refused.
        global_table_settings_replication_mode: Option<String> = "GlobalTableSettingsReplicationMode";
        /// Known, so that it can be refused.
        vector_indexes: Option<RawJson> = "VectorIndexes";
    }
}

shape! {
    /// The table as it was created.
    struct CreateTableOutput {
        table_description: Option<TableDescription> = "TableDescription";
    }
}
