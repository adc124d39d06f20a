//! An index added to a table that is being written is complete and right from the moment it is ACTIVE.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    CreateGlobalSecondaryIndexAction, GlobalSecondaryIndexUpdate, IndexStatus, KeyType, Projection,
    ProjectionType, PutRequest, WriteRequest,
};
use sortkey_e2e::{Item, Table, definition, dynamodb, item, key_element, n, s};
use tokio::task::JoinSet;

const ITEMS: usize = 2000;
const WRITERS: usize = 8;
const SHELVES: usize = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn never_wrong_once_active() {
    let client = dynamodb();
    let table = Table::new(&client, "backfill", &["id:N"]).create(&client).await;
    for first in (0..ITEMS).step_by(25) {
        let puts = (first..first + 25).map(|id| {
            let put = PutRequest::builder().set_item(Some(book(id, 0))).build().unwrap();
            WriteRequest::builder().put_request(put).build()
        });
        client.batch_write_item().request_items(&table, puts.collect()).send().await.unwrap();
    }

    let done = Arc::new(AtomicBool::new(false));
    let writers = write(&table, &done);
    add_index(&client, &table).await;
    // Each reader of the index while writers move items: an item that it shows must have been on that shelf, so
    // its two attributes agree.
    for _ in 0..5 {
        for shelf in 0..SHELVES {
            for found in shelf_of_index(&client, &table, shelf).await {
                assert_eq!(number(&found, "shelf"), shelf);
                assert_eq!(number(&found, "version") % SHELVES, shelf, "{found:?}");
            }
        }
    }
    done.store(true, Ordering::Relaxed);
    let last_versions: BTreeMap<usize, Option<usize>> =
        writers.join_all().await.into_iter().flatten().collect();

    let mut indexed = BTreeMap::new();
    for shelf in 0..SHELVES {
        for found in shelf_of_index(&client, &table, shelf).await {
            let twice = indexed.insert(number(&found, "id"), Some(number(&found, "version")));
            assert_eq!(twice, None, "an item stands on one shelf");
        }
    }
    let expected: BTreeMap<_, _> = (0..ITEMS)
        .map(|id| (id, last_versions.get(&id).copied().unwrap_or(Some(0))))
        .filter(|(_, version)| version.is_some())
        .collect();
    assert_eq!(indexed, expected);
}

/// Each writer owns the ids of its own residue, moves them between shelves and deletes some, and returns what it
/// left of each: a version, or nothing.
fn write(table: &str, done: &Arc<AtomicBool>) -> JoinSet<Vec<(usize, Option<usize>)>> {
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let (table, done) = (table.to_owned(), done.clone());
        writers.spawn(async move {
            let client = dynamodb();
            let mut left = BTreeMap::new();
            let mut round = 0;
            while !done.load(Ordering::Relaxed) {
                round += 1;
                let id = ((round * 61) % (ITEMS / WRITERS)) * WRITERS + writer;
                if round % 5 == 0 {
                    client.delete_item().table_name(&table).key("id", n(id)).send().await.unwrap();
                    left.insert(id, None);
                } else {
                    client
                        .put_item()
                        .table_name(&table)
                        .set_item(Some(book(id, round)))
                        .send()
                        .await
                        .unwrap();
                    left.insert(id, Some(round));
                }
            }
            left.into_iter().collect()
        });
    }
    writers
}

/// Version `version` of a book, which decides its shelf.
fn book(id: usize, version: usize) -> Item {
    item([
        ("id", n(id)),
        ("version", n(version)),
        ("shelf", n(version % SHELVES)),
        ("title", s("x".repeat(100))),
    ])
}

fn number(item: &Item, attribute: &str) -> usize {
    item[attribute].as_n().unwrap().parse().unwrap()
}

async fn add_index(client: &Client, table: &str) {
    let create = CreateGlobalSecondaryIndexAction::builder()
        .index_name("by-shelf")
        .key_schema(key_element("shelf", KeyType::Hash))
        .projection(Projection::builder().projection_type(ProjectionType::All).build())
        .build()
        .unwrap();
    client
        .update_table()
        .table_name(table)
        .attribute_definitions(definition("id", "N"))
        .attribute_definitions(definition("shelf", "N"))
        .global_secondary_index_updates(GlobalSecondaryIndexUpdate::builder().create(create).build())
        .send()
        .await
        .unwrap();
    loop {
        let described = client.describe_table().table_name(table).send().await.unwrap().table.unwrap();
        if described.global_secondary_indexes()[0].index_status() == Some(&IndexStatus::Active) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn shelf_of_index(client: &Client, table: &str, shelf: usize) -> Vec<Item> {
    let query = client
        .query()
        .table_name(table)
        .index_name("by-shelf")
        .key_condition_expression("shelf = :s")
        .expression_attribute_values(":s", n(shelf));
    query.into_paginator().items().send().collect::<Result<_, _>>().await.unwrap()
}
