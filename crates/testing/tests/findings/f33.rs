// F-33: `up` on a table that belonged to somebody else wrote `unique##layout` and tags into it without asking.

use serde_json::json;
use sortkey_api::operations::CreateTableInput;
use sortkey_api::shapes::table::{AttributeDefinition, KeySchemaElement, KeyType, ScalarAttributeType};
use sortkey_api::shapes::throughput::BillingMode;
use sortkey_core::Requests as _;

use crate::support::{DEFAULTS, Database};

const DESIGN: &str = r#"
table Users "users" { key (userId) }
entity User in Users { userId slug  email email  unique email }
pattern user = get User by userId strong
operation add = create User
"#;

/// A table that another program made, with an item in it.
fn theirs() -> Database {
    let database = Database::new();
    let input = CreateTableInput {
        table_name: "users".into(),
        billing_mode: Some(BillingMode::PayPerRequest),
        attribute_definitions: vec![AttributeDefinition {
            attribute_name: "userId".into(),
            attribute_type: ScalarAttributeType::S,
        }],
        key_schema: vec![KeySchemaElement { attribute_name: "userId".into(), key_type: KeyType::Hash }],
        ..CreateTableInput::default()
    };
    pollster::block_on(database.backend().create_table(input)).expect("created");
    database.put("users", json!({ "userId": "ada", "email": "ada@example.com" }));
    database
}

#[test]
fn a_table_of_another_program_is_not_written_to() {
    let database = theirs();
    let refusals = database.try_up(&format!("design f33\n{DEFAULTS}{DESIGN}")).err().expect("refused");
    assert_eq!(refusals.len(), 1, "{refusals:#?}");
    for part in ["was made by another program", "unique##layout", "guard", "tagged", "--adopt"] {
        assert!(refusals[0].contains(part), "{part}: {}", refusals[0]);
    }
    assert_eq!(database.get("users", json!({ "userId": "unique##layout" })), None);
    assert_eq!(database.get("users", json!({ "userId": "unique##covered" })), None);
}

#[test]
fn it_is_used_once_it_is_adopted() {
    let database = theirs();
    let text = format!("design f33\n{DEFAULTS}{DESIGN}");
    let app = database.try_adopt(&text).unwrap_or_else(|refusals| panic!("{refusals:#?}"));
    assert_eq!(app.call("user", json!({ "userId": "ada" }))["email"], "ada@example.com");
    assert!(database.get("users", json!({ "userId": "unique##layout" })).is_some());
    // From now on it is the design's own.
    database.up(&text);
}
