//! The parts of batch reads and writes.

use super::expression::ExpressionAttributeNames;
use super::limits::{ATTRIBUTE_NAMES, ATTRIBUTES_TO_GET};
use crate::attributes::SuppliedItem;
use crate::shape::shape;

shape! {
    /// The keys to read from one table, and what to return of the items.
    struct KeysAndAttributes {
        keys: Vec<SuppliedItem> = "Keys", &[Terse(&MaxLength(100)), Terse(&MinLength(1))];
        attributes_to_get: Option<Vec<String>> = "AttributesToGet", ATTRIBUTES_TO_GET;
        consistent_read: Option<bool> = "ConsistentRead";
        projection_expression: Option<String> = "ProjectionExpression";
        expression_attribute_names: Option<ExpressionAttributeNames> = "ExpressionAttributeNames", ATTRIBUTE_NAMES;
    }
}

shape! {
    /// One write of a batch; exactly one member is to be given.
    struct WriteRequest {
        delete_request: Option<DeleteRequest> = "DeleteRequest";
        put_request: Option<PutRequest> = "PutRequest";
    }
}

shape! {
    /// An item to be stored.
    struct PutRequest {
        item: SuppliedItem = "Item";
    }
}

shape! {
    /// An item to be removed.
    struct DeleteRequest {
        key: SuppliedItem = "Key";
    }
}
