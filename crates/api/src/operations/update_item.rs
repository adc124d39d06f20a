//! UpdateItem: changes attributes of the item with a key, or creates it.

use crate::shapes::limits::ATTRIBUTE_NAMES;
use crate::attributes::SuppliedItem;
use crate::shape::{StringMap, TableName, shape};
use crate::shapes::capacity::{ConsumedCapacity, ItemCollectionMetrics};
use crate::shapes::expression::{ExpressionAttributeNames, ExpressionAttributeValues};
use crate::shapes::legacy::{AttributeValueUpdate, ConditionalOperator, ExpectedAttributeValue};
use crate::shapes::returns::{
    ReturnConsumedCapacity, ReturnItemCollectionMetrics, ReturnValue, ReturnValuesOnConditionCheckFailure,
};
use sortkey_value::Item;

shape! {
    /// The key of the item to change, the update and the condition.
    struct UpdateItemInput {
        return_consumed_capacity: Option<ReturnConsumedCapacity> = "ReturnConsumedCapacity";
        table_name: TableName = "TableName";
        return_item_collection_metrics: Option<ReturnItemCollectionMetrics> = "ReturnItemCollectionMetrics";
        return_values: Option<ReturnValue> = "ReturnValues";
        key: SuppliedItem = "Key";
        attribute_updates: Option<StringMap<AttributeValueUpdate>> = "AttributeUpdates", crate::shapes::limits::BY_ATTRIBUTE;
        expected: Option<StringMap<ExpectedAttributeValue>> = "Expected", crate::shapes::limits::BY_ATTRIBUTE;
        conditional_operator: Option<ConditionalOperator> = "ConditionalOperator";
        update_expression: Option<String> = "UpdateExpression";
        condition_expression: Option<String> = "ConditionExpression";
        expression_attribute_names: Option<ExpressionAttributeNames> = "ExpressionAttributeNames", ATTRIBUTE_NAMES;
        expression_attribute_values: Option<ExpressionAttributeValues> = "ExpressionAttributeValues";
        return_values_on_condition_check_failure: Option<ReturnValuesOnConditionCheckFailure> = "ReturnValuesOnConditionCheckFailure";
    }
}

shape! {
    /// The image of the item that was asked for.
    struct UpdateItemOutput {
        attributes: Option<Item> = "Attributes";
        consumed_capacity: Option<ConsumedCapacity> = "ConsumedCapacity";
        item_collection_metrics: Option<ItemCollectionMetrics> = "ItemCollectionMetrics";
    }
}
