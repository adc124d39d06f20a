//! Secondary indexes: as they are declared, changed and described.

use super::limits::INDEX_NAME;
use super::table::{KeySchemaElement, TableStatus};
use super::throughput::{
    OnDemandThroughput, ProvisionedThroughput, ProvisionedThroughputDescription, WarmThroughput,
    WarmThroughputDescription,
};
use crate::shape::{Constraint, choices, shape};

/// A local index has a partition and a sort key, as a table has.
const LOCAL_KEY_SCHEMA: &[Constraint] = &[Constraint::MinLength(1), Constraint::MaxLength(2)];
/// A global index has up to four partition and four sort attributes.
const GLOBAL_KEY_SCHEMA: &[Constraint] = &[Constraint::MinLength(1), Constraint::MaxLength(8)];

choices! {
    /// The kind of an index's projection.
    enum ProjectionType {
        All = "ALL",
        Include = "INCLUDE",
        KeysOnly = "KEYS_ONLY",
    }
}

/// Indexes go through the same states as tables.
pub type IndexStatus = TableStatus;

shape! {
    /// The attributes that an index keeps beside its keys and the table's.
    struct Projection {
        projection_type: Option<ProjectionType> = "ProjectionType";
        non_key_attributes: Option<Vec<String>> = "NonKeyAttributes",
            &[MinLength(1), MaxLength(20), EachElement(&[MaxLength(255), MinLength(1)])];
    }
}

shape! {
    /// A local secondary index to be created.
    struct LocalSecondaryIndex {
        index_name: String = "IndexName", INDEX_NAME;
        key_schema: Vec<KeySchemaElement> = "KeySchema", LOCAL_KEY_SCHEMA;
        projection: Projection = "Projection";
    }
}

shape! {
    /// A global secondary index to be created with its table.
    struct GlobalSecondaryIndex {
        index_name: String = "IndexName", INDEX_NAME;
        key_schema: Vec<KeySchemaElement> = "KeySchema", GLOBAL_KEY_SCHEMA;
        projection: Projection = "Projection";
        provisioned_throughput: Option<ProvisionedThroughput> = "ProvisionedThroughput";
        on_demand_throughput: Option<OnDemandThroughput> = "OnDemandThroughput";
        warm_throughput: Option<WarmThroughput> = "WarmThroughput";
    }
}

shape! {
    /// One change to the global secondary indexes of a table; exactly one member is to be given.
    struct GlobalSecondaryIndexUpdate {
        update: Option<UpdateGlobalSecondaryIndexAction> = "Update";
        create: Option<CreateGlobalSecondaryIndexAction> = "Create";
        delete: Option<DeleteGlobalSecondaryIndexAction> = "Delete";
    }
}

shape! {
    /// New throughput for an index.
    struct UpdateGlobalSecondaryIndexAction {
        index_name: String = "IndexName", INDEX_NAME;
        provisioned_throughput: Option<ProvisionedThroughput> = "ProvisionedThroughput";
        on_demand_throughput: Option<OnDemandThroughput> = "OnDemandThroughput";
        warm_throughput: Option<WarmThroughput> = "WarmThroughput";
    }
}

shape! {
    /// An index to be added to a table that exists.
    struct CreateGlobalSecondaryIndexAction {
        index_name: String = "IndexName", INDEX_NAME;
        key_schema: Vec<KeySchemaElement> = "KeySchema", GLOBAL_KEY_SCHEMA;
        projection: Projection = "Projection";
        provisioned_throughput: Option<ProvisionedThroughput> = "ProvisionedThroughput";
        on_demand_throughput: Option<OnDemandThroughput> = "OnDemandThroughput";
        warm_throughput: Option<WarmThroughput> = "WarmThroughput";
    }
}

shape! {
    /// An index to be removed.
    struct DeleteGlobalSecondaryIndexAction {
        index_name: String = "IndexName", INDEX_NAME;
    }
}

shape! {
    /// A local secondary index as it is.
    struct LocalSecondaryIndexDescription {
        index_name: Option<String> = "IndexName";
        key_schema: Option<Vec<KeySchemaElement>> = "KeySchema";
        projection: Option<Projection> = "Projection";
        index_size_bytes: Option<i64> = "IndexSizeBytes";
        item_count: Option<i64> = "ItemCount";
        index_arn: Option<String> = "IndexArn";
    }
}

shape! {
    /// A global secondary index as it is.
    struct GlobalSecondaryIndexDescription {
        index_name: Option<String> = "IndexName";
        key_schema: Option<Vec<KeySchemaElement>> = "KeySchema";
        projection: Option<Projection> = "Projection";
        index_status: Option<IndexStatus> = "IndexStatus";
        backfilling: Option<bool> = "Backfilling";
        provisioned_throughput: Option<ProvisionedThroughputDescription> = "ProvisionedThroughput";
        index_size_bytes: Option<i64> = "IndexSizeBytes";
        item_count: Option<i64> = "ItemCount";
        index_arn: Option<String> = "IndexArn";
        on_demand_throughput: Option<OnDemandThroughput> = "OnDemandThroughput";
        warm_throughput: Option<WarmThroughputDescription> = "WarmThroughput";
    }
}
