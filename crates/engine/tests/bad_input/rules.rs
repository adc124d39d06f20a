//! Requests that are well formed and still cannot be: what goes together, what exists, what values can be.

use serde_json::{Value, json};

use crate::support::Database;

/// Sends every request and compares the kind of its error and a part of the message.
#[track_caller]
fn check_all(database: &Database, cases: &[(&str, Value, &str, &str)]) {
    for (operation, body, kind, part) in cases {
        let (told, message) = database.refused(operation, body.clone());
        assert!(
            told == *kind && message.contains(part),
            "{operation} {body}\n  {told}: {message}\n  {kind}: {part}"
        );
    }
}

const INVALID: &str = "ValidationException";
const NOT_FOUND: &str = "ResourceNotFoundException";

#[test]
fn values_that_are_none() {
    let database = crate::database();
    let put = |value: Value| json!({"TableName": "table", "Item": {"pk": {"S": "a"}, "sk": {"S": "b"}, "x": value}});
    let several = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes";
    let none = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";
    for (value, part) in [
        (json!({}), none),
        (json!({"X": "y"}), none),
        (json!({"S": "a", "N": "1"}), several),
        (json!({"SS": []}), "An string set  may not be empty"),
        (json!({"NS": []}), "An number set  may not be empty"),
        (json!({"BS": []}), "Binary sets should not be empty"),
        (json!({"SS": ["a", "a"]}), "Input collection [a, a] contains duplicates"),
        (json!({"NS": ["1", "1.0"]}), "Input collection contains duplicates"),
        (json!({"NULL": false}), "Null attribute value types must have the value of true"),
    ] {
        let (kind, message) = database.refused("PutItem", put(value.clone()));
        assert!(kind == INVALID && message.contains(part), "{value}\n  {message}\n  {part}");
    }
    for value in [json!({"B": "*"}), json!({"BS": ["a"]})] {
        assert_eq!(database.refused("PutItem", put(value)).0, "SerializationException");
    }
}

#[test]
fn what_does_not_exist() {
    let database = crate::database();
    let key = json!({"pk": {"S": "a"}, "sk": {"S": "b"}});
    let arn = "arn:aws:dynamodb:us-east-1:000000000000:table/missing";
    let stream = format!("{arn}/stream/2026-01-01T00:00:00.000");
    check_all(
        &database,
        &[
            (
                "GetItem",
                json!({"TableName": "missing", "Key": key}),
                NOT_FOUND,
                "Requested resource not found",
            ),
            (
                "PutItem",
                json!({"TableName": "missing", "Item": key}),
                NOT_FOUND,
                "Requested resource not found",
            ),
            (
                "UpdateItem",
                json!({"TableName": "missing", "Key": key}),
                NOT_FOUND,
                "Requested resource not found",
            ),
            (
                "DeleteItem",
                json!({"TableName": "missing", "Key": key}),
                NOT_FOUND,
                "Requested resource not found",
            ),
            ("Scan", json!({"TableName": "missing"}), NOT_FOUND, "Requested resource not found"),
            ("DescribeTable", json!({"TableName": "missing"}), NOT_FOUND, "Table: missing not found"),
            ("DeleteTable", json!({"TableName": "missing"}), NOT_FOUND, "Table: missing not found"),
            (
                "BatchGetItem",
                json!({"RequestItems": {"missing": {"Keys": [key]}}}),
                NOT_FOUND,
                "Requested resource not found",
            ),
            (
                "ListTagsOfResource",
                json!({"ResourceArn": arn}),
                "AccessDeniedException",
                "is not authorized to perform",
            ),
            ("DescribeStream", json!({"StreamArn": stream}), NOT_FOUND, "Stream: "),
            (
                "Scan",
                json!({"TableName": "table", "IndexName": "missing"}),
                INVALID,
                "The table does not have the specified index: missing",
            ),
            ("GetRecords", json!({"ShardIterator": "forged"}), INVALID, "Invalid ShardIterator"),
            (
                "GetRecords",
                json!({"ShardIterator": format!("{stream}|1|{}", "f".repeat(48))}),
                NOT_FOUND,
                "Requested resource not found: Stream",
            ),
            (
                "GetRecords",
                json!({"ShardIterator": format!("{stream}|1|{}", "0".repeat(48))}),
                "ExpiredIteratorException",
                "",
            ),
        ],
    );
}

