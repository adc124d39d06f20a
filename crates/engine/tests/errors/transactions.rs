//! TransactGetItems and TransactWriteItems: what concerns the request as a whole, and what one of its parts.

use serde_json::{Value, json};

use crate::{database, refused};

fn transaction(parts: Value) -> Value {
    json!({"TransactItems": parts})
}

#[test]
fn a_request_with_a_fault_is_refused_as_a_whole() {
    let (known, unknown) = (json!({"a": {"S": "x"}}), json!({"TableName": "unknown", "Item": {"a": {}}}));
    let put = json!({"TableName": "hash", "Item": known});
    let delete = json!({"TableName": "hash", "Key": known});
    let one_each = "TransactItems can only contain one of Check, Put, Update or Delete";
    refused(
        &database(),
        "TransactWriteItems",
        [
            (transaction(json!([{"Put": unknown}, {}])), one_each),
            (transaction(json!([{"Put": put, "Delete": delete}])), one_each),
            (
                transaction(json!([{"Put": unknown}])),
                "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
            ),
            (
                transaction(
                    json!([{"Update": {"TableName": "unknown", "Key": known, "UpdateExpression": ""}}]),
                ),
                "Invalid UpdateExpression: The expression can not be empty;",
            ),
            (
                transaction(json!([{"Put": put}, {"Delete": delete}])),
                "Transaction request cannot include multiple operations on one item",
            ),
        ],
    );
}

#[test]
fn a_part_with_a_wrong_key_cancels_the_transaction() {
    let database = database();
    let (right, wrong) = (json!({"a": {"S": "x"}}), json!({"a": {"N": "1"}}));
    let on = |key: &Value| json!({"TableName": "hash", "Key": key});
    for (operation, body) in [
        ("TransactGetItems", json!([{"Get": on(&right)}, {"Get": on(&wrong)}])),
        ("TransactWriteItems", json!([{"Delete": on(&right)}, {"Delete": on(&wrong)}])),
    ] {
        let message = "Transaction cancelled, please refer cancellation reasons for specific reasons \
                       [None, ValidationError]";
        let expected = ("TransactionCanceledException", message.to_owned());
        assert_eq!(database.refused(operation, transaction(body)), expected, "{operation}");
    }
}

// F-82: an empty key is answered for the whole request, whatever the action.
#[test]
fn an_empty_key_refuses_the_whole_transaction() {
    let database = database();
    let (right, empty) = (json!({"a": {"S": "x"}}), json!({"a": {"S": ""}}));
    let delete = |key: &Value| json!({"Delete": {"TableName": "hash", "Key": key}});
    let message = "One or more parameter values are not valid. The AttributeValue for a key attribute cannot \
                   contain an empty string value. Key: a";
    let check = json!({"TableName": "hash", "Key": empty, "ConditionExpression": "attribute_exists(a)"});
    let update = json!({"TableName": "hash", "Key": empty, "UpdateExpression": "SET b = a"});
    refused(
        &database,
        "TransactWriteItems",
        [
            (transaction(json!([delete(&right), delete(&empty)])), message),
            (transaction(json!([{"Put": {"TableName": "hash", "Item": empty}}])), message),
            (transaction(json!([{"ConditionCheck": check}])), message),
            (transaction(json!([{"Update": update}])), message),
        ],
    );
}

// F-82: of several wrong keys only the first is a reason.
#[test]
fn only_the_first_wrong_key_is_a_reason() {
    let database = database();
    let wrong = json!({"a": {"N": "1"}});
    let on = |key: &Value| json!({"TableName": "hash", "Key": key});
    for (operation, body) in [
        ("TransactGetItems", json!([{"Get": on(&wrong)}, {"Get": on(&wrong)}])),
        ("TransactWriteItems", json!([{"Delete": on(&wrong)}, {"Delete": on(&wrong)}])),
    ] {
        let message = "Transaction cancelled, please refer cancellation reasons for specific reasons \
                       [ValidationError, None]";
        let expected = ("TransactionCanceledException", message.to_owned());
        assert_eq!(database.refused(operation, transaction(body)), expected, "{operation}");
    }
}

// F-82: writes by statements are answered with an empty list.
#[test]
fn writes_by_statements_answer_nothing() {
    let insert = |key: &str| json!({"Statement": format!("INSERT INTO hash VALUE {{'a': '{key}'}}")});
    let written =
        database().ok("ExecuteTransaction", json!({"TransactStatements": [insert("x"), insert("y")]}));
    assert_eq!(written, json!({"Responses": []}));
}
