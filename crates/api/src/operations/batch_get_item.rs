//! BatchGetItem: reads up to 100 items from any number of tables.

use crate::shape::{StringMap, shape};
use crate::shapes::batch::KeysAndAttributes;
use crate::shapes::capacity::ConsumedCapacity;
use crate::shapes::returns::ReturnConsumedCapacity;
use crate::text::constraint::BATCH_GET_EMPTY;
use sortkey_value::Item;

shape! {
    /// The items to read, by table. Tables are given by name or ARN; see
    /// [`TableName::name_of`](crate::TableName::name_of).
    struct BatchGetItemInput {
        return_consumed_capacity: Option<ReturnConsumedCapacity> = "ReturnConsumedCapacity";
        request_items: StringMap<KeysAndAttributes> = "RequestItems",
            &[WhenEmpty(BATCH_GET_EMPTY), MaxLength(100), TableKeys];
    }
}

shape! {
    /// The items found, and the keys that were not looked up.
    struct BatchGetItemOutput {
        responses: Option<StringMap<Vec<Item>>> = "Responses";
        unprocessed_keys: Option<StringMap<KeysAndAttributes>> = "UnprocessedKeys";
        consumed_capacity: Option<Vec<ConsumedCapacity>> = "ConsumedCapacity";
    }
}
