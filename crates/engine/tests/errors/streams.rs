//! Streams: how many shards they have, how they are switched, and which places in them can be asked for.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sortkey_engine::{Engine, Settings};
use sortkey_storage::MemoryStore;

use crate::refused;
use crate::support::{Database, START_MS};

fn with_stream(database: &Database) -> String {
    let stream = json!({"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"});
    let table = database.create_table("table", false, json!({"StreamSpecification": stream}));
    table["TableDescription"]["LatestStreamArn"].as_str().unwrap().to_owned()
}

fn shards(database: &Database, arn: &str) -> Vec<Value> {
    let stream = database.ok("DescribeStream", json!({"StreamArn": arn}));
    stream["StreamDescription"]["Shards"].as_array().unwrap().clone()
}

fn put(database: &Database, key: &str) {
    database.ok("PutItem", json!({"TableName": "table", "Item": {"pk": {"S": key}}}));
}

/// The keys of a shard's records from its beginning, and whether it is read to its end.
fn read(database: &Database, arn: &str, shard: &Value) -> (Vec<String>, bool) {
    let from = json!({"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"});
    let iterator = database.ok("GetShardIterator", from)["ShardIterator"].clone();
    let records = database.ok("GetRecords", json!({"ShardIterator": iterator}));
    let key = |record: &Value| record["dynamodb"]["Keys"]["pk"]["S"].as_str().unwrap().to_owned();
    let keys = records["Records"].as_array().unwrap().iter().map(key).collect();
    (keys, records.get("NextShardIterator").is_none())
}

// F-80: a stream had four shards from the start, and readers of the first saw a part of the records.
#[test]
fn a_new_stream_has_one_shard_with_all_records() {
    let database = Database::new();
    let arn = with_stream(&database);
    let keys: Vec<String> = (0..20).map(|number| format!("key {number}")).collect();
    keys.iter().for_each(|key| put(&database, key));
    let shards = shards(&database, &arn);
    assert_eq!(shards.len(), 1);
    assert_eq!(shards[0].get("ParentShardId"), None);
    assert_eq!(read(&database, &arn, &shards[0]), (keys, false));
}

// F-80: with the setting, shards split into children, and nothing is lost between them.
#[test]
fn shards_split_into_children() {
    let lifetime = Duration::from_secs(60);
    let settings = Settings {
        seed: 1,
        expiry_interval: Some(Duration::from_millis(1)),
        shard_lifetime: Some(lifetime),
        ..Settings::default()
    };
    let store = Arc::new(MemoryStore::new());
    let engine = Engine::open(Arc::clone(&store) as Arc<dyn sortkey_storage::Store>, settings);
    engine.stop_clock_at(START_MS);
    let database = Database { engine };
    let arn = with_stream(&database);
    let mut written = Vec::new();
    for (generation, expected) in [1, 3, 7, 11].into_iter().enumerate() {
        while shards(&database, &arn).len() < expected {
            std::thread::sleep(Duration::from_millis(1));
        }
        for number in 0..20 {
            let key = format!("{generation} {number}");
            put(&database, &key);
            written.push(key);
        }
        database.engine.advance_clock(60_000);
    }
    while shards(&database, &arn).len() < 15 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let shards = shards(&database, &arn);
    let parents = |from: usize, to: usize| -> Vec<usize> {
        let place = |id: &Value| shards.iter().position(|shard| shard["ShardId"] == *id).unwrap();
        shards[from..to].iter().map(|shard| place(&shard["ParentShardId"])).collect()
    };
    assert_eq!(parents(1, 3), [0, 0]);
    assert_eq!(parents(3, 7), [1, 1, 2, 2]);
    assert_eq!(parents(7, 11), [3, 4, 5, 6]);
    let mut found = Vec::new();
    for (number, shard) in shards.iter().enumerate() {
        let (keys, ended) = read(&database, &arn, shard);
        assert_eq!(ended, number < 11, "shard {number}");
        assert_eq!(shard["SequenceNumberRange"].get("EndingSequenceNumber").is_some(), ended);
        found.extend(keys);
    }
    found.sort();
    written.sort();
    assert_eq!(found, written);
    let children =
        json!({"StreamArn": arn, "ShardFilter": {"Type": "CHILD_SHARDS", "ShardId": shards[1]["ShardId"]}});
    let children = database.ok("DescribeStream", children)["StreamDescription"]["Shards"].clone();
    assert_eq!(children, json!([shards[3], shards[4]]));

    let report = sortkey_engine::verify(&*store);
    assert!(report.problems.is_empty(), "{:?}", report.problems);

    // A day later the oldest generations are gone, with their records.
    database.engine.advance_clock(24 * 60 * 60 * 1000 + 1000);
    let oldest = shards[0]["ShardId"].clone();
    while self::shards(&database, &arn).iter().any(|shard| shard["ShardId"] == oldest) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

// F-81: AWS's errors about streams that are on or off already.
#[test]
fn switching_a_stream_to_what_it_is_is_invalid() {
    let database = Database::new();
    let update = |stream: Value| json!({"TableName": "table", "StreamSpecification": stream});
    let on = |view: &str| update(json!({"StreamEnabled": true, "StreamViewType": view}));
    let off = || update(json!({"StreamEnabled": false}));
    with_stream(&database);
    let already = "Table already has an enabled stream: TableName: table";
    refused(&database, "UpdateTable", [(on("KEYS_ONLY"), already), (on("NEW_AND_OLD_IMAGES"), already)]);
    database.ok("UpdateTable", off());
    refused(&database, "UpdateTable", [(off(), "Table has no stream to disable: TableName: table")]);
}

// F-81: places and filters with too many or too few members.
#[test]
fn places_and_filters_are_complete() {
    let database = Database::new();
    let arn = with_stream(&database);
    let shard = shards(&database, &arn)[0].clone();
    let number = &shard["SequenceNumberRange"]["StartingSequenceNumber"];
    let place = |kind: &str, number: Option<&Value>| {
        let mut body = json!({"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": kind});
        if let Some(number) = number {
            body["SequenceNumber"] = number.clone();
        }
        body
    };
    for kind in ["AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"] {
        database.ok("GetShardIterator", place(kind, Some(number)));
    }
    for kind in ["TRIM_HORIZON", "LATEST"] {
        database.ok("GetShardIterator", place(kind, None));
    }
    refused(
        &database,
        "GetShardIterator",
        [
            (
                place("TRIM_HORIZON", Some(number)),
                "SequenceNumber cannot be specified when ShardIteratorType is TRIM_HORIZON",
            ),
            (
                place("LATEST", Some(number)),
                "SequenceNumber cannot be specified when ShardIteratorType is LATEST",
            ),
            (
                place("AT_SEQUENCE_NUMBER", None),
                "SequenceNumber must be specified when ShardIteratorType is AT_SEQUENCE_NUMBER",
            ),
        ],
    );
    let filter = |filter: Value| json!({"StreamArn": arn, "ShardFilter": filter});
    refused(
        &database,
        "DescribeStream",
        [
            (filter(json!({"ShardId": shard["ShardId"]})), "ShardFilter.Type must be specified"),
            (
                filter(json!({"Type": "CHILD_SHARDS"})),
                "ShardFilter.ShardId must be specified when ShardFilter.Type is CHILD_SHARDS",
            ),
        ],
    );
}
