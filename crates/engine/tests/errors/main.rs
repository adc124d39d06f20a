//! Requests that AWS refuses, with their errors: the order of the checks, and the words.
//!
//! A request with two faults shows which of them is found first.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed unwrap is a failed test")]

mod batches;
mod control_plane;
mod declarations;
mod expressions;
mod items;
mod queries;
mod scans;
mod starting_keys;
mod streams;
#[path = "../support/mod.rs"]
mod support;
mod tables;
mod tags;
mod transactions;
mod wording;

use serde_json::{Value, json};

use self::support::Database;

/// A database with the tables that requests are about: `hash` has the key `a`; `range` the keys `a` and `b`, the
/// local index `local` by `c`, the global indexes `global` by `c` and `d`, and `sparse` by `c`, which keeps keys
/// only.
fn database() -> Database {
    let database = Database::new();
    let definition = |name: &str| json!({"AttributeName": name, "AttributeType": "S"});
    let index = |name: &str, key: Value, projection: &str| json!({"IndexName": name, "KeySchema": key, "Projection": {"ProjectionType": projection}});
    database.ok(
        "CreateTable",
        json!({
            "TableName": "hash",
            "AttributeDefinitions": [definition("a")],
            "KeySchema": key(&["a"]),
            "BillingMode": "PAY_PER_REQUEST"
        }),
    );
    let definitions = ["a", "b", "c", "d"].map(definition);
    database.ok(
        "CreateTable",
        json!({
            "TableName": "range",
            "AttributeDefinitions": definitions,
            "KeySchema": key(&["a", "b"]),
            "LocalSecondaryIndexes": [index("local", key(&["a", "c"]), "ALL")],
            "GlobalSecondaryIndexes": [
                index("global", key(&["c", "d"]), "ALL"),
                index("sparse", key(&["c"]), "KEYS_ONLY")
            ],
            "BillingMode": "PAY_PER_REQUEST"
        }),
    );
    database
}

/// A key schema: the first attribute is the partition key, the second the sort key.
fn key(names: &[&str]) -> Value {
    let element = |(name, role): (&&str, &str)| json!({"AttributeName": name, "KeyType": role});
    names.iter().zip(["HASH", "RANGE"]).map(element).collect()
}

/// Asks each request of an operation and expects a ValidationException in these words.
#[track_caller]
fn refused(database: &Database, operation: &str, requests: impl IntoIterator<Item = (Value, &'static str)>) {
    for (body, message) in requests {
        let refused = database.refused(operation, body.clone());
        assert_eq!(refused, ("ValidationException", message.to_owned()), "{operation} {body}");
    }
}

/// Like `refused`, for requests about one table.
#[track_caller]
fn refused_on(
    database: &Database,
    operation: &str,
    table: &str,
    requests: impl IntoIterator<Item = (Value, &'static str)>,
) {
    let named = requests.into_iter().map(|(mut body, message)| {
        body["TableName"] = json!(table);
        (body, message)
    });
    refused(database, operation, named);
}
