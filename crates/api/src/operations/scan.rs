//! Scan: reads a whole table or index, or one segment of it.

use crate::attributes::SuppliedItem;
use crate::shape::{StringMap, TableName, shape};
use crate::shapes::capacity::ConsumedCapacity;
use crate::shapes::expression::{ExpressionAttributeNames, ExpressionAttributeValues};
use crate::shapes::legacy::{Condition, ConditionalOperator};
use crate::shapes::limits::{ATTRIBUTE_NAMES, ATTRIBUTES_TO_GET, INDEX_NAME, POSITIVE};
use crate::shapes::returns::{ReturnConsumedCapacity, Select};
use sortkey_value::Item;

shape! {
    /// The table or index to read, the filter, and the attributes to return.
    struct ScanInput {
        select: Option<Select> = "Select";
        index_name: Option<String> = "IndexName", INDEX_NAME;
        total_segments: Option<i32> = "TotalSegments", &[AtLeast(1), AtMost(1_000_000)];
        return_consumed_capacity: Option<ReturnConsumedCapacity> = "ReturnConsumedCapacity";
        table_name: TableName = "TableName";
        conditional_operator: Option<ConditionalOperator> = "ConditionalOperator";
        scan_filter: Option<StringMap<Condition>> = "ScanFilter", crate::shapes::limits::BY_ATTRIBUTE;
        segment: Option<i32> = "Segment", &[AtLeast(0), AtMost(999_999)];
        limit: Option<i32> = "Limit", POSITIVE;
        attributes_to_get: Option<Vec<String>> = "AttributesToGet", ATTRIBUTES_TO_GET;
        exclusive_start_key: Option<SuppliedItem> = "ExclusiveStartKey";
        consistent_read: Option<bool> = "ConsistentRead";
        projection_expression: Option<String> = "ProjectionExpression";
        filter_expression: Option<String> = "FilterExpression";
        expression_attribute_names: Option<ExpressionAttributeNames> = "ExpressionAttributeNames", ATTRIBUTE_NAMES;
        expression_attribute_values: Option<ExpressionAttributeValues> = "ExpressionAttributeValues";
    }
}

shape! {
    /// A page of items.
    struct ScanOutput {
        /// Absent when only the count was asked for.
        items: Option<Vec<Item>> = "Items";
        count: i32 = "Count";
        scanned_count: i32 = "ScannedCount";
        last_evaluated_key: Option<Item> = "LastEvaluatedKey";
        consumed_capacity: Option<ConsumedCapacity> = "ConsumedCapacity";
    }
}
