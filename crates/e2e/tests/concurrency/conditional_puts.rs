//! Of many clients that put the same key if it is free, exactly one wins, and it is the one that is stored.

use sortkey_e2e::{Table, dynamodb, item, n, s};
use tokio::task::JoinSet;

const CLIENTS: usize = 64;
const ROUNDS: usize = 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exactly_one_wins() {
    let client = dynamodb();
    let table =
        Table::new(&client, "winner", &["pk"]).global("by-round", &["round:N"], &[]).create(&client).await;
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        let table = table.clone();
        clients.spawn(async move {
            let client = dynamodb();
            let mut won = Vec::new();
            for round in 0..ROUNDS {
                let put = client
                    .put_item()
                    .table_name(&table)
                    .set_item(Some(item([("pk", s(round)), ("round", n(round)), ("winner", n(number))])))
                    .condition_expression("attribute_not_exists(pk)")
                    .send()
                    .await;
                match put {
                    Ok(_) => won.push(round),
                    Err(error) => assert!(error.into_service_error().is_conditional_check_failed_exception()),
                }
            }
            (number, won)
        });
    }
    let mut winners = vec![Vec::new(); ROUNDS];
    for (number, won) in clients.join_all().await {
        for round in won {
            winners[round].push(number);
        }
    }
    for (round, winners) in winners.iter().enumerate() {
        assert_eq!(winners.len(), 1, "round {round} was won by {winners:?}");
        let stored = client.get_item().table_name(&table).key("pk", s(round)).consistent_read(true);
        assert_eq!(stored.send().await.unwrap().item.unwrap()["winner"], n(winners[0]));
        let indexed = client
            .query()
            .table_name(&table)
            .index_name("by-round")
            .key_condition_expression("round = :r")
            .expression_attribute_values(":r", n(round))
            .send()
            .await
            .unwrap();
        assert_eq!(indexed.count, 1);
    }
}
