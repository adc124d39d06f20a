//! Requests that no DynamoDB serves, or that this one does not serve yet.

use sortkey_e2e::{Table, dynamodb, failure, n, s};

#[tokio::test]
async fn an_operation_that_is_not_there_is_named() {
    let refused = failure(dynamodb().list_global_tables().send().await);
    assert!(refused.message.contains("ListGlobalTables"), "{refused:?}");
}

#[tokio::test]
async fn a_table_that_is_not_there() {
    let client = dynamodb();
    let missing = client.get_item().table_name("no-such-table").key("pk", s("a")).send().await;
    let missing = missing.unwrap_err().into_service_error();
    assert!(missing.is_resource_not_found_exception(), "{missing:?}");
}

#[tokio::test]
async fn an_expression_of_4096_parentheses_ends_nothing_but_its_request() {
    let client = dynamodb();
    let table = Table::new(&client, "parentheses", &["pk"]).create(&client).await;
    for expression in ["(".repeat(4096), "not ".repeat(1024), format!("a{}", "[0]".repeat(1365))] {
        let refused = client
            .put_item()
            .table_name(&table)
            .item("pk", s("a"))
            .condition_expression(expression)
            .send()
            .await;
        assert_eq!(failure(refused).code, "ValidationException");
    }
    let long = client
        .put_item()
        .table_name(&table)
        .item("pk", s("a"))
        .condition_expression(format!("{} :x = :x", " ".repeat(4096)))
        .expression_attribute_values(":x", n(1))
        .send()
        .await;
    assert_eq!(failure(long).code, "ValidationException");
    client.put_item().table_name(&table).item("pk", s("a")).send().await.unwrap();
}
