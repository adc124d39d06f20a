//! TransactWriteItems and TransactGetItems: all or nothing, with reasons and idempotency.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    ConditionCheck, Delete, Get, Put, ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure,
    TransactGetItem, TransactWriteItem, Update,
};
use sortkey_e2e::{Item, Table, dynamodb, failure, item, n, s, unique_name};

async fn accounts(client: &Client) -> String {
    let table = Table::new(client, "accounts", &["id"]).create(client).await;
    for (id, balance) in [("a", 100), ("b", 0), ("old", 1)] {
        let item = item([("id", s(id)), ("balance", n(balance))]);
        client.put_item().table_name(&table).set_item(Some(item)).send().await.unwrap();
    }
    table
}

fn put(table: &str, item: Item) -> TransactWriteItem {
    let put = Put::builder().table_name(table).set_item(Some(item)).build().unwrap();
    TransactWriteItem::builder().put(put).build()
}

fn pay(table: &str, id: &str, amount: i32) -> TransactWriteItem {
    let update = Update::builder()
        .table_name(table)
        .key("id", s(id))
        .update_expression("SET balance = balance + :amount")
        .condition_expression("balance >= :least")
        .expression_attribute_values(":amount", n(amount))
        .expression_attribute_values(":least", n(-amount))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()
        .unwrap();
    TransactWriteItem::builder().update(update).build()
}

async fn balances(client: &Client, table: &str, ids: &[&str]) -> Vec<Option<String>> {
    let mut request = client.transact_get_items();
    for id in ids {
        let get = Get::builder().table_name(table).key("id", s(id)).projection_expression("balance").build();
        request = request.transact_items(TransactGetItem::builder().get(get.unwrap()).build());
    }
    let responses = request.send().await.unwrap().responses.unwrap();
    responses.into_iter().map(|one| Some(one.item?["balance"].as_n().unwrap().clone())).collect()
}

#[tokio::test]
async fn four_kinds_of_write_in_one_transaction() {
    let client = dynamodb();
    let table = accounts(&client).await;
    let delete = Delete::builder().table_name(&table).key("id", s("old")).build().unwrap();
    let check = ConditionCheck::builder()
        .table_name(&table)
        .key("id", s("b"))
        .condition_expression("attribute_exists(id)")
        .build()
        .unwrap();
    let done = client
        .transact_write_items()
        .transact_items(put(&table, item([("id", s("c")), ("balance", n(7))])))
        .transact_items(pay(&table, "a", -30))
        .transact_items(TransactWriteItem::builder().delete(delete).build())
        .transact_items(TransactWriteItem::builder().condition_check(check).build())
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .send()
        .await
        .unwrap();
    assert_eq!(done.consumed_capacity.unwrap()[0].capacity_units(), Some(8.0));
    let found = balances(&client, &table, &["a", "b", "c", "old"]).await;
    assert_eq!(found, [Some("70".into()), Some("0".into()), Some("7".into()), None]);
}

#[tokio::test]
async fn a_failed_condition_cancels_everything_and_says_which() {
    let client = dynamodb();
    let table = accounts(&client).await;
    let cancelled = client
        .transact_write_items()
        .transact_items(pay(&table, "a", 500))
        .transact_items(pay(&table, "b", -500))
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    assert_eq!(
        cancelled.message(),
        Some(
            "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]"
        )
    );
    let TransactWriteItemsError::TransactionCanceledException(cancelled) = cancelled else {
        unreachable!("{cancelled:?}")
    };
    let reasons = cancelled.cancellation_reasons();
    assert_eq!(reasons[0].code(), Some("None"));
    assert_eq!(reasons[1].code(), Some("ConditionalCheckFailed"));
    assert_eq!(reasons[1].message(), Some("The conditional request failed"));
    assert_eq!(reasons[1].item(), Some(&item([("id", s("b")), ("balance", n(0))])));
    assert_eq!(balances(&client, &table, &["a", "b"]).await, [Some("100".into()), Some("0".into())]);
}

#[tokio::test]
async fn a_token_makes_a_transaction_happen_once() {
    let client = dynamodb();
    let table = accounts(&client).await;
    let token = unique_name("token");
    let transfer = |amount: i32| {
        client
            .transact_write_items()
            .transact_items(pay(&table, "a", -amount))
            .transact_items(pay(&table, "b", amount))
            .client_request_token(&token)
            .send()
    };
    transfer(10).await.unwrap();
    transfer(10).await.unwrap();
    assert_eq!(balances(&client, &table, &["a", "b"]).await, [Some("90".into()), Some("10".into())]);
    let other = transfer(11).await.unwrap_err().into_service_error();
    assert!(other.is_idempotent_parameter_mismatch_exception(), "{other:?}");
}

#[tokio::test]
async fn transactions_that_make_no_sense_are_refused() {
    let client = dynamodb();
    let table = accounts(&client).await;
    let twice = client
        .transact_write_items()
        .transact_items(pay(&table, "a", 1))
        .transact_items(pay(&table, "a", 2))
        .send()
        .await;
    let refused = failure(twice);
    assert_eq!(refused.code, "ValidationException");
    assert_eq!(refused.message, "Transaction request cannot include multiple operations on one item");
    let empty = client.transact_get_items().set_transact_items(Some(vec![])).send().await;
    assert_eq!(failure(empty).code, "ValidationException");
}
