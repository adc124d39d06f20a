//! The capacity that a request consumed.

use crate::shape::{StringMap, shape};
use sortkey_value::Item;

shape! {
    /// The capacity units that a request consumed on one table.
    struct ConsumedCapacity {
        table_name: Option<String> = "TableName";
        capacity_units: Option<f64> = "CapacityUnits";
        read_capacity_units: Option<f64> = "ReadCapacityUnits";
        write_capacity_units: Option<f64> = "WriteCapacityUnits";
        table: Option<Capacity> = "Table";
        local_secondary_indexes: Option<StringMap<Capacity>> = "LocalSecondaryIndexes";
        global_secondary_indexes: Option<StringMap<Capacity>> = "GlobalSecondaryIndexes";
    }
}

shape! {
    /// The capacity units consumed on the table itself or on one index.
    struct Capacity {
        read_capacity_units: Option<f64> = "ReadCapacityUnits";
        write_capacity_units: Option<f64> = "WriteCapacityUnits";
        capacity_units: Option<f64> = "CapacityUnits";
    }
}

shape! {
    /// The estimated size of the item collection that a write touched.
    struct ItemCollectionMetrics {
        item_collection_key: Option<Item> = "ItemCollectionKey";
        /// Lower and upper bound, in gigabytes.
        size_estimate_range_gb: Option<Vec<f64>> = "SizeEstimateRangeGB";
    }
}
