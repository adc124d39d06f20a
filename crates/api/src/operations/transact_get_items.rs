//! TransactGetItems: reads up to 100 items as they are at one moment.

use crate::shape::shape;
use crate::shapes::capacity::ConsumedCapacity;
use crate::shapes::returns::ReturnConsumedCapacity;
use crate::shapes::transaction::{ItemResponse, TransactGetItem};

shape! {
    /// The items to read.
    struct TransactGetItemsInput {
        return_consumed_capacity: Option<ReturnConsumedCapacity> = "ReturnConsumedCapacity";
        transact_items: Vec<TransactGetItem> = "TransactItems", &[MinLength(1), MaxLength(100)];
    }
}

shape! {
    /// One response per read, in order.
    struct TransactGetItemsOutput {
        consumed_capacity: Option<Vec<ConsumedCapacity>> = "ConsumedCapacity";
        responses: Option<Vec<ItemResponse>> = "Responses";
    }
}
