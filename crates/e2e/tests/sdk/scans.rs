//! Scan: everything once, in pages or in parallel segments.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, ComparisonOperator, Condition};
use sortkey_e2e::{Item, Table, dynamodb, failure, item, n, s};

/// A table of 200 items `0..200`, of which each tenth is in the index `tenths`.
async fn table(client: &Client) -> String {
    let table =
        Table::new(client, "scan", &["id:N"]).global("tenths", &["tenth:N"], &[]).create(client).await;
    for number in 0..200 {
        let mut item = item([("id", n(number)), ("parity", n(number % 2))]);
        if number % 10 == 0 {
            item.insert("tenth".into(), n(number / 10));
        }
        client.put_item().table_name(&table).set_item(Some(item)).send().await.unwrap();
    }
    table
}

fn ids(items: &[Item]) -> BTreeSet<u32> {
    items.iter().map(|item| item["id"].as_n().unwrap().parse().unwrap()).collect()
}

#[tokio::test]
async fn pages_cover_the_table_once() {
    let client = dynamodb();
    let table = table(&client).await;
    let scan = client.scan().table_name(&table).limit(30).into_paginator().items().send();
    let items: Vec<Item> = scan.collect::<Result<_, _>>().await.unwrap();
    assert_eq!(items.len(), 200);
    assert_eq!(ids(&items), (0..200).collect());
}

#[tokio::test]
async fn segments_partition_the_table() {
    let client = dynamodb();
    let table = table(&client).await;
    let mut items = Vec::new();
    for segment in 0..4 {
        let scan = client.scan().table_name(&table).segment(segment).total_segments(4).limit(7);
        let part: Vec<Item> = scan.into_paginator().items().send().collect::<Result<_, _>>().await.unwrap();
        assert!((20..80).contains(&part.len()), "segment {segment} has {} of 200", part.len());
        items.extend(part);
    }
    assert_eq!(items.len(), 200);
    assert_eq!(ids(&items), (0..200).collect());

    let beyond = client.scan().table_name(&table).segment(4).total_segments(4).send().await;
    assert_eq!(failure(beyond).code, "ValidationException");
}

#[tokio::test]
async fn a_sparse_index_holds_what_has_its_key() {
    let client = dynamodb();
    let table = table(&client).await;
    let scanned = client.scan().table_name(&table).index_name("tenths").send().await.unwrap();
    assert_eq!(ids(scanned.items()), (0..200).step_by(10).collect());
}

#[tokio::test]
async fn filters_new_and_old() {
    let client = dynamodb();
    let table = table(&client).await;
    let odd = client
        .scan()
        .table_name(&table)
        .filter_expression("parity = :odd AND id BETWEEN :from AND :to")
        .expression_attribute_values(":odd", n(1))
        .expression_attribute_values(":from", n(10))
        .expression_attribute_values(":to", n(20))
        .send()
        .await
        .unwrap();
    assert_eq!(ids(odd.items()), BTreeSet::from([11, 13, 15, 17, 19]));
    assert_eq!(odd.scanned_count, 200);

    let listed = |values: &[AttributeValue]| {
        let values = Some(values.to_vec());
        Condition::builder()
            .comparison_operator(ComparisonOperator::In)
            .set_attribute_value_list(values)
            .build()
    };
    let old = client.scan().table_name(&table).scan_filter("id", listed(&[n(3), n(4), n(900)]).unwrap());
    assert_eq!(ids(old.send().await.unwrap().items()), BTreeSet::from([3, 4]));

    let nothing = client
        .scan()
        .table_name(&table)
        .filter_expression("contains(word, :w)")
        .expression_attribute_values(":w", s("x"))
        .limit(10)
        .send()
        .await
        .unwrap();
    assert_eq!((nothing.count, nothing.scanned_count), (0, 10));
    assert!(nothing.last_evaluated_key.is_some(), "a page may be empty and not the last");
}
