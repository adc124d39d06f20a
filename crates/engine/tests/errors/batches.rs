//! BatchGetItem and BatchWriteItem.

use serde_json::{Value, json};

use crate::{database, refused};

const EMPTY_VALUE: &str =
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";
const DUPLICATES: &str = "Provided list of item keys contains duplicates";
const NOT_THE_SCHEMA: &str = "The provided key element does not match the schema";

#[test]
fn keys_are_compared_before_their_table_is_looked_for() {
    let get = |more: Value| {
        let mut request = json!({"Keys": [{"a": {"S": "x"}}, {"a": {"S": "x"}}]});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"RequestItems": {"unknown": request}})
    };
    refused(
        &database(),
        "BatchGetItem",
        [
            (
                get(json!({"AttributesToGet": ["a", "a"]})),
                "One or more parameter values were invalid: Duplicate value in attribute name: a",
            ),
            (
                get(json!({"ProjectionExpression": ""})),
                "Invalid ProjectionExpression: The expression can not be empty;",
            ),
            (get(json!({})), DUPLICATES),
            (get(json!({"Keys": [{"a": {}}, {"a": {"S": "x"}}, {"a": {"S": "x"}}]})), EMPTY_VALUE),
            // Numbers are the same however they are written.
            (get(json!({"Keys": [{"a": {"N": "1"}}, {"a": {"N": "1.0"}}]})), DUPLICATES),
        ],
    );
}

#[test]
fn all_tables_together_name_a_hundred_keys() {
    let keys = |from: usize| -> Value {
        (from..from + 60).map(|number| json!({"a": {"N": number.to_string()}})).collect()
    };
    let tables = json!({"one": {"Keys": keys(0)}, "two": {"Keys": keys(60)}});
    refused(
        &database(),
        "BatchGetItem",
        [(json!({"RequestItems": tables}), "Too many items requested for the BatchGetItem call")],
    );
}

#[test]
fn a_write_request_is_one_thing() {
    let write = |request: Value| json!({"RequestItems": {"unknown": [request]}});
    let not_one = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported \
                   datatypes";
    let (put, delete) = (json!({"Item": {"a": {"S": "x"}}}), json!({"Key": {"a": {"S": "x"}}}));
    refused(
        &database(),
        "BatchWriteItem",
        [
            (write(json!({})), not_one),
            (write(json!({"PutRequest": put, "DeleteRequest": delete})), not_one),
            (write(json!({"PutRequest": {"Item": {"a": {}}}})), EMPTY_VALUE),
            (write(json!({"DeleteRequest": {"Key": {"a": {}}}})), EMPTY_VALUE),
        ],
    );
}

#[test]
fn an_item_without_its_key_is_a_key_that_is_wrong() {
    let put = |item: Value| json!({"RequestItems": {"range": [{"PutRequest": {"Item": item}}]}});
    let both = json!({"a": {"S": "x"}, "b": {"S": "x"}});
    let twice = json!([{"PutRequest": {"Item": both}}, {"DeleteRequest": {"Key": both}}]);
    refused(
        &database(),
        "BatchWriteItem",
        [
            (put(json!({})), NOT_THE_SCHEMA),
            (put(json!({"a": {"S": "x"}})), NOT_THE_SCHEMA),
            (put(json!({"a": {"N": "1"}, "b": {"S": "x"}})), NOT_THE_SCHEMA),
            (
                put(json!({"a": {"S": "x"}, "b": {"S": "x"}, "c": {"N": "1"}})),
                "One or more parameter values were invalid: Type mismatch for Index Key c Expected: S Actual: N \
                 IndexName: local",
            ),
            (json!({"RequestItems": {"range": twice}}), DUPLICATES),
        ],
    );
}
