//! GetItem, PutItem, UpdateItem and DeleteItem.

use serde_json::{Value, json};

use crate::{database, refused_on};

const EMPTY_VALUE: &str =
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";
const NOT_THE_SCHEMA: &str = "The provided key element does not match the schema";
const EMPTY_CONDITION: &str = "Invalid ConditionExpression: The expression can not be empty;";

#[test]
fn a_put_is_looked_at_from_the_outside_in() {
    let large = "x".repeat(409_600);
    let item = json!({"a": {"S": "x"}});
    let no_value = json!({"z": {"Value": {}}});
    refused_on(
        &database(),
        "PutItem",
        "unknown",
        [
            (
                json!({"Item": {"a": {}}, "Expected": {}, "ConditionExpression": ""}),
                "Can not use both expression and non-expression parameters in the same request: Non-expression \
                 parameters: {Expected} Expression parameters: {ConditionExpression}",
            ),
            (
                json!({"Item": {"a": {}}, "ExpressionAttributeNames": {"#a": "a"}}),
                "ExpressionAttributeNames can only be specified when using expressions",
            ),
            (
                json!({"Item": {"a": {}}, "ExpressionAttributeValues": {":a": {"S": "x"}}}),
                "ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null",
            ),
            (json!({"Item": {"a": {}}, "ReturnValues": "ALL_NEW"}), EMPTY_VALUE),
            (
                json!({"Item": {"a": {"S": large}}, "ReturnValues": "ALL_NEW"}),
                "ReturnValues can only be ALL_OLD or NONE",
            ),
            (
                json!({"Item": {"a": {"S": large}}, "Expected": no_value}),
                "Item size has exceeded the maximum allowed size",
            ),
            (json!({"Item": item, "Expected": no_value}), EMPTY_VALUE),
            (json!({"Item": item, "ConditionExpression": ""}), EMPTY_CONDITION),
        ],
    );
}

#[test]
fn an_item_has_its_key() {
    let item = |item: Value| json!({"Item": item});
    refused_on(
        &database(),
        "PutItem",
        "range",
        [
            (item(json!({})), "One or more parameter values were invalid: Missing the key a in the item"),
            (
                item(json!({"a": {"S": "x"}})),
                "One or more parameter values were invalid: Missing the key b in the item",
            ),
            (
                item(json!({"a": {"N": "1"}})),
                "One or more parameter values were invalid: Type mismatch for key a expected: S actual: N",
            ),
            (
                item(json!({"a": {"S": ""}})),
                "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain \
                 an empty string value. Key: a",
            ),
            (
                item(json!({"a": {"S": "x".repeat(2049)}, "b": {"S": "x"}})),
                "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit \
                 of2048 bytes",
            ),
            (
                item(json!({"a": {"S": "x"}, "b": {"S": "x".repeat(1025)}})),
                "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size \
                 limit of 1024 bytes",
            ),
            (
                item(json!({"a": {"S": "x"}, "b": {"S": "x"}, "c": {"BOOL": true}})),
                "One or more parameter values were invalid: Type mismatch for Index Key c Expected: S Actual: BOOL \
                 IndexName: local",
            ),
        ],
    );
}

#[test]
fn a_key_is_the_key_and_nothing_else() {
    let database = database();
    for operation in ["GetItem", "UpdateItem", "DeleteItem"] {
        refused_on(
            &database,
            operation,
            "range",
            [
                (json!({"Key": {}}), NOT_THE_SCHEMA),
                (json!({"Key": {"a": {"S": "x"}}}), NOT_THE_SCHEMA),
                (json!({"Key": {"a": {"S": "x"}, "z": {"S": "x"}}}), NOT_THE_SCHEMA),
                (json!({"Key": {"a": {"S": "x"}, "b": {"N": "1"}}}), NOT_THE_SCHEMA),
                (json!({"Key": {"a": {"S": "x"}, "b": {"S": "x"}, "c": {"S": "x"}}}), NOT_THE_SCHEMA),
            ],
        );
    }
}

