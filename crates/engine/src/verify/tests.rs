//! A sound database has no problems, and each kind of damage is found.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use sortkey_api::OperationId;
use sortkey_storage::{Change, Commit, MemoryStore};

use super::*;
use crate::{Engine, Settings};

/// A table with an index, a stream, expiry, and a token.
fn database() -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::new());
    let settings = Settings { expiry_interval: None, ..Settings::default() };
    let engine = Engine::open(Arc::clone(&store) as Arc<dyn Store>, settings);
    let call = |operation: &str, input: Json| {
        let operation = OperationId::from_name(operation).unwrap();
        let body = input.to_string();
        pollster::block_on(engine.call(operation, body.as_bytes())).result.unwrap();
    };
    call(
        "CreateTable",
        json!({
            "TableName": "Tab",
            "AttributeDefinitions": [
                { "AttributeName": "pk", "AttributeType": "S" }, { "AttributeName": "g", "AttributeType": "S" }
            ],
            "KeySchema": [{ "AttributeName": "pk", "KeyType": "HASH" }],
            "GlobalSecondaryIndexes": [{
                "IndexName": "byG", "KeySchema": [{ "AttributeName": "g", "KeyType": "HASH" }],
                "Projection": { "ProjectionType": "KEYS_ONLY" }
            }],
            "BillingMode": "PAY_PER_REQUEST",
            "StreamSpecification": { "StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES" }
        }),
    );
    let expiry = json!({ "AttributeName": "ttl", "Enabled": true });
    call("UpdateTimeToLive", json!({ "TableName": "Tab", "TimeToLiveSpecification": expiry }));
    let recovery = json!({ "PointInTimeRecoveryEnabled": true });
    call(
        "UpdateContinuousBackups",
        json!({ "TableName": "Tab", "PointInTimeRecoverySpecification": recovery }),
    );
    for number in 0..20 {
        let mut item = json!({ "pk": { "S": format!("p{number}") }, "ttl": { "N": "9999999999" } });
        if number % 2 == 0 {
            item["g"] = json!({ "S": "even" });
        }
        call("PutItem", json!({ "TableName": "Tab", "Item": item }));
    }
    call("DeleteItem", json!({ "TableName": "Tab", "Key": { "pk": { "S": "p4" } } }));
    let put = json!({ "Put": { "TableName": "Tab", "Item": { "pk": { "S": "p1" } } } });
    call("TransactWriteItems", json!({ "TransactItems": [put], "ClientRequestToken": "token" }));
    // Expiry is complete when the background thread has seen the table.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(120);
    let is_complete = |store: &MemoryStore| {
        let value = store.snapshot().get(&layout::table("Tab")).unwrap().unwrap();
        crate::catalog::table::Table::from_value(&value).unwrap().expiry.is_some_and(|expiry| expiry.complete)
    };
    while !is_complete(&store) {
        assert!(std::time::Instant::now() < deadline);
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    store
}

#[test]
fn a_sound_database_has_no_problems() {
    let report = verify(&*database());
    assert_eq!(report.problems, []);
    assert!(report.is_sound());
    let table =
        TableReport { name: "Tab".into(), items: 19, index_entries: 9, stream_records: 22, changes: 22 };
    assert_eq!(report.tables, [table]);
}

#[test]
fn every_kind_of_damage_is_found() {
    let whole = database();
    let first = |space: &[u8]| {
        let (low, high) = layout::starting_with(space);
        let (low, high) = (low.as_ref().map(Vec::as_slice), high.as_ref().map(Vec::as_slice));
        let snapshot = whole.snapshot();
        snapshot.range(low, high, Order::Ascending).next().unwrap().unwrap()
    };
    let delete = |space: &[u8]| Change::Delete(first(space).0);
    let put = |key: Vec<u8>, value: &[u8]| Change::Put(key.into(), value.into());
    let (items, index) = (layout::items(1), layout::index_entries(1, 1));
    // Any but the first of its shard, which might have been trimmed.
    let record = all(&whole, &[0x04]).into_iter().nth(1).unwrap();
    let (entry, entry_value) = first(&index);
    // The change of an item that was there before.
    let lost = all(&whole, &layout::history(1)).into_iter().find(|(_, value)| value.len() > 8).unwrap();
    let moved = [&entry[..], b"x"].concat();
    for (change, expected) in [
        (delete(&items), "are accounted for"),
        (put(first(&items).0.to_vec(), b"nonsense"), "cannot be read"),
        (put([&items[..], b"elsewhere"].concat(), &first(&items).1), "belong to another place"),
        (delete(&index), "but the items make"),
        (put(moved, &entry_value), "is not what its item makes"),
        (delete(&layout::expiries(1)), "will not be found"),
        (delete(&layout::totals(1, 0)), "0 items of 0 bytes are accounted for"),
        (put(record.0.to_vec(), b"12345678nonsense"), "a stream record cannot be read"),
        (put(layout::table("Tab").to_vec(), b"\x09"), "a table descriptor"),
        (put(layout::items(77), b""), "belongs to table 77, which does not exist"),
        (delete(&[0x07]), "will never be forgotten"),
        (delete(&layout::history(1)), "is not in the history"),
        (delete(&layout::history_log(1)), "changes in the history, but 21 in its log"),
        (delete(&layout::totals(1, layout::HISTORY_TOTALS)), "0 changes of 0 bytes are accounted for"),
        (put(lost.0.to_vec(), &lost.1[..8]), "the history and the stream contradict each other"),
        (Change::Delete(record.0.clone()), "a change of the history is not in the stream"),
    ] {
        let damaged = whole.fork();
        let (version, time_ms) = damaged.last_commit();
        damaged.commit(Commit { changes: vec![change], version, time_ms }).unwrap();
        let report = verify(&damaged);
        let found = report.problems.iter().any(|problem| problem.what.contains(expected));
        assert!(found, "{expected}: {:?}", report.problems);
    }
}

fn all(store: &MemoryStore, space: &[u8]) -> Vec<sortkey_storage::Entry> {
    let (low, high) = layout::starting_with(space);
    let (low, high) = (low.as_ref().map(Vec::as_slice), high.as_ref().map(Vec::as_slice));
    store.snapshot().range(low, high, Order::Ascending).map(Result::unwrap).collect()
}

#[test]
fn a_stream_that_lost_a_record_is_found() {
    let whole = database();
    // The record of the deletion is the last of its key.
    let records = all(&whole, &[0x04]);
    let removal = records.iter().find(|(_, value)| value[8] == 3).unwrap();
    let damaged = whole.fork();
    let (version, time_ms) = damaged.last_commit();
    damaged.commit(Commit { changes: vec![Change::Delete(removal.0.clone())], version, time_ms }).unwrap();
    let report = verify(&damaged);
    assert!(
        report.problems.iter().any(|problem| problem.what.contains("not what the last stream record says")),
        "{:?}",
        report.problems
    );
}
