//! PutItem: stores an item, in the place of an earlier one with the same key.

use crate::shapes::limits::ATTRIBUTE_NAMES;
use crate::attributes::SuppliedItem;
use crate::shape::{StringMap, TableName, shape};
use crate::shapes::capacity::{ConsumedCapacity, ItemCollectionMetrics};
use crate::shapes::expression::{ExpressionAttributeNames, ExpressionAttributeValues};
use crate::shapes::legacy::{ConditionalOperator, ExpectedAttributeValue};
use crate::shapes::returns::{
    ReturnConsumedCapacity, ReturnItemCollectionMetrics, ReturnValue, ReturnValuesOnConditionCheckFailure,
};
use sortkey_value::Item;

shape! {
    /// The item to store, and the condition.
    struct PutItemInput {
        return_consumed_capacity: Option<ReturnConsumedCapacity> = "ReturnConsumedCapacity";
        table_name: TableName = "TableName";
        item: SuppliedItem = "Item";
        return_values: Option<ReturnValue> = "ReturnValues";
        return_item_collection_metrics: Option<ReturnItemCollectionMetrics> = "ReturnItemCollectionMetrics";
        expected: Option<StringMap<ExpectedAttributeValue>> = "Expected", crate::shapes::limits::BY_ATTRIBUTE;
        conditional_operator: Option<ConditionalOperator> = "ConditionalOperator";
        condition_expression: Option<String> = "ConditionExpression";
        expression_attribute_names: Option<ExpressionAttributeNames> = "ExpressionAttributeNames", ATTRIBUTE_NAMES;
        expression_attribute_values: Option<ExpressionAttributeValues> = "ExpressionAttributeValues";
        return_values_on_condition_check_failure: Option<ReturnValuesOnConditionCheckFailure> = "ReturnValuesOnConditionCheckFailure";
    }
}

shape! {
    /// The item that was replaced, if asked for.
    struct PutItemOutput {
        attributes: Option<Item> = "Attributes";
        consumed_capacity: Option<ConsumedCapacity> = "ConsumedCapacity";
        item_collection_metrics: Option<ItemCollectionMetrics> = "ItemCollectionMetrics";
    }
}
