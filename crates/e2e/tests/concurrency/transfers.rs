//! Transactions that move money keep the sum, at every moment at which it can be read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{Get, TransactGetItem, TransactWriteItem, Update};
use sortkey_e2e::{Table, dynamodb, item, n, s};
use tokio::task::JoinSet;

const ACCOUNTS: usize = 8;
const OPENING_BALANCE: i64 = 100;
const PAYERS: usize = 16;
const PAYMENTS: usize = 60;
const AUDITORS: usize = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sum_never_changes() {
    let client = dynamodb();
    let table = Table::new(&client, "bank", &["id"]).create(&client).await;
    for id in 0..ACCOUNTS {
        let item = item([("id", s(id)), ("balance", n(OPENING_BALANCE))]);
        client.put_item().table_name(&table).set_item(Some(item)).send().await.unwrap();
    }
    let closed = Arc::new(AtomicBool::new(false));
    let audits = Arc::new(AtomicUsize::new(0));
    let mut auditors = JoinSet::new();
    for _ in 0..AUDITORS {
        let (table, closed, audits) = (table.clone(), closed.clone(), audits.clone());
        auditors.spawn(async move {
            let client = dynamodb();
            while !closed.load(Ordering::Relaxed) {
                if let Some(balances) = audit(&client, &table).await {
                    assert_eq!(
                        balances.iter().sum::<i64>(),
                        ACCOUNTS as i64 * OPENING_BALANCE,
                        "{balances:?}"
                    );
                    assert!(balances.iter().all(|balance| *balance >= 0), "{balances:?}");
                    audits.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
    }
    let mut payers = JoinSet::new();
    for payer in 0..PAYERS {
        let table = table.clone();
        payers.spawn(async move {
            let client = dynamodb();
            for payment in 0..PAYMENTS {
                let from = (payer * 7 + payment * 3) % ACCOUNTS;
                let to = (from + 1 + payment % (ACCOUNTS - 1)) % ACCOUNTS;
                transfer(&client, &table, from, to, 1 + (payment % 40) as i64).await;
            }
        });
    }
    payers.join_all().await;
    closed.store(true, Ordering::Relaxed);
    auditors.join_all().await;
    assert!(audits.load(Ordering::Relaxed) > 0, "somebody looked while money moved");
    let balances = audit(&client, &table).await.unwrap();
    assert_eq!(balances.iter().sum::<i64>(), ACCOUNTS as i64 * OPENING_BALANCE);
}

/// Pays until the payment is made or the payer is short of money; others may come between.
async fn transfer(client: &Client, table: &str, from: usize, to: usize, amount: i64) {
    loop {
        let paid = client
            .transact_write_items()
            .transact_items(change(table, from, -amount))
            .transact_items(change(table, to, amount))
            .send()
            .await;
        let Err(error) = paid else { return };
        let error = error.into_service_error();
        let reasons = error.to_string() + &format!("{error:?}");
        assert!(error.is_transaction_canceled_exception(), "{reasons}");
        if reasons.contains("ConditionalCheckFailed") {
            return;
        }
        assert!(reasons.contains("TransactionConflict"), "{reasons}");
    }
}

fn change(table: &str, id: usize, amount: i64) -> TransactWriteItem {
    let update = Update::builder()
        .table_name(table)
        .key("id", s(id))
        .update_expression("SET balance = balance + :amount")
        .condition_expression("balance >= :least")
        .expression_attribute_values(":amount", n(amount))
        .expression_attribute_values(":least", n(-amount))
        .build()
        .unwrap();
    TransactWriteItem::builder().update(update).build()
}

/// All balances at one moment; none if a payment was in the way.
async fn audit(client: &Client, table: &str) -> Option<Vec<i64>> {
    let gets = (0..ACCOUNTS).map(|id| {
        let get = Get::builder().table_name(table).key("id", s(id)).build().unwrap();
        TransactGetItem::builder().get(get).build()
    });
    match client.transact_get_items().set_transact_items(Some(gets.collect())).send().await {
        Ok(read) => {
            let accounts = read.responses.unwrap().into_iter().map(|one| one.item.unwrap());
            Some(accounts.map(|account| account["balance"].as_n().unwrap().parse().unwrap()).collect())
        }
        Err(error) => {
            let error = error.into_service_error();
            assert!(error.is_transaction_canceled_exception(), "{error:?}");
            None
        }
    }
}
