//! Declarations of CreateTable: keys, indexes and projections.

use serde_json::{Value, json};

use crate::{database, key, refused};

/// A table with these attribute definitions and this key, and more.
fn table(definitions: &[&str], key: Value, more: Value) -> Value {
    let definition = |name: &&str| json!({"AttributeName": name, "AttributeType": "S"});
    let mut body = json!({
        "TableName": "new",
        "AttributeDefinitions": definitions.iter().map(definition).collect::<Value>(),
        "KeySchema": key,
        "BillingMode": "PAY_PER_REQUEST"
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

fn element(name: &str, role: &str) -> Value {
    json!({"AttributeName": name, "KeyType": role})
}

const NO_DEFINITION: &str = "Invalid KeySchema: Some index key attribute have no definition";
const SAME_NAME: &str = "Both the Hash Key and the Range Key element in the KeySchema have the same name";
const NOT_HASH: &str = "Invalid KeySchema: The first KeySchemaElement is not a HASH key type";
const NOT_RANGE: &str = "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type";

#[test]
fn throughput_comes_first() {
    let provisioned = json!({"ReadCapacityUnits": 1, "WriteCapacityUnits": 1});
    let units = |read: u64, write: u64| json!({"ReadCapacityUnits": read, "WriteCapacityUnits": write});
    let with = |mode: &str, throughput: Value| {
        table(&["z"], key(&["a"]), json!({"BillingMode": mode, "ProvisionedThroughput": throughput}))
    };
    refused(
        &database(),
        "CreateTable",
        [
            (
                with("PAY_PER_REQUEST", provisioned),
                "One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be \
                 specified when BillingMode is PAY_PER_REQUEST",
            ),
            (
                with("PROVISIONED", Value::Null),
                "One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be \
                 specified when BillingMode is PROVISIONED",
            ),
            (
                with("PROVISIONED", units(1_000_000_000_001, 1_000_000_000_001)),
                "Given value 1000000000001 for ReadCapacityUnits is out of bounds",
            ),
            (
                with("PROVISIONED", units(1, 1_000_000_000_001)),
                "Given value 1000000000001 for WriteCapacityUnits is out of bounds",
            ),
        ],
    );
}

#[test]
fn the_key_of_the_table() {
    refused(
        &database(),
        "CreateTable",
        [
            (table(&["a"], key(&["a", "b"]), json!({})), NO_DEFINITION),
            (table(&["a"], key(&["a", "a"]), json!({})), NO_DEFINITION),
            (
                table(&["b"], key(&["a"]), json!({})),
                "One or more parameter values were invalid: Some index key attributes are not defined in \
                 AttributeDefinitions. Keys: [a], AttributeDefinitions: [b]",
            ),
            (table(&["a", "b"], json!([element("a", "HASH"), element("a", "HASH")]), json!({})), SAME_NAME),
            (table(&["a", "b"], json!([element("a", "RANGE"), element("b", "HASH")]), json!({})), NOT_HASH),
            (table(&["a", "b"], json!([element("a", "HASH"), element("b", "HASH")]), json!({})), NOT_RANGE),
            (
                table(&["a", "b"], key(&["a"]), json!({})),
                "One or more parameter values were invalid: Number of attributes in KeySchema does not exactly \
                 match number of attributes defined in AttributeDefinitions",
            ),
        ],
    );
}

#[test]
fn keys_of_local_indexes_come_before_their_projections() {
    let local = |table_key: &[&str], index_key: Value| {
        let index = json!({"IndexName": "abc", "KeySchema": index_key, "Projection": {}});
        table(&["a", "b"], key(table_key), json!({"LocalSecondaryIndexes": [index]}))
    };
    refused(
        &database(),
        "CreateTable",
        [
            (
                table(&["a", "b"], key(&["a", "b"]), json!({"LocalSecondaryIndexes": []})),
                "One or more parameter values were invalid: List of LocalSecondaryIndexes is empty",
            ),
            (
                local(&["a"], key(&["a", "b"])),
                "One or more parameter values were invalid: Table KeySchema does not have a range key, which is \
                 required when specifying a LocalSecondaryIndex",
            ),
            (
                local(&["a", "b"], key(&["c", "d"])),
                "One or more parameter values were invalid: Some index key attributes are not defined in \
                 AttributeDefinitions. Keys: [c, d], AttributeDefinitions: [a, b]",
            ),
            (local(&["a", "b"], json!([element("a", "HASH"), element("a", "HASH")])), SAME_NAME),
            (local(&["a", "b"], json!([element("a", "RANGE")])), NOT_HASH),
            (local(&["a", "b"], json!([element("a", "HASH"), element("b", "HASH")])), NOT_RANGE),
            (
                local(&["a", "b"], key(&["a"])),
                "One or more parameter values were invalid: Index KeySchema does not have a range key for index: abc",
            ),
            (
                local(&["a", "b"], key(&["b", "a"])),
                "One or more parameter values were invalid: Index KeySchema does not have the same leading hash key \
                 as table KeySchema for index: abc. index hash key: b, table hash key: a",
            ),
            (
                local(&["a", "b"], key(&["a", "b"])),
                "One or more parameter values were invalid: Unknown ProjectionType: null",
            ),
        ],
    );
}

#[test]
fn global_indexes() {
    let global = |names: &[&str], index_key: &[&str], projection: Value| {
        let index =
            |name: &&str| json!({"IndexName": name, "KeySchema": key(index_key), "Projection": projection});
        let indexes: Value = names.iter().map(index).collect();
        table(&["a", "b"], key(&["a"]), json!({"GlobalSecondaryIndexes": indexes}))
    };
    let all = json!({"ProjectionType": "ALL"});
    refused(
        &database(),
        "CreateTable",
        [
            (
                global(&[], &["b"], all.clone()),
                "One or more parameter values were invalid: List of GlobalSecondaryIndexes is empty",
            ),
            (global(&["abc"], &["b", "b"], json!({})), SAME_NAME),
            (
                global(&["abc"], &["b"], json!({})),
                "One or more parameter values were invalid: Unknown ProjectionType: null",
            ),
            (
                global(&["abc"], &["b"], json!({"ProjectionType": "ALL", "NonKeyAttributes": ["x"]})),
                "One or more parameter values were invalid: ProjectionType is ALL, but NonKeyAttributes is specified",
            ),
            (
                global(&["abc"], &["b"], json!({"ProjectionType": "INCLUDE"})),
                "One or more parameter values were invalid: ProjectionType is INCLUDE, but NonKeyAttributes is not \
                 specified",
            ),
            (
                global(&["abc", "abc"], &["b"], all.clone()),
                "One or more parameter values were invalid: Duplicate index name: abc",
            ),
            // With indexes, AWS's text names the definitions that exist and those that are used.
            (
                global(&["abc"], &["a"], all),
                "One or more parameter values were invalid: Some AttributeDefinitions are not used. \
                 AttributeDefinitions: [a, b], keys used: [a]",
            ),
        ],
    );
}

// F-84: keys of several attributes, in order; and F-83: names that are projected once.
#[test]
fn keys_of_several_attributes_are_in_order() {
    let attribute = |name: &str| json!({"AttributeName": name, "AttributeType": "S"});
    let element = |(name, role): (&str, &str)| json!({"AttributeName": name, "KeyType": role});
    let table = |keys: &[(&str, &str)], projection: Value| {
        let elements: Vec<Value> = keys.iter().copied().map(element).collect();
        let definitions = ["a", "h1", "h2", "r1"].map(attribute);
        json!({
            "TableName": "other",
            "AttributeDefinitions": definitions,
            "KeySchema": crate::key(&["a"]),
            "BillingMode": "PAY_PER_REQUEST",
            "GlobalSecondaryIndexes": [{"IndexName": "index", "KeySchema": elements, "Projection": projection}]
        })
    };
    let all = json!({"ProjectionType": "ALL"});
    let twice = json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "y", "x"]});
    let in_order = [("h1", "HASH"), ("h2", "HASH"), ("r1", "RANGE")];
    refused(
        &database(),
        "CreateTable",
        [
            (
                table(&[("h1", "HASH"), ("r1", "RANGE"), ("h2", "HASH")], all),
                "One or more parameter values were invalid: All HASH key attributes must precede RANGE key \
                 attributes in the KeySchema",
            ),
            (
                table(&in_order, twice),
                "One or more parameter values were invalid: Duplicate element in NonKeyAttributes: x",
            ),
        ],
    );
}

// F-83: names of attributes have at most 65,535 characters in the parameters from before expressions, too.
#[test]
fn names_in_older_parameters_have_a_limit() {
    let database = database();
    let name = "n".repeat(65_536);
    let key = json!({"a": {"S": "x"}});
    let value = json!({"N": "1"});
    let expected = json!({&name: {"Value": value}});
    let filter = json!({&name: {"ComparisonOperator": "EQ", "AttributeValueList": [value]}});
    let rule = "Map keys must satisfy constraint: [Member must have length less than or equal to 65535]";
    for (operation, body) in [
        ("UpdateItem", json!({"Key": key, "AttributeUpdates": {&name: {"Value": value}}})),
        ("PutItem", json!({"Item": key, "Expected": expected})),
        ("DeleteItem", json!({"Key": key, "Expected": expected})),
        ("Scan", json!({"ScanFilter": filter})),
    ] {
        let mut body = body;
        body["TableName"] = json!("hash");
        let (kind, message) = database.refused(operation, body);
        assert_eq!(kind, "ValidationException", "{operation}");
        assert!(message.ends_with(rule), "{operation}: {}", &message[message.len() - 200..]);
    }
}
