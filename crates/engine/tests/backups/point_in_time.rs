//! A table as it was: restored to any second of a random history, it is what a naive model remembers of that second.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sortkey_api::operations::{RestoreTableToPointInTimeInput, UpdateTimeToLiveInput};
use sortkey_api::shapes::time_to_live::TimeToLiveSpecification;
use sortkey_storage::{MemoryStore, Store};
use sortkey_testkit::Random;

use crate::support::{Database, START_MS, SlowStore};
use crate::{Items, items, put, switch_recovery};

/// The items of the table after each of its writes, by time.
#[derive(Default)]
struct Model {
    now: Items,
    states: BTreeMap<u64, Items>,
}

impl Model {
    fn apply(&mut self, key: &str, item: Option<Value>) {
        match item {
            Some(item) => self.now.insert(key.to_owned(), item),
            None => self.now.remove(key),
        };
    }

    fn at(&self, time_ms: u64) -> Items {
        self.states.range(..=time_ms).next_back().map(|(_, items)| items.clone()).unwrap_or_default()
    }
}

pub(crate) fn environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// `SORTKEY_RESTORES=200` is the long form; `SORTKEY_SEED` repeats a run.
#[test]
fn any_second_can_be_restored() {
    let restores = environment("SORTKEY_RESTORES", 20);
    let seed = environment("SORTKEY_SEED", 7);
    let mut dice = Random::new(seed);
    let store = Arc::new(MemoryStore::new());
    let database = Database::with(Arc::clone(&store) as Arc<dyn Store>);
    create_table(&database);
    let mut model = Model::default();
    let mut now = START_MS;
    for _ in 0..50 {
        write(&database, &mut model, &mut dice);
    }
    model.states.insert(now, model.now.clone());
    switch_recovery(&database, "table", true);
    for step in 0..400 {
        now += dice.below(3000);
        database.engine.stop_clock_at(now);
        write(&database, &mut model, &mut dice);
        model.states.insert(now, model.now.clone());
        if step == 200 {
            let mut update = crate::support::create_index("later", "h");
            update["TableName"] = json!("table");
            database.ok("UpdateTable", update);
            database.settled("table");
        }
    }
    assert_eq!(items(&database, "table", None), model.now, "seed {seed}");
    for restore in 0..restores {
        let second = START_MS / 1000 + dice.below((now - START_MS) / 1000 + 1);
        let target = format!("restored-{restore}");
        let body = json!({"SourceTableName": "table", "TargetTableName": target, "RestoreDateTime": second});
        database.ok("RestoreTableToPointInTime", body);
        // Writes go on meanwhile, in a time of their own.
        now += 1;
        database.engine.stop_clock_at(now);
        write(&database, &mut model, &mut dice);
        database.settled(&target);
        let expected = model.at(second * 1000);
        assert_eq!(items(&database, &target, None), expected, "seed {seed}, second {second}");
        for (index, attribute) in [("global", "g"), ("local", "l"), ("later", "h")] {
            let mut indexed = expected.clone();
            indexed.retain(|_, item| item.get(attribute).is_some());
            assert_eq!(items(&database, &target, Some(index)), indexed, "seed {seed}, {index} at {second}");
        }
        database.ok("DeleteTable", json!({"TableName": target}));
    }
    assert_eq!(sortkey_engine::verify(&*store).problems, [], "seed {seed}");
}

fn create_table(database: &Database) {
    let index = |name: &str, attribute: &str, keys: Value| {
        let mut index =
            json!({"IndexName": name, "KeySchema": keys, "Projection": {"ProjectionType": "ALL"}});
        let role = if name == "local" { "RANGE" } else { "HASH" };
        let key = json!({"AttributeName": attribute, "KeyType": role});
        index["KeySchema"].as_array_mut().unwrap().push(key);
        index
    };
    let partition = json!([{"AttributeName": "pk", "KeyType": "HASH"}]);
    database.create_table(
        "table",
        true,
        json!({
            "AttributeDefinitions": [
                {"AttributeName": "g", "AttributeType": "S"}, {"AttributeName": "l", "AttributeType": "S"}
            ],
            "GlobalSecondaryIndexes": [index("global", "g", json!([]))],
            "LocalSecondaryIndexes": [index("local", "l", partition)]
        }),
    );
}

/// One write of a random kind: a put, a deletion, an update, a batch or a transaction.
fn write(database: &Database, model: &mut Model, dice: &mut Random) {
    match dice.below(6) {
        0 | 1 => {
            let item = item(dice);
            database.ok("PutItem", json!({"TableName": "table", "Item": item}));
            model.apply(&key_of(&item), Some(item));
        }
        2 => {
            let item = item(dice);
            let key = json!({"pk": item["pk"], "sk": item["sk"]});
            database.ok("DeleteItem", json!({"TableName": "table", "Key": key}));
            model.apply(&key_of(&item), None);
        }
        3 => {
            let item = item(dice);
            let key = json!({"pk": item["pk"], "sk": item["sk"]});
            let value = json!({"S": dice.below(5).to_string()});
            let body = json!({
                "TableName": "table", "Key": key, "UpdateExpression": "SET g = :g REMOVE l",
                "ExpressionAttributeValues": {":g": value}
            });
            database.ok("UpdateItem", body);
            let mut updated = model.now.get(&key_of(&item)).cloned().unwrap_or(key);
            updated["g"] = value;
            updated.as_object_mut().unwrap().remove("l");
            model.apply(&key_of(&item), Some(updated));
        }
        kind => {
            let mut chosen: BTreeMap<String, Value> = BTreeMap::new();
            for _ in 0..=dice.below(5) {
                let item = item(dice);
                chosen.insert(key_of(&item), item);
            }
            several(database, model, chosen, kind == 4);
        }
    }
}