#[test]
fn a_get_is_looked_at_from_the_outside_in() {
    let key = json!({"a": {"S": "x"}});
    refused_on(
        &database(),
        "GetItem",
        "unknown",
        [
            (
                json!({"Key": {"a": {}}, "AttributesToGet": ["a"], "ProjectionExpression": ""}),
                "Can not use both expression and non-expression parameters in the same request: Non-expression \
                 parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}",
            ),
            (json!({"Key": {"a": {}}, "AttributesToGet": ["a", "a"]}), EMPTY_VALUE),
            (
                json!({"Key": key, "AttributesToGet": ["a", "a"]}),
                "One or more parameter values were invalid: Duplicate value in attribute name: a",
            ),
            (
                json!({"Key": key, "ProjectionExpression": "a, b.c, b"}),
                "Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite \
                 one of these paths; path one: [b, c], path two: [b]",
            ),
        ],
    );
}

#[test]
fn an_update_leaves_the_key_alone() {
    let update =
        |update: &str| json!({"Key": {"a": {"S": "x"}, "b": {"S": "x"}}, "UpdateExpression": update});
    refused_on(
        &database(),
        "UpdateItem",
        "range",
        [
            (
                update("REMOVE b"),
                "One or more parameter values were invalid: Cannot update attribute b. This attribute is part of \
                 the key",
            ),
            (
                update("REMOVE d.x, a.x"),
                "One or more parameter values were invalid: Cannot update attribute a. This attribute is part of \
                 the key",
            ),
            (
                update("REMOVE d.x"),
                "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: \
                 IndexKey: d",
            ),
        ],
    );
}

#[test]
fn a_table_that_is_not_there() {
    let database = database();
    let key = json!({"a": {"S": "x"}});
    for (operation, body) in [
        ("GetItem", json!({"TableName": "unknown", "Key": key})),
        ("DeleteItem", json!({"TableName": "unknown", "Key": key})),
        ("UpdateItem", json!({"TableName": "unknown", "Key": key})),
        ("PutItem", json!({"TableName": "unknown", "Item": key})),
        ("Scan", json!({"TableName": "unknown"})),
        ("BatchGetItem", json!({"RequestItems": {"unknown": {"Keys": [key]}}})),
        ("BatchWriteItem", json!({"RequestItems": {"unknown": [{"DeleteRequest": {"Key": key}}]}})),
        ("TransactGetItems", json!({"TransactItems": [{"Get": {"TableName": "unknown", "Key": key}}]})),
        ("TransactWriteItems", json!({"TransactItems": [{"Delete": {"TableName": "unknown", "Key": key}}]})),
    ] {
        let expected = ("ResourceNotFoundException", "Requested resource not found".to_owned());
        assert_eq!(database.refused(operation, body), expected, "{operation}");
    }
}

#[test]
fn every_attribute_has_a_name() {
    const EMPTY: &str = "One or more parameter values were invalid: Empty attribute name";
    let database = database();
    let key = json!({"a": {"S": "x"}});
    let item = json!({"a": {"S": "x"}, "": {"S": "x"}});
    refused_on(&database, "PutItem", "hash", [(json!({"Item": item}), EMPTY)]);
    refused_on(&database, "GetItem", "hash", [(json!({"Key": key, "AttributesToGet": [""]}), EMPTY)]);
    let updates = json!({"": {"Value": {"S": "x"}}});
    refused_on(&database, "UpdateItem", "hash", [(json!({"Key": key, "AttributeUpdates": updates}), EMPTY)]);
}

#[test]
fn a_conditional_operator_joins_something() {
    let without = "ConditionalOperator cannot be used without Filter or Expected";
    let item = json!({"a": {"S": "x"}});
    let database = database();
    for (operation, body) in [
        ("PutItem", json!({"Item": item, "ConditionalOperator": "OR"})),
        ("DeleteItem", json!({"Key": item, "ConditionalOperator": "AND"})),
        ("UpdateItem", json!({"Key": item, "ConditionalOperator": "AND"})),
        ("Scan", json!({"ConditionalOperator": "AND"})),
    ] {
        refused_on(&database, operation, "hash", [(body, without)]);
    }
}

#[test]
fn a_sum_with_too_many_digits_is_told_to_be_too_large() {
    let update = json!({
        "Key": {"a": {"S": "x"}},
        "UpdateExpression": "SET n = :one + :other",
        "ExpressionAttributeValues": {":one": {"N": "1E50"}, ":other": {"N": "1"}}
    });
    let overflow = "Number overflow. Attempting to store a number with magnitude larger than supported range";
    refused_on(&database(), "UpdateItem", "hash", [(update, overflow)]);
}
