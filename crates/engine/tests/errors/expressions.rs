//! Placeholders, and expressions beside each other.

use serde_json::{Value, json};

use crate::{database, refused_on};

fn put(condition: &str, names: Value, values: Value) -> Value {
    json!({
        "Item": {"a": {"S": "x"}},
        "ConditionExpression": condition,
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values
    })
}

#[test]
fn placeholders_are_looked_at_before_what_they_stand_for() {
    let (name, value) = (json!({"#a": "a"}), json!({":a": {"S": "x"}}));
    refused_on(
        &database(),
        "PutItem",
        "unknown",
        [
            (put("", json!({}), json!({})), "ExpressionAttributeNames must not be empty"),
            (
                put("", json!({"a": "a"}), json!({})),
                "ExpressionAttributeNames contains invalid key: Syntax error; key: \"a\"",
            ),
            (put("", name.clone(), json!({})), "ExpressionAttributeValues must not be empty"),
            (
                put("", name.clone(), json!({":b": {}, "b": {"S": "x"}})),
                "ExpressionAttributeValues contains invalid key: Syntax error; key: \"b\"",
            ),
            (
                put("", name.clone(), json!({":b": {}})),
                "ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty, must contain \
                 exactly one of the supported datatypes for key :b",
            ),
            (
                put("", name.clone(), value.clone()),
                "Invalid ConditionExpression: The expression can not be empty;",
            ),
            (
                put("a = :b", name.clone(), value.clone()),
                "Invalid ConditionExpression: An expression attribute value used in expression is not defined; \
                 attribute value: :b",
            ),
            (
                put("attribute_exists(b)", name, value.clone()),
                "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}",
            ),
            (
                put("attribute_exists(b)", Value::Null, value),
                "Value provided in ExpressionAttributeValues unused in expressions: keys: {:a}",
            ),
        ],
    );
}

#[test]
fn an_update_is_read_before_its_condition() {
    let key = json!({"a": {"S": "x"}});
    refused_on(
        &database(),
        "UpdateItem",
        "unknown",
        [
            (
                json!({"Key": key, "UpdateExpression": "", "ConditionExpression": ""}),
                "Invalid UpdateExpression: The expression can not be empty;",
            ),
            (
                json!({"Key": key, "UpdateExpression": "REMOVE b", "ConditionExpression": ""}),
                "Invalid ConditionExpression: The expression can not be empty;",
            ),
        ],
    );
}
