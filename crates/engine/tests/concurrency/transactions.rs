//! Transactions: sums stay what they are, conflicts and repetitions are reported.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use sortkey_api::ErrorKind;
use sortkey_api::operations::ScanInput;
use sortkey_storage::Store;
use sortkey_value::{AttributeValue, Item, Map};

use crate::requests::{add, get, get_together, key, number, put, put_together, reasons, transfer};
use crate::support::{Database, SlowStore};
use crate::{THREADS, databases, on_threads};

/// A database with a table, and its store, which can be held while a test does something.
fn held_database() -> (Database, Arc<SlowStore>) {
    let store = SlowStore::new(Duration::ZERO);
    let database = Database::with(Arc::clone(&store) as Arc<dyn Store>);
    database.create_table("table", false, json!({}));
    store.hold();
    (database, store)
}

#[test]
fn money_is_moved_and_never_made() {
    const ACCOUNTS: usize = 12;
    const START: i64 = 100;
    const TRANSFERS: usize = 15;
    for database in databases() {
        let engine = &database.engine;
        database.create_table("table", false, json!({}));
        let names: Vec<String> = (0..ACCOUNTS).map(|account| format!("account{account}")).collect();
        for name in &names {
            let item: Map = [("pk", AttributeValue::from(name.as_str())), ("n", START.into())]
                .map(|(name, value)| (name.to_owned(), value))
                .into();
            put(engine, item.into());
        }
        let (done, conflicts, reads) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for reader in 0..2 {
                let (done, names, reads) = (&done, &names, &reads);
                scope.spawn(move || {
                    while !done.load(Ordering::Relaxed) {
                        let items = if reader == 0 { get_together(engine, names) } else { scan(engine) };
                        assert_eq!(items.iter().map(number).sum::<i64>(), START * ACCOUNTS as i64);
                        assert!(items.iter().all(|item| number(item) >= 0));
                        reads.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            on_threads(THREADS, |thread| {
                for round in 0..TRANSFERS {
                    let from = &names[(thread + round) % ACCOUNTS];
                    let to = &names[(thread * 7 + round * 5 + 1) % ACCOUNTS];
                    if from == to {
                        continue;
                    }
                    while let Err(error) = transfer(engine, from, to, 1 + (round as i64) % 30) {
                        let reasons = reasons(&error);
                        if reasons.iter().all(|reason| reason != "TransactionConflict") {
                            assert_eq!(reasons, ["ConditionalCheckFailed", "None"]);
                            break;
                        }
                        conflicts.fetch_add(1, Ordering::Relaxed);
                        std::thread::yield_now();
                    }
                }
            });
            done.store(true, Ordering::Relaxed);
        });
        assert!(reads.into_inner() > 0);
        assert_eq!(get_together(engine, &names).iter().map(number).sum::<i64>(), START * ACCOUNTS as i64);
    }
}

/// A page of a scan is as of one moment, too.
fn scan(engine: &sortkey_engine::Engine) -> Vec<Item> {
    engine.scan(ScanInput { table_name: "table".into(), ..Default::default() }).wait().unwrap().items.unwrap()
}

#[test]
fn transactions_that_meet_conflict() {
    let (database, store) = held_database();
    let first = put_together(&database.engine, &["a", "b"], None);
    let error = put_together(&database.engine, &["c", "b", "d"], None).wait().err().unwrap();
    assert_eq!(reasons(&error), ["None", "TransactionConflict", "None"]);
    assert_eq!(
        error.message,
        "Transaction cancelled, please refer cancellation reasons for specific reasons [None, TransactionConflict, None]"
    );
    // Transactions on other items are not held up, and a cancelled one left nothing behind.
    let other = put_together(&database.engine, &["d", "e"], None);
    store.release();
    first.wait().unwrap();
    other.wait().unwrap();
    assert!(get(&database.engine, "c").is_none() && get(&database.engine, "e").is_some());
    put_together(&database.engine, &["c", "b"], None).wait().unwrap();
}

#[test]
fn single_writes_wait_for_transactions() {
    let (database, store) = held_database();
    let transaction = put_together(&database.engine, &["a", "b"], None);
    let single = add(&database.engine, "b", 5);
    assert!(get(&database.engine, "b").is_none(), "nothing is visible before it is durable");
    store.release();
    transaction.wait().unwrap();
    assert_eq!(number(&single.wait().unwrap().attributes.unwrap()), 5);
    assert_eq!(get(&database.engine, "a"), Some(key("a")));
}

#[test]
fn transactions_wait_for_single_writes() {
    let (database, store) = held_database();
    let single = add(&database.engine, "a", 5);
    let transaction = put_together(&database.engine, &["a", "b"], None);
    store.release();
    single.wait().unwrap();
    transaction.wait().unwrap();
    assert_eq!(get(&database.engine, "a"), Some(key("a")));
}

#[test]
fn a_token_in_flight_is_in_progress() {
    let (database, store) = held_database();
    let first = put_together(&database.engine, &["a"], Some("token"));
    let again = put_together(&database.engine, &["a"], Some("token")).wait().err().unwrap();
    assert_eq!(again.kind, ErrorKind::TransactionInProgressException);
    // The token counts, not the items.
    let another = put_together(&database.engine, &["b"], Some("token")).wait().err().unwrap();
    assert_eq!(another.kind, ErrorKind::TransactionInProgressException);
    store.release();
    first.wait().unwrap();
    add(&database.engine, "a", 1).wait().unwrap();
    put_together(&database.engine, &["a"], Some("token")).wait().unwrap();
    assert_eq!(number(&get(&database.engine, "a").unwrap()), 1, "it did not happen again");
    let another = put_together(&database.engine, &["b"], Some("token")).wait().err().unwrap();
    assert_eq!(another.kind, ErrorKind::IdempotentParameterMismatchException);
}

/// Of many requests with one token one happens; the others are answered that it is in progress, or that it has happened.
#[test]
fn a_token_lets_one_of_many_happen() {
    for database in databases() {
        database.create_table("table", false, json!({}));
        add(&database.engine, "a", 10).wait().unwrap();
        add(&database.engine, "b", 0).wait().unwrap();
        on_threads(THREADS, |_| {
            let body = json!({
                "TransactItems": [
                    {"Update": {
                        "TableName": "table", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "SET n = n - :one",
                        "ExpressionAttributeValues": {":one": {"N": "1"}}
                    }},
                    {"Update": {
                        "TableName": "table", "Key": {"pk": {"S": "b"}}, "UpdateExpression": "SET n = n + :one",
                        "ExpressionAttributeValues": {":one": {"N": "1"}}
                    }}
                ],
                "ClientRequestToken": "once"
            });
            if let Err(error) = database.call("TransactWriteItems", &body) {
                assert_eq!(error.kind, ErrorKind::TransactionInProgressException, "{error}");
            }
        });
        let number_of = |name: &str| number(&get(&database.engine, name).unwrap());
        assert_eq!((number_of("a"), number_of("b")), (9, 1));
    }
}