#[test]
fn what_does_not_go_together() {
    let database = crate::database();
    let key = json!({"pk": {"S": "a"}, "sk": {"S": "b"}});
    let one = json!({":v": {"N": "1"}});
    check_all(
        &database,
        &[
            (
                "PutItem",
                json!({"TableName": "table", "Item": key, "ConditionExpression": "n = :v", "Expected": {}}),
                INVALID,
                "Can not use both expression and non-expression parameters in the same request",
            ),
            (
                "PutItem",
                json!({"TableName": "table", "Item": key, "ExpressionAttributeValues": one}),
                INVALID,
                "ExpressionAttributeValues can only be specified when using expressions",
            ),
            (
                "PutItem",
                json!({"TableName": "table", "Item": key, "ConditionExpression": "n = :w", "ExpressionAttributeValues": one}),
                INVALID,
                "An expression attribute value used in expression is not defined; attribute value: :w",
            ),
            (
                "PutItem",
                json!({"TableName": "table", "Item": key, "ConditionExpression": "attribute_exists(n)", "ExpressionAttributeValues": one}),
                INVALID,
                "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}",
            ),
            (
                "PutItem",
                json!({"TableName": "table", "Item": key, "ReturnValues": "ALL_NEW"}),
                INVALID,
                "ReturnValues can only be ALL_OLD or NONE",
            ),
            (
                "UpdateItem",
                json!({"TableName": "table", "Key": key, "UpdateExpression": "SET pk = :v", "ExpressionAttributeValues": one}),
                INVALID,
                "Cannot update attribute pk. This attribute is part of the key",
            ),
            (
                "UpdateItem",
                json!({"TableName": "table", "Key": key, "UpdateExpression": "SET a = :v, a.b = :v", "ExpressionAttributeValues": one}),
                INVALID,
                "Two document paths overlap with each other",
            ),
            (
                "Query",
                json!({"TableName": "table"}),
                INVALID,
                "Either the KeyConditions or KeyConditionExpression parameter must be specified",
            ),
            (
                "Query",
                json!({"TableName": "table", "KeyConditionExpression": "sk = :v", "ExpressionAttributeValues": {":v": {"S": "a"}}}),
                INVALID,
                "Query condition missed key schema element: pk",
            ),
            (
                "Query",
                json!({"TableName": "table", "KeyConditionExpression": "pk > :v", "ExpressionAttributeValues": {":v": {"S": "a"}}}),
                INVALID,
                "Query key condition not supported",
            ),
            (
                "Query",
                json!({
                    "TableName": "table", "IndexName": "global", "KeyConditionExpression": "kind = :v", "ConsistentRead": true,
                    "ExpressionAttributeValues": {":v": {"S": "a"}}
                }),
                INVALID,
                "Consistent reads are not supported on global secondary indexes",
            ),
            (
                "Query",
                json!({
                    "TableName": "table", "KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": {":v": {"S": "a"}},
                    "ExclusiveStartKey": {"pk": {"S": "other"}, "sk": {"S": "b"}}
                }),
                INVALID,
                "The provided starting key is outside query boundaries based on provided conditions",
            ),
            (
                "Scan",
                json!({"TableName": "table", "Segment": 1}),
                INVALID,
                "The TotalSegments parameter is required",
            ),
            (
                "Scan",
                json!({"TableName": "table", "Segment": 2, "TotalSegments": 2}),
                INVALID,
                "The Segment parameter is zero-based",
            ),
            ("Scan", json!({"TableName": "table", "Limit": 0}), INVALID, "1 validation error detected"),
            (
                "Scan",
                json!({"TableName": "table", "ExclusiveStartKey": {"pk": {"S": "a"}}}),
                INVALID,
                "The provided starting key is invalid",
            ),
            (
                "Scan",
                json!({"TableName": "table", "Select": "SPECIFIC_ATTRIBUTES"}),
                INVALID,
                "Must specify the AttributesToGet or ProjectionExpression",
            ),
            (
                "BatchGetItem",
                json!({"RequestItems": {"table": {"Keys": [key, key]}}}),
                INVALID,
                "Provided list of item keys contains duplicates",
            ),
            (
                "BatchWriteItem",
                json!({"RequestItems": {"table": [{"PutRequest": {"Item": key}}, {"DeleteRequest": {"Key": key}}]}}),
                INVALID,
                "Provided list of item keys contains duplicates",
            ),
            (
                "BatchWriteItem",
                json!({"RequestItems": {"table": [{}]}}),
                INVALID,
                "Supplied AttributeValue has more than one datatypes set",
            ),
            (
                "TransactWriteItems",
                json!({"TransactItems": [{"Put": {"TableName": "table", "Item": key}}, {"Delete": {"TableName": "table", "Key": key}}]}),
                INVALID,
                "Transaction request cannot include multiple operations on one item",
            ),
            (
                "TransactWriteItems",
                json!({"TransactItems": [{}]}),
                INVALID,
                "TransactItems can only contain one of Check, Put, Update or Delete",
            ),
            (
                "UpdateTable",
                json!({"TableName": "table"}),
                INVALID,
                "At least one of ProvisionedThroughput, BillingMode",
            ),
            (
                "UpdateTimeToLive",
                json!({"TableName": "table", "TimeToLiveSpecification": {"Enabled": false, "AttributeName": "ttl"}}),
                INVALID,
                "TimeToLive is already disabled",
            ),
            ("ExecuteStatement", json!({"Statement": "SELECT"}), INVALID, "Statement"),
        ],
    );
}
