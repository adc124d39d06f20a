//! GetItem: reads the item with a key.

use crate::attributes::SuppliedItem;
use crate::shape::{TableName, shape};
use crate::shapes::capacity::ConsumedCapacity;
use crate::shapes::expression::ExpressionAttributeNames;
use crate::shapes::limits::{ATTRIBUTE_NAMES, ATTRIBUTES_TO_GET};
use crate::shapes::returns::ReturnConsumedCapacity;
use sortkey_value::Item;

shape! {
    /// The key of the item to read, and the attributes to return.
    struct GetItemInput {
        return_consumed_capacity: Option<ReturnConsumedCapacity> = "ReturnConsumedCapacity";
        table_name: TableName = "TableName";
        attributes_to_get: Option<Vec<String>> = "AttributesToGet", ATTRIBUTES_TO_GET;
        key: SuppliedItem = "Key";
        consistent_read: Option<bool> = "ConsistentRead";
        projection_expression: Option<String> = "ProjectionExpression";
        expression_attribute_names: Option<ExpressionAttributeNames> = "ExpressionAttributeNames", ATTRIBUTE_NAMES;
    }
}

shape! {
    /// The item, if there is one.
    struct GetItemOutput {
        item: Option<Item> = "Item";
        consumed_capacity: Option<ConsumedCapacity> = "ConsumedCapacity";
    }
}
