//! Tables described by a running DynamoDB; here the engine in this process.

use sortkey_api::operations::{CreateTableInput, UpdateTimeToLiveInput};
use sortkey_api::shapes::time_to_live::TimeToLiveSpecification;
use sortkey_api::{Backend, Requests as _, decode};
use sortkey_embedded::{Embedded, block_on};
use sortkey_engine::{Engine, Settings};
use sortkey_import::{ImportError, import_tables};

/// More tables than a page of ListTables names.
const MANY: usize = 101;

fn create(backend: &dyn Backend, name: &str) {
    let body = format!(
        r#"{{"TableName":"{name}","BillingMode":"PAY_PER_REQUEST",
            "KeySchema":[{{"AttributeName":"id","KeyType":"HASH"}}],
            "AttributeDefinitions":[{{"AttributeName":"id","AttributeType":"S"}}]}}"#
    );
    let input: CreateTableInput = decode(body.as_bytes()).expect("an input");
    block_on(backend.create_table(input)).expect("created");
}

fn database(tables: &[&str]) -> Embedded {
    let backend = Embedded::new(Engine::memory(Settings::default()));
    tables.iter().for_each(|name| create(&backend, name));
    backend
}

fn imported(backend: &dyn Backend, tables: &[&str]) -> Result<String, ImportError> {
    let tables: Vec<String> = tables.iter().map(|name| (*name).to_owned()).collect();
    block_on(import_tables("shop", backend, &tables))
}

#[test]
fn all_tables_with_their_settings() {
    let backend = database(&["orders", "users"]);
    let setting = TimeToLiveSpecification { enabled: true, attribute_name: "expiresAt".to_owned() };
    let input = UpdateTimeToLiveInput { table_name: "users".into(), time_to_live_specification: setting };
    block_on(backend.update_time_to_live(input)).expect("updated");
    let design = imported(&backend, &[]).expect("a design");
    for wanted in ["\"orders\"", "\"users\"", "expiresAt", "billing  on_demand"] {
        assert!(design.contains(wanted), "{wanted} is not in\n{design}");
    }
    let compilation = sortkey_design::compile("shop.sk", &design, &sortkey_design::NoFiles);
    assert!(!compilation.has_errors(), "{design}\n{:?}", compilation.diagnostics);
}

#[test]
fn more_tables_than_one_page_names() {
    let names: Vec<String> = (0..MANY).map(|at| format!("table-{at:03}")).collect();
    let backend = database(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let design = imported(&backend, &[]).expect("a design");
    assert!(names.iter().all(|name| design.contains(&format!("\"{name}\""))), "{design}");
}

#[test]
fn one_table_by_name() {
    let design = imported(&database(&["orders", "users"]), &["users"]).expect("a design");
    assert!(design.contains("\"users\"") && !design.contains("\"orders\""), "{design}");
}

#[test]
fn refusals_say_what_was_asked_and_why_it_failed() {
    let refused = imported(&database(&[]), &["users"]).expect_err("there is no such table").to_string();
    assert!(refused.contains("DescribeTable: ResourceNotFoundException"), "{refused}");
    assert_eq!(imported(&database(&[]), &[]), Err(ImportError::NoTables));
}
