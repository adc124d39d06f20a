//! The parts of transactions.

use super::expression::{ExpressionAttributeNames, ExpressionAttributeValues};
use super::returns::ReturnValuesOnConditionCheckFailure;
use crate::attributes::SuppliedItem;
use crate::shape::{TableName, shape};
use crate::shapes::limits::ATTRIBUTE_NAMES;
use sortkey_value::Item;

shape! {
    /// One read of a transaction.
    struct TransactGetItem {
        get: Get = "Get";
    }
}

shape! {
    /// The item to read.
    struct Get {
        key: SuppliedItem = "Key";
        table_name: TableName = "TableName";
        projection_expression: Option<String> = "ProjectionExpression";
        expression_attribute_names: Option<ExpressionAttributeNames> = "ExpressionAttributeNames", ATTRIBUTE_NAMES;
    }
}

shape! {
    /// One write or check of a transaction; exactly one member is to be given.
    struct TransactWriteItem {
        condition_check: Option<ConditionCheck> = "ConditionCheck";
        put: Option<Put> = "Put";
        delete: Option<Delete> = "Delete";
        update: Option<Update> = "Update";
    }
}

shape! {
    /// A condition on an item that is not written.
    struct ConditionCheck {
        key: SuppliedItem = "Key";
        table_name: TableName = "TableName";
        condition_expression: String = "ConditionExpression";
        expression_attribute_names: Option<ExpressionAttributeNames> = "ExpressionAttributeNames", ATTRIBUTE_NAMES;
        expression_attribute_values: Option<ExpressionAttributeValues> = "ExpressionAttributeValues";
        return_values_on_condition_check_failure: Option<ReturnValuesOnConditionCheckFailure> = "ReturnValuesOnConditionCheckFailure";
    }
}

shape! {
    /// An item to be stored.
    struct Put {
        item: SuppliedItem = "Item";
        table_name: TableName = "TableName";
        condition_expression: Option<String> = "ConditionExpression";
        expression_attribute_names: Option<ExpressionAttributeNames> = "ExpressionAttributeNames", ATTRIBUTE_NAMES;
        expression_attribute_values: Option<ExpressionAttributeValues> = "ExpressionAttributeValues";
        return_values_on_condition_check_failure: Option<ReturnValuesOnConditionCheckFailure> = "ReturnValuesOnConditionCheckFailure";
    }
}

shape! {
    /// An item to be removed.
    struct Delete {
        key: SuppliedItem = "Key";
        table_name: TableName = "TableName";
        condition_expression: Option<String> = "ConditionExpression";
        expression_attribute_names: Option<ExpressionAttributeNames> = "ExpressionAttributeNames", ATTRIBUTE_NAMES;
        expression_attribute_values: Option<ExpressionAttributeValues> = "ExpressionAttributeValues";
        return_values_on_condition_check_failure: Option<ReturnValuesOnConditionCheckFailure> = "ReturnValuesOnConditionCheckFailure";
    }
}

shape! {
    /// An item to be changed.
    struct Update {
        key: SuppliedItem = "Key";
        update_expression: String = "UpdateExpression";
        table_name: TableName = "TableName";
        condition_expression: Option<String> = "ConditionExpression";
        expression_attribute_names: Option<ExpressionAttributeNames> = "ExpressionAttributeNames", ATTRIBUTE_NAMES;
        expression_attribute_values: Option<ExpressionAttributeValues> = "ExpressionAttributeValues";
        return_values_on_condition_check_failure: Option<ReturnValuesOnConditionCheckFailure> = "ReturnValuesOnConditionCheckFailure";
    }
}

shape! {
    /// The result of one read of a transaction; empty if there is no such item.
    struct ItemResponse {
        item: Option<Item> = "Item";
    }
}
