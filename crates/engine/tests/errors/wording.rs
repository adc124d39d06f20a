//! The two wordings of AWS, through the operations that have them.

use std::sync::Arc;

use serde_json::json;
use sortkey_api::{ErrorKind, Wording};
use sortkey_engine::{Engine, Settings};
use sortkey_storage::MemoryStore;

use crate::support::Database;

// F-88: single writes and queries are worded as asked; scans, reads and transactions have not moved.
#[test]
fn errors_are_worded_as_asked() {
    let unused = "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}";
    let table = |body: serde_json::Value| {
        let mut body = body;
        body["TableName"] = json!("table");
        body
    };
    let key = json!({"pk": {"S": "x"}});
    let names = json!({"#x": "x"});
    let put = table(json!({"Item": key, "ConditionExpression": "a = b", "ExpressionAttributeNames": names}));
    let delete =
        table(json!({"Key": key, "ConditionExpression": "a = b", "ExpressionAttributeNames": names}));
    let update = table(json!({"Key": key, "UpdateExpression": ""}));
    let set = table(json!({"Item": {"pk": {"S": "x"}, "s": {"SS": []}}}));
    let value = table(json!({
        "Key": key, "UpdateExpression": "ADD a :s", "ExpressionAttributeValues": {":s": {"SS": []}}
    }));
    let get = table(json!({"Key": key, "ProjectionExpression": "a", "ExpressionAttributeNames": names}));
    let scan = table(json!({"ProjectionExpression": "a", "ExpressionAttributeNames": names}));
    let select = table(json!({
        "Select": "COUNT", "ProjectionExpression": "a", "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": {":p": {"S": "x"}}
    }));
    let empty = "Invalid UpdateExpression: The expression can not be empty;";
    let empty_set = "One or more parameter values were invalid: An string set  may not be empty";
    let count = "Cannot specify the ProjectionExpression when choosing to get only the Count";
    let moved = |text: &str| format!("1 validation error detected: {text}");
    let cases = [
        ("PutItem", put, unused.to_owned(), moved(unused)),
        ("DeleteItem", delete, unused.to_owned(), moved(unused)),
        ("UpdateItem", update, empty.to_owned(), moved(empty)),
        ("PutItem", set, empty_set.to_owned(), moved(empty_set)),
        (
            "UpdateItem",
            value,
            format!("ExpressionAttributeValues contains invalid value: {empty_set} for key :s"),
            moved(empty_set),
        ),
        ("GetItem", get, unused.to_owned(), unused.to_owned()),
        ("Scan", scan, unused.to_owned(), unused.to_owned()),
        ("Query", select, count.to_owned(), moved(count)),
    ];
    for wording in [Wording::Classic, Wording::Current] {
        let settings = Settings { wording, ..Settings::default() };
        let database = Database { engine: Engine::open(Arc::new(MemoryStore::new()), settings) };
        database.create_table("table", false, json!({}));
        for (operation, body, classic, current) in &cases {
            let expected = if wording == Wording::Classic { classic } else { current };
            let refused = database.refused(operation, body.clone());
            assert_eq!(refused, ("ValidationException", expected.clone()), "{wording:?} {operation}");
        }
    }
}

// F-88: beside the item that failed its condition, the member `Message` has become `message`, as in all other errors.
#[test]
fn failed_conditions_have_the_wording_that_was_asked_for() {
    for wording in [Wording::Classic, Wording::Current] {
        let settings = Settings { wording, ..Settings::default() };
        let database = Database { engine: Engine::open(Arc::new(MemoryStore::new()), settings) };
        database.create_table("table", false, json!({}));
        let item = json!({"pk": {"S": "x"}});
        database.ok("PutItem", json!({"TableName": "table", "Item": item}));
        let conditional = json!({
            "TableName": "table", "ConditionExpression": "attribute_not_exists(pk)",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD"
        });
        for (operation, member) in [("PutItem", "Item"), ("UpdateItem", "Key"), ("DeleteItem", "Key")] {
            let mut body = conditional.clone();
            body[member] = item.clone();
            let failed = database.call(operation, &body).unwrap_err();
            assert_eq!((failed.kind, failed.wording), (ErrorKind::ConditionalCheckFailedException, wording));
        }
    }
}
