//! A database that was dropped has let go of its directory, whatever it was doing.
//!
//! The background thread kept the store open for as long as its job took, and so did the thread that gives space back:
//! opening the directory right after `drop` failed with the message that this very process had it.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use serde_json::{Value as Json, json};
use support::database::Database;
use support::{number_from_environment, scratch};

const TABLE: &str = "busy";
const WRITERS: u64 = 4;
const ITEMS: u64 = 150;

#[test]
fn a_dropped_database_has_let_go_of_its_directory() {
    let directory = scratch();
    let rounds = number_from_environment("SORTKEY_CLOSINGS", 20);
    for round in 0..rounds {
        let database =
            Database::open(directory.path()).unwrap_or_else(|error| panic!("round {round}: {error}"));
        keep_busy(&database, round);
        drop(database);
    }
    let database = Database::open(directory.path()).unwrap();
    // A deletion is the last step of every round for these.
    assert_eq!(database.scan(json!({ "TableName": TABLE })).len() as u64, WRITERS * ITEMS / 2);
}

/// Writers, and work for both background threads: an index to be completed or cleared away, and removals.
fn keep_busy(database: &Database, round: u64) {
    if round == 0 {
        database.call("CreateTable", &table()).unwrap();
    }
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            scope.spawn(move || {
                for number in 0..ITEMS {
                    let item = json!({
                        "id": { "S": format!("{writer}.{number}") },
                        "group": { "S": format!("{}", number % 7) },
                        "text": { "S": "x".repeat(500) },
                    });
                    database.call("PutItem", &json!({ "TableName": TABLE, "Item": item })).unwrap();
                }
                for number in (0..ITEMS).step_by(2) {
                    let key = json!({ "id": { "S": format!("{writer}.{number}") } });
                    database.call("DeleteItem", &json!({ "TableName": TABLE, "Key": key })).unwrap();
                }
            });
        }
    });
    let change = match round % 2 {
        0 => json!({ "Create": {
            "IndexName": "groups",
            "KeySchema": [{ "AttributeName": "group", "KeyType": "HASH" }],
            "Projection": { "ProjectionType": "ALL" },
        } }),
        _ => json!({ "Delete": { "IndexName": "groups" } }),
    };
    let update = json!({
        "TableName": TABLE,
        "AttributeDefinitions": [{ "AttributeName": "group", "AttributeType": "S" }],
        "GlobalSecondaryIndexUpdates": [change],
    });
    wait_until_active(database);
    database.call("UpdateTable", &update).unwrap();
}

fn wait_until_active(database: &Database) {
    loop {
        let table = database.call("DescribeTable", &json!({ "TableName": TABLE })).unwrap();
        let empty = Vec::new();
        let indexes = table["Table"]["GlobalSecondaryIndexes"].as_array().unwrap_or(&empty);
        if indexes.iter().all(|index| index["IndexStatus"] == "ACTIVE") {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

fn table() -> Json {
    json!({
        "TableName": TABLE,
        "AttributeDefinitions": [{ "AttributeName": "id", "AttributeType": "S" }],
        "KeySchema": [{ "AttributeName": "id", "KeyType": "HASH" }],
        "BillingMode": "PAY_PER_REQUEST",
        "StreamSpecification": { "StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES" },
    })
}
