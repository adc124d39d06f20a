//! Values that the keys of indexes cannot have.

use serde_json::json;

use crate::support::{Database, create_index};

fn update(expression: &str, value: serde_json::Value) -> serde_json::Value {
    json!({
        "TableName": "table",
        "Key": {"pk": {"S": "k"}},
        "UpdateExpression": expression,
        "ExpressionAttributeValues": {":v": value}
    })
}

/// UpdateItem looked only at the item that would result: a condition that failed hid a value of the wrong type, and
/// the message was the one for types that depend on the item.
#[test]
fn an_update_of_the_wrong_type_is_refused_before_the_item_is_looked_at() {
    let database = Database::new();
    database.create_table("table", false, json!({}));
    let mut index = create_index("by-kind", "kind");
    index["TableName"] = json!("table");
    database.ok("UpdateTable", index);
    let mismatch = |actual: &str| {
        let message = format!(
            "One or more parameter values were invalid: Type mismatch for Index Key kind Expected: S Actual: {actual} \
             IndexName: by-kind"
        );
        ("ValidationException", message)
    };
    for (expression, value, expected) in [
        ("SET kind = :v", json!({"N": "1"}), mismatch("N")),
        ("SET kind = if_not_exists(extra, :v)", json!({"BOOL": true}), mismatch("BOOL")),
        ("SET kind = extra + :v", json!({"N": "1"}), mismatch("N")),
        ("ADD kind :v", json!({"SS": ["a"]}), mismatch("SS")),
        ("DELETE kind :v", json!({"NS": ["1"]}), mismatch("NS")),
    ] {
        let mut body = update(expression, value);
        body["ConditionExpression"] = json!("attribute_exists(pk)");
        assert_eq!(database.refused("UpdateItem", body), expected, "{expression}");
    }
    database.ok("UpdateItem", update("SET amount = :v", json!({"N": "1"})));
    let copy =
        json!({"TableName": "table", "Key": {"pk": {"S": "k"}}, "UpdateExpression": "SET kind = amount"});
    let message = "The update expression attempted to update the secondary index key to unsupported type";
    assert_eq!(database.refused("UpdateItem", copy), ("ValidationException", message.to_owned()));
}

/// An item from before an index can have a value that the index cannot place. It stays out of the index; but no
/// update of another attribute was possible any more, since the whole item was held against the index.
#[test]
fn an_item_that_an_index_cannot_place_can_still_be_updated() {
    let database = Database::new();
    database.create_table("table", false, json!({}));
    database.ok("PutItem", json!({"TableName": "table", "Item": {"pk": {"S": "k"}, "kind": {"N": "1"}}}));
    let mut index = create_index("by-kind", "kind");
    index["TableName"] = json!("table");
    database.ok("UpdateTable", index);
    assert_eq!(database.settled("table")["GlobalSecondaryIndexes"][0]["ItemCount"], 0);
    database.ok("UpdateItem", update("SET extra = :v", json!({"S": "x"})));
    database.ok("UpdateItem", update("SET kind = :v", json!({"S": "book"})));
    assert_eq!(database.settled("table")["GlobalSecondaryIndexes"][0]["ItemCount"], 1);
}