/// Puts all of these, except those with an `x`, which go.
fn several(database: &Database, model: &mut Model, chosen: BTreeMap<String, Value>, in_batch: bool) {
    let mut requests = Vec::new();
    for (key, item) in chosen {
        let place = json!({"pk": item["pk"], "sk": item["sk"]});
        let goes = item.get("x").is_some();
        requests.push(match (in_batch, goes) {
            (true, true) => json!({"DeleteRequest": {"Key": place}}),
            (true, false) => json!({"PutRequest": {"Item": item}}),
            (false, true) => json!({"Delete": {"TableName": "table", "Key": place}}),
            (false, false) => json!({"Put": {"TableName": "table", "Item": item}}),
        });
        model.apply(&key, (!goes).then_some(item));
    }
    match in_batch {
        true => database.ok("BatchWriteItem", json!({"RequestItems": {"table": requests}})),
        false => database.ok("TransactWriteItems", json!({"TransactItems": requests})),
    };
}

fn item(dice: &mut Random) -> Value {
    let text = |number: u64| json!({"S": number.to_string()});
    let mut item = json!({"pk": text(dice.below(6)), "sk": text(dice.below(6)), "v": text(dice.below(1000))});
    for attribute in ["g", "l", "h", "x"] {
        if dice.below(2) == 0 {
            item[attribute] = text(dice.below(4));
        }
    }
    item
}

fn key_of(item: &Value) -> String {
    format!("{} {}", item["pk"], item["sk"])
}

#[test]
fn the_latest_time_is_now() {
    let database = Database::new();
    database.create_table("table", false, json!({}));
    switch_recovery(&database, "table", true);
    put(&database, "table", "a", "1");
    let body = json!({
        "SourceTableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/table", "TargetTableName": "latest",
        "UseLatestRestorableTime": true
    });
    let begun = database.ok("RestoreTableToPointInTime", body)["TableDescription"].take();
    assert_eq!(begun["RestoreSummary"]["RestoreDateTime"], json!(START_MS / 1000));
    // The clock is held, so this write has an equal time; but it came later.
    put(&database, "table", "b", "1");
    database.settled("latest");
    assert_eq!(items(&database, "latest", None).len(), 1);
}

#[test]
fn what_cannot_be_restored_is_refused() {
    let database = Database::new();
    for table in ["table", "other"] {
        database.create_table(table, false, json!({}));
    }
    let restore = |more: Value| {
        let mut body = json!({"TargetTableName": "target"});
        for (member, value) in more.as_object().unwrap() {
            body[member] = value.clone();
        }
        database.refused("RestoreTableToPointInTime", body)
    };
    let latest = json!({"SourceTableName": "table", "UseLatestRestorableTime": true});
    assert_eq!(
        restore(latest),
        (
            "PointInTimeRecoveryUnavailableException",
            "Point in time recovery is not enabled for table 'table'".into()
        )
    );
    switch_recovery(&database, "table", true);
    let start = START_MS / 1000;
    for time in [0, start - 1, start + 1] {
        let (kind, _) = restore(json!({"SourceTableName": "table", "RestoreDateTime": time}));
        assert_eq!(kind, "InvalidRestoreTimeException", "{time}");
    }
    for (more, kind) in [
        (json!({"SourceTableName": "none", "UseLatestRestorableTime": true}), "TableNotFoundException"),
        (
            json!({"SourceTableName": "table", "TargetTableName": "other", "UseLatestRestorableTime": true}),
            "TableAlreadyExistsException",
        ),
        (json!({"SourceTableName": "table"}), "ValidationException"),
        (
            json!({"SourceTableName": "table", "RestoreDateTime": start, "UseLatestRestorableTime": true}),
            "ValidationException",
        ),
        (json!({"UseLatestRestorableTime": true}), "ValidationException"),
    ] {
        assert_eq!(restore(more.clone()).0, kind, "{more}");
    }
}

/// A restore that has to wait for its source's lock is filled all the same: who fills it is woken when there is something to
/// fill, not before.
#[test]
fn a_restore_that_had_to_wait_is_completed() {
    let store = SlowStore::new(Duration::ZERO);
    let database = Database::with(Arc::clone(&store) as Arc<dyn Store>);
    database.create_table("a-source", false, json!({}));
    switch_recovery(&database, "a-source", true);
    put(&database, "a-source", "key", "value");

    store.hold();
    let changed = database.engine.update_time_to_live(UpdateTimeToLiveInput {
        table_name: "a-source".into(),
        time_to_live_specification: TimeToLiveSpecification { enabled: true, attribute_name: "ttl".into() },
    });
    let restored = database.engine.restore_table_to_point_in_time(RestoreTableToPointInTimeInput {
        source_table_name: Some("a-source".into()),
        target_table_name: "b-target".into(),
        use_latest_restorable_time: Some(true),
        ..RestoreTableToPointInTimeInput::default()
    });
    // Time enough for somebody who is woken too early to find nothing.
    std::thread::sleep(Duration::from_millis(50));
    store.release();
    changed.wait().unwrap();
    restored.wait().unwrap();

    let deadline = Instant::now() + Duration::from_secs(60);
    let describe = || database.ok("DescribeTable", json!({"TableName": "b-target"}))["Table"].take();
    while describe()["TableStatus"] != "ACTIVE" {
        assert!(Instant::now() < deadline, "nobody fills the table");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(items(&database, "b-target", None), items(&database, "a-source", None));
}
