//! TransactWriteItems: carries out up to 100 writes, or none of them.

use crate::shape::{StringMap, shape};
use crate::shapes::capacity::{ConsumedCapacity, ItemCollectionMetrics};
use crate::shapes::limits::CLIENT_REQUEST_TOKEN;
use crate::shapes::returns::{ReturnConsumedCapacity, ReturnItemCollectionMetrics};
use crate::shapes::transaction::TransactWriteItem;

shape! {
    /// The writes and checks of the transaction.
    struct TransactWriteItemsInput {
        return_consumed_capacity: Option<ReturnConsumedCapacity> = "ReturnConsumedCapacity";
        return_item_collection_metrics: Option<ReturnItemCollectionMetrics> = "ReturnItemCollectionMetrics";
        transact_items: Vec<TransactWriteItem> = "TransactItems", &[MinLength(1), MaxLength(100)];
        client_request_token: Option<String> = "ClientRequestToken", CLIENT_REQUEST_TOKEN;
    }
}

shape! {
    /// The consumed capacity, and the sizes of item collections.
    struct TransactWriteItemsOutput {
        consumed_capacity: Option<Vec<ConsumedCapacity>> = "ConsumedCapacity";
        item_collection_metrics: Option<StringMap<Vec<ItemCollectionMetrics>>> = "ItemCollectionMetrics";
    }
}
