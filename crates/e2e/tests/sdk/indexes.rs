//! Secondary indexes: queried, added to a table that has items, and removed again.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    CreateGlobalSecondaryIndexAction, DeleteGlobalSecondaryIndexAction, GlobalSecondaryIndexDescription,
    GlobalSecondaryIndexUpdate, IndexStatus, KeyType, Projection, ProjectionType,
};
use sortkey_e2e::{Item, Table, definition, dynamodb, failure, item, key_element, n, s};

#[tokio::test]
async fn a_local_index_orders_a_partition_differently() {
    let client = dynamodb();
    let table =
        Table::new(&client, "local", &["pk", "sk"]).local("by-rank", "pk", "rank:N").create(&client).await;
    for (sort, rank) in [("a", 3), ("b", 1), ("c", 2)] {
        let item = item([("pk", s("p")), ("sk", s(sort)), ("rank", n(rank)), ("note", s("not projected"))]);
        client.put_item().table_name(&table).set_item(Some(item)).send().await.unwrap();
    }
    let query = client
        .query()
        .table_name(&table)
        .index_name("by-rank")
        .consistent_read(true)
        .key_condition_expression("pk = :p")
        .expression_attribute_values(":p", s("p"));
    let keys = query.clone().send().await.unwrap().items.unwrap();
    assert_eq!(sorts(&keys), ["b", "c", "a"]);
    assert!(!keys[0].contains_key("note"));
    // A local index fetches from the table what it does not project.
    let whole = query.projection_expression("sk, note").send().await.unwrap().items.unwrap();
    assert_eq!(whole[0], item([("sk", s("b")), ("note", s("not projected"))]));
}

fn sorts(items: &[Item]) -> Vec<&str> {
    items.iter().map(|item| item["sk"].as_s().unwrap().as_str()).collect()
}

#[tokio::test]
async fn a_global_index_is_added_filled_and_removed() {
    let client = dynamodb();
    let table = Table::new(&client, "added", &["pk"]).create(&client).await;
    for number in 0..50 {
        let item = item([("pk", s(number)), ("shelf", s(number % 5)), ("extra", s("x")), ("more", s("y"))]);
        client.put_item().table_name(&table).set_item(Some(item)).send().await.unwrap();
    }
    let create = CreateGlobalSecondaryIndexAction::builder()
        .index_name("by-shelf")
        .key_schema(key_element("shelf", KeyType::Hash))
        .key_schema(key_element("pk", KeyType::Range))
        .projection(
            Projection::builder()
                .projection_type(ProjectionType::Include)
                .non_key_attributes("extra")
                .build(),
        )
        .build()
        .unwrap();
    client
        .update_table()
        .table_name(&table)
        .attribute_definitions(definition("pk", "S"))
        .attribute_definitions(definition("shelf", "S"))
        .global_secondary_index_updates(GlobalSecondaryIndexUpdate::builder().create(create).build())
        .send()
        .await
        .unwrap();
    while index(&client, &table).await.unwrap().index_status != Some(IndexStatus::Active) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let query = client
        .query()
        .table_name(&table)
        .index_name("by-shelf")
        .key_condition_expression("shelf = :s")
        .expression_attribute_values(":s", s(3));
    let found = query.clone().send().await.unwrap();
    assert_eq!(found.count, 10);
    assert_eq!(found.items()[0], item([("pk", s(13)), ("shelf", s(3)), ("extra", s("x"))]));
    let described = index(&client, &table).await.unwrap();
    assert_eq!(described.item_count(), Some(50));
    assert!(described.index_arn().unwrap().ends_with("/index/by-shelf"));

    let consistent = query.clone().consistent_read(true).send().await;
    assert_eq!(failure(consistent).message, "Consistent reads are not supported on global secondary indexes");

    let delete = DeleteGlobalSecondaryIndexAction::builder().index_name("by-shelf").build().unwrap();
    client
        .update_table()
        .table_name(&table)
        .global_secondary_index_updates(GlobalSecondaryIndexUpdate::builder().delete(delete).build())
        .send()
        .await
        .unwrap();
    while index(&client, &table).await.is_some() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let gone = failure(query.send().await);
    assert_eq!(gone.message, "The table does not have the specified index: by-shelf");
}

async fn index(client: &Client, table: &str) -> Option<GlobalSecondaryIndexDescription> {
    let table = client.describe_table().table_name(table).send().await.unwrap().table.unwrap();
    table.global_secondary_indexes.unwrap_or_default().pop()
}

#[tokio::test]
async fn a_global_index_with_two_partition_and_two_sort_attributes() {
    let client = dynamodb();
    let table = Table::new(&client, "multi", &["pk"])
        .global("matches", &["league", "season:N"], &["round:N", "pk"])
        .create(&client)
        .await;
    for (id, season, round) in [("m1", 2025, 1), ("m2", 2026, 2), ("m3", 2026, 1), ("m4", 2026, 10)] {
        let item = item([("pk", s(id)), ("league", s("A")), ("season", n(season)), ("round", n(round))]);
        client.put_item().table_name(&table).set_item(Some(item)).send().await.unwrap();
    }
    let query = |condition: &str| {
        client
            .query()
            .table_name(&table)
            .index_name("matches")
            .key_condition_expression(condition)
            .expression_attribute_values(":l", s("A"))
    };
    let season = query("league = :l AND season = :y").expression_attribute_values(":y", n(2026));
    let found = season.send().await.unwrap().items.unwrap();
    let ids: Vec<_> = found.iter().map(|item| item["pk"].as_s().unwrap().as_str()).collect();
    assert_eq!(ids, ["m3", "m2", "m4"]);

    let half = query("league = :l").send().await;
    assert_eq!(failure(half).code, "ValidationException", "every partition attribute is needed");
}
