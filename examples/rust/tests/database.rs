//! The database in the tests of a Rust program: no server, no port, a fork for each test, a clock that the test moves.

use std::sync::LazyLock;
use std::time::Duration;

use sortkey::operations::{CreateTableInput, GetItemInput, PutItemInput};
use sortkey::shapes::table::{AttributeDefinition, KeySchemaElement, KeyType, ScalarAttributeType};
use sortkey::shapes::throughput::BillingMode;
use sortkey::value::Item;
use sortkey::{Database, ErrorKind, Fault, FaultKind, item};

/// The database that every test begins with. It is filled once; a fork of it costs nothing.
static TEMPLATE: LazyLock<Database> = LazyLock::new(|| {
    let db = Database::memory();
    db.create_table(CreateTableInput {
        table_name: "users".into(),
        attribute_definitions: vec![AttributeDefinition {
            attribute_name: "id".into(),
            attribute_type: ScalarAttributeType::S,
        }],
        key_schema: vec![KeySchemaElement { attribute_name: "id".into(), key_type: KeyType::Hash }],
        billing_mode: Some(BillingMode::PayPerRequest),
        ..Default::default()
    })
    .wait()
    .expect("a table");
    put(&db, "u1", "Ada");
    db
});

fn put(db: &Database, id: &str, name: &str) {
    let item = item! { "id": id, "name": name }.into();
    db.put_item(PutItemInput { table_name: "users".into(), item, ..Default::default() })
        .wait()
        .expect("stored");
}

fn user(db: &Database, id: &str) -> Option<Item> {
    let key = item! { "id": id }.into();
    let found = db.get_item(GetItemInput { table_name: "users".into(), key, ..Default::default() }).wait();
    found.expect("an answer").item
}

#[test]
fn a_test_changes_its_own_fork_only() {
    let db = TEMPLATE.fork().expect("a fork");
    put(&db, "u1", "Augusta");
    assert_eq!(user(&db, "u1"), Some(item! { "id": "u1", "name": "Augusta" }));
    assert_eq!(user(&TEMPLATE, "u1"), Some(item! { "id": "u1", "name": "Ada" }));
}

#[test]
fn time_passes_when_the_test_says_so() {
    let db = TEMPLATE.fork().expect("a fork");
    db.stop_clock_at(1_800_000_000_000);
    db.advance_clock(Duration::from_secs(90 * 24 * 3_600));
    assert_eq!(db.now_ms(), 1_807_776_000_000);
}

#[test]
fn a_program_can_be_tested_under_throttling() {
    let db = TEMPLATE.fork().expect("a fork");
    db.faults().add(Fault { kind: FaultKind::Throttle, remaining: 1, operation: None, table: None });
    let key = item! { "id": "u1" }.into();
    let refused = db.get_item(GetItemInput { table_name: "users".into(), key, ..Default::default() }).wait();
    let error = refused.expect_err("throttled");
    assert_eq!(error.kind, ErrorKind::ProvisionedThroughputExceededException);
    assert!(user(&db, "u1").is_some());
}
