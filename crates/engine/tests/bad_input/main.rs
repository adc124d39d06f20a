//! Bad input, as JSON: every operation answers with the error that AWS has for it, and nothing ever panics.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed unwrap is a failed test")]

mod limits;
mod malformed;
mod mutated;
mod requests;
mod rules;
#[path = "../support/mod.rs"]
mod support;

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use sortkey_storage::MemoryStore;

use support::Database;

/// A database with a table that has indexes and a stream, and with an item.
fn database() -> Database {
    let buckets = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bad_input");
    let database = Database::with_buckets(Arc::new(MemoryStore::new()), Some(&buckets));
    let key_schema = json!([{"AttributeName": "kind", "KeyType": "HASH"}]);
    let local =
        json!([{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "kind", "KeyType": "RANGE"}]);
    let all = json!({"ProjectionType": "ALL"});
    database.create_table(
        "table",
        true,
        json!({
            "AttributeDefinitions": [{"AttributeName": "kind", "AttributeType": "S"}],
            "GlobalSecondaryIndexes": [{"IndexName": "global", "KeySchema": key_schema, "Projection": all}],
            "LocalSecondaryIndexes": [{"IndexName": "local", "KeySchema": local, "Projection": all}],
            "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        }),
    );
    let item = json!({"pk": {"S": "a"}, "sk": {"S": "b"}, "kind": {"S": "c"}, "n": {"N": "1"}});
    database.ok("PutItem", json!({"TableName": "table", "Item": item}));
    database
}
