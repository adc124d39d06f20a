//! Increments are never lost, whichever way they are written.

use aws_sdk_dynamodb::Client;
use sortkey_e2e::{Table, dynamodb, item, n, s};
use tokio::task::JoinSet;

const CLIENTS: usize = 64;
const COUNTERS: usize = 3;

/// 64 clients share three counters, so that every increment meets others, and add to them a number of times each.
async fn race<F>(increments: usize, increment: impl Fn(Client, String, String) -> F + Copy + Send + 'static)
where
    F: Future<Output = ()> + Send,
{
    let client = dynamodb();
    let table = Table::new(&client, "counters", &["pk"]).create(&client).await;
    for counter in 0..COUNTERS {
        let item = item([("pk", s(counter)), ("hits", n(0))]);
        client.put_item().table_name(&table).set_item(Some(item)).send().await.unwrap();
    }
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        let table = table.clone();
        clients.spawn(async move {
            let client = dynamodb();
            for round in 0..increments {
                let counter = (number + round) % COUNTERS;
                increment(client.clone(), table.clone(), counter.to_string()).await;
            }
        });
    }
    clients.join_all().await;
    let counters =
        client.scan().table_name(&table).consistent_read(true).send().await.unwrap().items.unwrap();
    let hits: usize =
        counters.iter().map(|counter| counter["hits"].as_n().unwrap().parse::<usize>().unwrap()).sum();
    assert_eq!(hits, CLIENTS * increments);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn add_loses_nothing() {
    race(50, |client, table, counter| async move {
        client
            .update_item()
            .table_name(table)
            .key("pk", s(counter))
            .update_expression("ADD hits :one")
            .expression_attribute_values(":one", n(1))
            .send()
            .await
            .unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn partiql_updates_lose_nothing() {
    race(50, |client, table, counter| async move {
        let statement = format!(r#"UPDATE "{table}" SET hits = hits + 1 WHERE pk = '{counter}'"#);
        client.execute_statement().statement(statement).send().await.unwrap();
    })
    .await;
}

/// Read, add one, write if nobody else has: the optimistic way, which is right only if conditions are judged
/// on the very item that the write replaces.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn read_and_conditional_write_lose_nothing() {
    race(5, |client, table, counter| async move {
        loop {
            let read = client.get_item().table_name(&table).key("pk", s(&counter)).consistent_read(true);
            let hits = read.send().await.unwrap().item.unwrap().remove("hits").unwrap();
            let next = hits.as_n().unwrap().parse::<u32>().unwrap() + 1;
            let written = client
                .put_item()
                .table_name(&table)
                .set_item(Some(item([("pk", s(&counter)), ("hits", n(next))])))
                .condition_expression("hits = :read")
                .expression_attribute_values(":read", hits)
                .send()
                .await;
            match written {
                Ok(_) => return,
                Err(error) => assert!(error.into_service_error().is_conditional_check_failed_exception()),
            }
        }
    })
    .await;
}
