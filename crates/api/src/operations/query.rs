//! Query: reads the items of one partition key, in the order of their sort keys.

use crate::attributes::SuppliedItem;
use crate::shape::{StringMap, TableName, shape};
use crate::shapes::capacity::ConsumedCapacity;
use crate::shapes::expression::{ExpressionAttributeNames, ExpressionAttributeValues};
use crate::shapes::legacy::{Condition, ConditionalOperator};
use crate::shapes::limits::{ATTRIBUTE_NAMES, ATTRIBUTES_TO_GET, INDEX_NAME};
use crate::shapes::returns::{ReturnConsumedCapacity, Select};
use sortkey_value::Item;

shape! {
    /// The key condition, the filter, and the attributes to return.
    struct QueryInput {
        select: Option<Select> = "Select";
        index_name: Option<String> = "IndexName", INDEX_NAME;
        return_consumed_capacity: Option<ReturnConsumedCapacity> = "ReturnConsumedCapacity";
        query_filter: Option<StringMap<Condition>> = "QueryFilter", crate::shapes::limits::BY_ATTRIBUTE;
        table_name: TableName = "TableName";
        conditional_operator: Option<ConditionalOperator> = "ConditionalOperator";
        attributes_to_get: Option<Vec<String>> = "AttributesToGet", ATTRIBUTES_TO_GET;
        limit: Option<i32> = "Limit", &[Terse(&AtLeast(1))];
        key_conditions: Option<StringMap<Condition>> = "KeyConditions", crate::shapes::limits::BY_ATTRIBUTE;
        exclusive_start_key: Option<SuppliedItem> = "ExclusiveStartKey";
        consistent_read: Option<bool> = "ConsistentRead";
        scan_index_forward: Option<bool> = "ScanIndexForward";
        projection_expression: Option<String> = "ProjectionExpression";
        filter_expression: Option<String> = "FilterExpression";
        key_condition_expression: Option<String> = "KeyConditionExpression";
        expression_attribute_names: Option<ExpressionAttributeNames> = "ExpressionAttributeNames", ATTRIBUTE_NAMES;
        expression_attribute_values: Option<ExpressionAttributeValues> = "ExpressionAttributeValues";
    }
}

shape! {
    /// A page of items.
    struct QueryOutput {
        /// Absent when only the count was asked for.
        items: Option<Vec<Item>> = "Items";
        count: i32 = "Count";
        scanned_count: i32 = "ScannedCount";
        last_evaluated_key: Option<Item> = "LastEvaluatedKey";
        consumed_capacity: Option<ConsumedCapacity> = "ConsumedCapacity";
    }
}

impl QueryInput {
    /// The query with all items that its filter would leave out. The filter stays a part of it, since DynamoDB refuses names and
    /// values that no expression uses.
    pub fn unfiltered(mut self) -> QueryInput {
        let always = |filter: String| format!("({filter}) OR attribute_exists(anything) OR attribute_not_exists(anything)");
        self.filter_expression = self.filter_expression.map(always);
        self
    }
}
