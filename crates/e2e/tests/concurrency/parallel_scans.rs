//! A parallel scan sees every item that stays, exactly once, whatever is written meanwhile.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aws_sdk_dynamodb::types::{PutRequest, WriteRequest};
use sortkey_e2e::{Item, Table, dynamodb, item, n, s};
use tokio::task::JoinSet;

const ITEMS: usize = 2000;
const SEGMENTS: i32 = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_item_once() {
    let client = dynamodb();
    let table = Table::new(&client, "segments", &["pk", "sk:N"]).create(&client).await;
    for first in (0..ITEMS).step_by(25) {
        let puts = (first..first + 25).map(|number| {
            let put = PutRequest::builder().set_item(Some(numbered(number))).build().unwrap();
            WriteRequest::builder().put_request(put).build()
        });
        client.batch_write_item().request_items(&table, puts.collect()).send().await.unwrap();
    }
    let done = Arc::new(AtomicBool::new(false));
    let writers = churn(&table, &done);

    let mut segments = JoinSet::new();
    for segment in 0..SEGMENTS {
        let table = table.clone();
        segments.spawn(async move {
            let scan =
                dynamodb().scan().table_name(table).segment(segment).total_segments(SEGMENTS).limit(50);
            scan.into_paginator().items().send().collect::<Result<Vec<Item>, _>>().await.unwrap()
        });
    }
    let mut seen = BTreeMap::new();
    for item in segments.join_all().await.into_iter().flatten().filter(|item| !item.contains_key("guest")) {
        *seen.entry(item["sk"].as_n().unwrap().parse::<usize>().unwrap()).or_insert(0) += 1;
    }
    done.store(true, Ordering::Relaxed);
    writers.join_all().await;
    assert_eq!(seen, (0..ITEMS).map(|number| (number, 1)).collect());
}

/// Writers that change what stays and add and remove what does not, until `done`.
fn churn(table: &str, done: &Arc<AtomicBool>) -> JoinSet<()> {
    let mut writers = JoinSet::new();
    for writer in 0..4 {
        let (table, done) = (table.to_owned(), done.clone());
        writers.spawn(async move {
            let client = dynamodb();
            let mut number = writer;
            while !done.load(Ordering::Relaxed) {
                number = (number + 37) % ITEMS;
                let mut changed = numbered(number);
                changed.insert("seen".into(), n(writer));
                client.put_item().table_name(&table).set_item(Some(changed)).send().await.unwrap();
                let guest = item([("pk", s(format!("guest{writer}"))), ("sk", n(number)), ("guest", n(1))]);
                let key = item([("pk", guest["pk"].clone()), ("sk", guest["sk"].clone())]);
                client.put_item().table_name(&table).set_item(Some(guest)).send().await.unwrap();
                client.delete_item().table_name(&table).set_key(Some(key)).send().await.unwrap();
            }
        });
    }
    writers
}

/// Item `number`, in one of 50 partitions.
fn numbered(number: usize) -> Item {
    item([("pk", s(number % 50)), ("sk", n(number))])
}
