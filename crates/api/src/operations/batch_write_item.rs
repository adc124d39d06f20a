//! BatchWriteItem: puts and deletes up to 25 items in any number of tables.

use crate::shape::{StringMap, shape};
use crate::shapes::batch::WriteRequest;
use crate::shapes::capacity::{ConsumedCapacity, ItemCollectionMetrics};
use crate::shapes::returns::{ReturnConsumedCapacity, ReturnItemCollectionMetrics};
use crate::text::constraint::BATCH_WRITE_EMPTY;

shape! {
    /// The writes, by table. Tables are given by name or ARN; see [`TableName::name_of`](crate::TableName::name_of).
    struct BatchWriteItemInput {
        return_consumed_capacity: Option<ReturnConsumedCapacity> = "ReturnConsumedCapacity";
        return_item_collection_metrics: Option<ReturnItemCollectionMetrics> = "ReturnItemCollectionMetrics";
        request_items: StringMap<Vec<WriteRequest>> = "RequestItems",
            &[WhenEmpty(BATCH_WRITE_EMPTY), MaxLength(25), TableKeys, EachValue(&[MaxLength(25), MinLength(1)])];
    }
}

shape! {
    /// The writes that were not carried out.
    struct BatchWriteItemOutput {
        unprocessed_items: Option<StringMap<Vec<WriteRequest>>> = "UnprocessedItems";
        item_collection_metrics: Option<StringMap<Vec<ItemCollectionMetrics>>> = "ItemCollectionMetrics";
        consumed_capacity: Option<Vec<ConsumedCapacity>> = "ConsumedCapacity";
    }
}
