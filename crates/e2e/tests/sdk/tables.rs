//! CreateTable, DescribeTable, ListTables, UpdateTable and DeleteTable.

use std::time::Duration;

use aws_sdk_dynamodb::client::Waiters;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::types::{
    BillingMode, KeyType, ProvisionedThroughput, SseSpecification, SseType, TableClass, TableStatus,
};
use sortkey_e2e::{Table, definition, dynamodb, failure, item, key_element, n, s, unique_name};

#[tokio::test]
async fn a_table_lives_from_create_to_delete() {
    let client = dynamodb();
    let name = unique_name("life");
    let created = client
        .create_table()
        .table_name(&name)
        .attribute_definitions(definition("pk", "S"))
        .attribute_definitions(definition("sk", "N"))
        .key_schema(key_element("pk", KeyType::Hash))
        .key_schema(key_element("sk", KeyType::Range))
        .provisioned_throughput(throughput(3, 2))
        .send()
        .await
        .unwrap()
        .table_description
        .unwrap();
    assert_eq!(created.table_name(), Some(name.as_str()));
    assert!(matches!(created.table_status(), Some(TableStatus::Creating | TableStatus::Active)));
    assert!(created.table_arn().unwrap().ends_with(&format!(":table/{name}")));
    assert!(created.creation_date_time().is_some());

    let exists =
        client.wait_until_table_exists().table_name(&name).wait(Duration::from_secs(60)).await.unwrap();
    let table = exists.into_result().unwrap().table.unwrap();
    assert_eq!(table.table_status(), Some(&TableStatus::Active));
    assert_eq!(table.key_schema(), created.key_schema());
    assert_eq!(table.table_id(), created.table_id());
    assert_eq!(table.provisioned_throughput().unwrap().read_capacity_units(), Some(3));
    assert_eq!((table.item_count(), table.table_size_bytes()), (Some(0), Some(0)));

    let again = client
        .create_table()
        .table_name(&name)
        .attribute_definitions(definition("pk", "S"))
        .key_schema(key_element("pk", KeyType::Hash))
        .billing_mode(BillingMode::PayPerRequest)
        .send()
        .await;
    assert!(again.unwrap_err().into_service_error().is_resource_in_use_exception());

    let deleted = client.delete_table().table_name(&name).send().await.unwrap();
    assert_eq!(deleted.table_description.unwrap().table_status, Some(TableStatus::Deleting));
    client.wait_until_table_not_exists().table_name(&name).wait(Duration::from_secs(60)).await.unwrap();

    let gone = client.describe_table().table_name(&name).send().await;
    let gone = failure(gone);
    assert_eq!(gone.code, "ResourceNotFoundException");
    assert_eq!(gone.message, format!("Requested resource not found: Table: {name} not found"));
}

#[tokio::test]
async fn tables_are_listed_in_pages_in_order() {
    let client = dynamodb();
    let mut expected = Vec::new();
    for _ in 0..5 {
        expected.push(Table::new(&client, "listed", &["pk"]).create(&client).await);
    }
    expected.sort();

    let mut pages = client.list_tables().limit(2).into_paginator().send();
    let mut all = Vec::new();
    while let Some(page) = pages.next().await {
        let page = page.unwrap();
        assert!(page.table_names().len() <= 2);
        all.extend(page.table_names.unwrap_or_default());
    }
    assert!(all.is_sorted());
    all.retain(|name| expected.contains(name));
    assert_eq!(all, expected);
}

#[tokio::test]
async fn describe_table_counts_items_and_bytes() {
    let client = dynamodb();
    let table = Table::new(&client, "counted", &["pk"]).create(&client).await;
    for number in 0..10 {
        let item = item([("pk", s(format!("item{number}"))), ("size", n(1))]);
        client.put_item().table_name(&table).set_item(Some(item)).send().await.unwrap();
    }
    let described = client.describe_table().table_name(&table).send().await.unwrap().table.unwrap();
    // "pk" + "item0" + "size" + a number of one digit.
    assert_eq!(described.item_count(), Some(10));
    assert_eq!(described.table_size_bytes(), Some(10 * (2 + 5 + 4 + 2)));
}

#[tokio::test]
async fn a_protected_table_cannot_be_deleted() {
    let client = dynamodb();
    let table = Table::new(&client, "protected", &["pk"])
        .with(|request| request.deletion_protection_enabled(true))
        .create(&client)
        .await;

    let refused = client.delete_table().table_name(&table).send().await;
    assert_eq!(failure(refused).code, "ValidationException");

    client.update_table().table_name(&table).deletion_protection_enabled(false).send().await.unwrap();
    wait_until_active(&client, &table).await;
    client.delete_table().table_name(&table).send().await.unwrap();
}

#[tokio::test]
async fn a_table_changes_its_billing_class_and_encryption() {
    let client = dynamodb();
    let table = Table::new(&client, "changed", &["pk"]).create(&client).await;

    client
        .update_table()
        .table_name(&table)
        .billing_mode(BillingMode::Provisioned)
        .provisioned_throughput(throughput(7, 5))
        .send()
        .await
        .unwrap();
    wait_until_active(&client, &table).await;
    client
        .update_table()
        .table_name(&table)
        .table_class(TableClass::StandardInfrequentAccess)
        .send()
        .await
        .unwrap();
    wait_until_active(&client, &table).await;
    let encryption = SseSpecification::builder().enabled(true).sse_type(SseType::Kms).build();
    client.update_table().table_name(&table).sse_specification(encryption).send().await.unwrap();
    wait_until_active(&client, &table).await;

    let table = client.describe_table().table_name(&table).send().await.unwrap().table.unwrap();
    let provisioned = table.provisioned_throughput().unwrap();
    assert_eq!(provisioned.read_capacity_units(), Some(7));
    assert_eq!(provisioned.write_capacity_units(), Some(5));
    let class = table.table_class_summary().unwrap();
    assert_eq!(class.table_class(), Some(&TableClass::StandardInfrequentAccess));
    assert_eq!(table.sse_description().unwrap().sse_type(), Some(&SseType::Kms));
}

#[tokio::test]
async fn tables_that_make_no_sense_are_refused() {
    let client = dynamodb();
    let unused = client
        .create_table()
        .table_name(unique_name("refused"))
        .attribute_definitions(definition("pk", "S"))
        .attribute_definitions(definition("unused", "S"))
        .key_schema(key_element("pk", KeyType::Hash))
        .billing_mode(BillingMode::PayPerRequest)
        .send()
        .await;
    assert_eq!(failure(unused).code, "ValidationException");

    let short = client
        .create_table()
        .table_name("ab")
        .attribute_definitions(definition("pk", "S"))
        .key_schema(key_element("pk", KeyType::Hash))
        .billing_mode(BillingMode::PayPerRequest)
        .send()
        .await;
    let SdkError::ServiceError(refused) = short.unwrap_err() else { unreachable!("the service refuses it") };
    assert_eq!(refused.raw().status().as_u16(), 400);
}

async fn wait_until_active(client: &aws_sdk_dynamodb::Client, table: &str) {
    client.wait_until_table_exists().table_name(table).wait(Duration::from_secs(60)).await.unwrap();
}

fn throughput(read: i64, write: i64) -> ProvisionedThroughput {
    ProvisionedThroughput::builder().read_capacity_units(read).write_capacity_units(write).build().unwrap()
}
