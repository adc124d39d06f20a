//! Query.

use serde_json::{Value, json};

use crate::{database, refused_on};

const DUPLICATE: &str = "One or more parameter values were invalid: Duplicate value in attribute name: a";
const EMPTY_VALUE: &str =
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";

fn condition(operator: &str, values: Value) -> Value {
    json!({"ComparisonOperator": operator, "AttributeValueList": values})
}

#[test]
fn older_parameters_are_looked_at_one_after_the_other() {
    let no_value = json!([{}]);
    refused_on(
        &database(),
        "Query",
        "unknown",
        [
            (
                json!({
                    "QueryFilter": {"z": condition("EQ", no_value.clone())},
                    "AttributesToGet": ["a", "a"],
                    "ExclusiveStartKey": {"a": {}}
                }),
                EMPTY_VALUE,
            ),
            (
                json!({
                    "QueryFilter": {"z": condition("EQ", json!([{"S": "a"}, {"S": "b"}]))},
                    "AttributesToGet": ["a", "a"]
                }),
                "One or more parameter values were invalid: Invalid number of argument(s) for the EQ \
                 ComparisonOperator",
            ),
            (json!({"AttributesToGet": ["a", "a"], "ExclusiveStartKey": {"a": {}}}), DUPLICATE),
            (
                json!({"KeyConditions": {"a": condition("EQ", no_value.clone())}, "ExclusiveStartKey": {"a": {}}}),
                "The provided starting key is invalid: Supplied AttributeValue is empty, must contain exactly one \
                 of the supported datatypes",
            ),
            (
                json!({"FilterExpression": ""}),
                "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
            ),
            (json!({"KeyConditions": {"a": condition("EQ", no_value)}}), EMPTY_VALUE),
            (json!({"KeyConditions": {}}), "Conditions can be of length 1 or 2 only"),
        ],
    );
}

#[test]
fn expressions_are_read_in_an_order_of_their_own() {
    refused_on(
        &database(),
        "Query",
        "unknown",
        [
            (
                json!({"KeyConditionExpression": "", "FilterExpression": "", "ProjectionExpression": ""}),
                "Invalid KeyConditionExpression: The expression can not be empty;",
            ),
            // Key conditions are validated after all expressions have been parsed.
            (
                json!({
                    "KeyConditionExpression": "attribute_exists(a)",
                    "FilterExpression": "",
                    "ProjectionExpression": ""
                }),
                "Invalid FilterExpression: The expression can not be empty;",
            ),
            (
                json!({"KeyConditionExpression": "attribute_exists(a)", "ProjectionExpression": ""}),
                "Invalid ProjectionExpression: The expression can not be empty;",
            ),
            (
                json!({"KeyConditionExpression": "attribute_exists(a)"}),
                "Invalid operator used in KeyConditionExpression: attribute_exists",
            ),
        ],
    );
}

#[test]
fn select_must_fit_the_rest_of_the_request() {
    let select = |select: &str, more: Value| {
        let mut body = json!({
            "KeyConditionExpression": "a = :a",
            "ExpressionAttributeValues": {":a": {"S": "x"}},
            "Select": select
        });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    refused_on(
        &database(),
        "Query",
        "range",
        [
            (
                select("SPECIFIC_ATTRIBUTES", json!({})),
                "One or more parameter values were invalid: Must specify the AttributesToGet or \
                 ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
            ),
            (
                select("COUNT", json!({"ProjectionExpression": "a"})),
                "Cannot specify the ProjectionExpression when choosing to get only the Count",
            ),
            (
                select("ALL_ATTRIBUTES", json!({"ProjectionExpression": "a"})),
                "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES",
            ),
            (
                select("ALL_PROJECTED_ATTRIBUTES", json!({})),
                "One or more parameter values were invalid: ALL_PROJECTED_ATTRIBUTES can be used only when \
                 Querying using an IndexName",
            ),
        ],
    );
}

#[test]
fn filters_are_looked_at_before_what_an_index_keeps() {
    let query = |filter: &str| {
        json!({
            "IndexName": "sparse",
            "Select": "ALL_ATTRIBUTES",
            "KeyConditionExpression": "c = :x",
            "FilterExpression": filter,
            "ExpressionAttributeValues": {":x": {"S": "x"}}
        })
    };
    refused_on(
        &database(),
        "Query",
        "range",
        [
            (
                query("attribute_exists(c)"),
                "Filter Expression can only contain non-primary key attributes: Primary key attribute: c",
            ),
            (
                query("attribute_exists(d.x)"),
                "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global \
                 secondary index sparse because its projection type is not ALL",
            ),
        ],
    );
}

#[test]
fn conditions_are_held_against_the_key() {
    let query = |condition: &str| json!({"KeyConditionExpression": condition, "ExpressionAttributeValues": {":x": {"S": "x"}}});
    let numeric = json!({"KeyConditionExpression": "a = :x AND z = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}});
    refused_on(
        &database(),
        "Query",
        "range",
        [
            (query("b = :x"), "Query condition missed key schema element: a"),
            (query("a > :x"), "Query key condition not supported"),
            (query("a = :x AND z = :x"), "Query condition missed key schema element: b"),
            // The partition attribute is done with before a sort attribute is missed.
            (
                numeric,
                "One or more parameter values were invalid: Condition parameter type does not match schema type",
            ),
        ],
    );
}
