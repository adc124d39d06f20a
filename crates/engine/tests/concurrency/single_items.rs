//! Single items: nothing is lost, and one of many wins.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use sortkey_api::ErrorKind;
use sortkey_api::operations::PutItemInput;
use sortkey_value::Item;

use crate::requests::{add, get, number};
use crate::support::Database;
use crate::{THREADS, databases, on_threads};

#[test]
fn counters_lose_nothing() {
    const COUNTERS: usize = 4;
    const ROUNDS: usize = 40;
    for database in databases() {
        database.create_table("table", false, json!({}));
        let name = |thread: usize| format!("counter{}", thread % COUNTERS);
        let seen: Vec<Mutex<Vec<i64>>> = (0..COUNTERS).map(|_| Mutex::default()).collect();
        on_threads(THREADS, |thread| {
            for _ in 0..ROUNDS {
                let answer = add(&database.engine, &name(thread), 1).wait().unwrap();
                seen[thread % COUNTERS].lock().unwrap().push(number(&answer.attributes.unwrap()));
            }
        });
        let each = THREADS * ROUNDS / COUNTERS;
        for (counter, seen) in seen.into_iter().enumerate() {
            let item = get(&database.engine, &name(counter)).unwrap();
            assert_eq!(number(&item), each as i64);
            // Every value was somebody's answer.
            let mut seen = seen.into_inner().unwrap();
            seen.sort_unstable();
            assert_eq!(seen, (1..=each as i64).collect::<Vec<_>>());
        }
    }
}

#[test]
fn one_of_many_conditional_puts_wins() {
    const KEYS: usize = 10;
    for database in databases() {
        database.create_table("table", false, json!({}));
        let winners: Mutex<BTreeMap<usize, Vec<usize>>> = Mutex::default();
        let losers = AtomicUsize::new(0);
        on_threads(THREADS, |thread| {
            for attempt in 0..KEYS {
                let item = (thread + attempt) % KEYS;
                let put = database.engine.put_item(PutItemInput {
                    table_name: "table".into(),
                    item: Item::from([("pk", item.to_string()), ("winner", thread.to_string())]).into(),
                    condition_expression: Some("attribute_not_exists(pk)".into()),
                    ..Default::default()
                });
                match put.wait() {
                    Ok(_) => winners.lock().unwrap().entry(item).or_default().push(thread),
                    Err(error) => {
                        assert_eq!(error.kind, ErrorKind::ConditionalCheckFailedException, "{error}");
                        losers.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
        });
        assert_eq!(losers.into_inner(), (THREADS - 1) * KEYS);
        for (item, winners) in winners.into_inner().unwrap() {
            let stored = get(&database.engine, &item.to_string()).unwrap();
            let [winner] = winners.as_slice() else { panic!("{item} was won by {winners:?}") };
            assert_eq!(stored, Item::from([("pk", item.to_string()), ("winner", winner.to_string())]));
        }
    }
}

/// A stream has the changes of an item in the order in which they happened.
#[test]
fn streams_are_in_order() {
    const ROUNDS: usize = 10;
    for database in databases() {
        let stream = json!({"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"});
        database.create_table("table", false, json!({"StreamSpecification": stream}));
        on_threads(THREADS, |thread| {
            for _ in 0..ROUNDS {
                add(&database.engine, &format!("counter{}", thread % 8), 1).wait().unwrap();
            }
        });
        let told = records(&database);
        assert_eq!(told.len(), 8);
        for values in told.values() {
            assert_eq!(*values, (1..=(THREADS * ROUNDS / 8) as i64).collect::<Vec<_>>());
        }
    }
}

/// The values of all counters in the stream, in its order.
fn records(database: &Database) -> BTreeMap<String, Vec<i64>> {
    let arn = database.ok("ListStreams", json!({}))["Streams"][0]["StreamArn"].take();
    let stream = database.ok("DescribeStream", json!({"StreamArn": arn}));
    let mut told: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for shard in stream["StreamDescription"]["Shards"].as_array().unwrap() {
        let start =
            json!({"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"});
        let iterator = database.ok("GetShardIterator", start)["ShardIterator"].take();
        let page = database.ok("GetRecords", json!({"ShardIterator": iterator}));
        for record in page["Records"].as_array().unwrap() {
            let image = &record["dynamodb"]["NewImage"];
            let value = image["n"]["N"].as_str().unwrap().parse().unwrap();
            told.entry(image["pk"]["S"].as_str().unwrap().to_owned()).or_default().push(value);
        }
    }
    told
}

/// Writes that were handed over survive when the database is dropped.
#[test]
fn writes_outlive_their_database() {
    for database in databases() {
        database.create_table("table", false, json!({}));
        let replies: Vec<_> = (0..10).map(|_| add(&database.engine, "counter", 1)).collect();
        drop(database);
        let values = replies.into_iter().map(|reply| number(&reply.wait().unwrap().attributes.unwrap()));
        assert_eq!(values.collect::<Vec<_>>(), (1..=10).collect::<Vec<_>>());
    }
}
