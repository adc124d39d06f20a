//! A random history under a clock that jumps, beside a naive model of it.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use sortkey_engine::Problem;
use sortkey_testkit::Random;

use crate::support::{Database, START_MS};
use crate::{Items, ended, items, switch_recovery};

pub(super) const DAY_MS: u64 = 24 * 60 * 60 * 1000;
const YEAR_SECONDS: u64 = 365 * 24 * 60 * 60;

/// A store for the data of a run, with a clock.
pub(super) trait Machine {
    /// Opens the data, which nobody else has open.
    fn open(&self, buckets: &Path) -> Database;

    /// Stops the clock at a time, a whole second.
    fn set_clock(&self, database: &Database, clock_ms: u64);

    /// The faults of the data in the end.
    fn problems(&self, database: Database) -> Vec<Problem>;
}

pub(super) struct Run<M> {
    seed: u64,
    dice: Random,
    machine: M,
    database: Option<Database>,
    buckets: tempfile::TempDir,
    stream: String,
    clock_ms: u64,
    now: Items,
    /// The items of the table after each write, by the time of the database.
    states: BTreeMap<u64, Items>,
    /// Every change: when, and the key.
    changes: Vec<(u64, String)>,
}

impl<M: Machine> Run<M> {
    pub(super) fn new(seed: u64, machine: M) -> Run<M> {
        let buckets = tempfile::tempdir().unwrap();
        std::fs::create_dir(buckets.path().join("bucket")).unwrap();
        let database = machine.open(buckets.path());
        machine.set_clock(&database, START_MS);
        let stream = json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
        let created = database.create_table("table", false, json!({"StreamSpecification": stream}));
        let stream = created["TableDescription"]["LatestStreamArn"].as_str().unwrap().to_owned();
        switch_recovery(&database, "table", true);
        let ttl = json!({"AttributeName": "expires", "Enabled": true});
        database.ok("UpdateTimeToLive", json!({"TableName": "table", "TimeToLiveSpecification": ttl}));
        Run {
            seed,
            dice: Random::new(seed),
            machine,
            database: Some(database),
            buckets,
            stream,
            clock_ms: START_MS,
            now: Items::new(),
            states: BTreeMap::from([(START_MS, Items::new())]),
            changes: Vec::new(),
        }
    }

    fn database(&self) -> &Database {
        self.database.as_ref().unwrap()
    }

    pub(super) fn run(mut self) {
        for step in 0..120 {
            match self.dice.below(20) {
                0..3 => self.jump(),
                3 => self.restart(),
                4 => self.expire(),
                5 if step % 3 == 0 => self.restore(),
                6 if step % 5 == 0 => self.export(),
                7 => self.read_stream(),
                _ => self.write(),
            }
            let last = *self.states.last_key_value().unwrap().0;
            assert!(self.database().engine.now_ms() >= last, "seed {}: time went back", self.seed);
        }
        self.restore();
        self.export();
        self.read_stream();
        let database = self.database.take().unwrap();
        assert_eq!(items(&database, "table", None), self.now, "seed {}", self.seed);
        assert_eq!(self.machine.problems(database), [], "seed {}", self.seed);
    }

    fn set_clock(&mut self, clock_ms: u64) {
        // The background forgets by the time that it finds; it is done before anything else happens.
        self.clock_ms = clock_ms;
        let database = self.database.as_ref().unwrap();
        self.machine.set_clock(database, clock_ms);
        database.engine.run_jobs().unwrap();
    }

    fn jump(&mut self) {
        let by_ms = match self.dice.below(8) {
            0 => self.dice.below(3 * 365 * DAY_MS),
            1 => self.dice.below(3 * DAY_MS),
            _ => self.dice.below(60_000),
        };
        let is_forward = self.dice.below(2) == 0;
        let clock_ms = if is_forward { self.clock_ms + by_ms } else { self.clock_ms.saturating_sub(by_ms) };
        self.set_clock(clock_ms / 1000 * 1000);
    }

    fn restart(&mut self) {
        drop(self.database.take());
        self.database = Some(self.machine.open(self.buckets.path()));
        self.set_clock(self.clock_ms);
    }

    fn remember(&mut self, key: String, item: Option<Value>) {
        let time_ms = self.database().engine.now_ms();
        match item {
            Some(item) => drop(self.now.insert(key.clone(), item)),
            None => drop(self.now.remove(&key)),
        }
        self.states.insert(time_ms, self.now.clone());
        self.changes.push((time_ms, key));
    }

    fn write(&mut self) {
        let name = format!("k{}", self.dice.below(12));
        let key = format!("{} null", json!({"S": name}));
        if self.dice.below(4) == 0 {
            self.database().ok("DeleteItem", json!({"TableName": "table", "Key": {"pk": {"S": name}}}));
            if self.now.contains_key(&key) {
                self.remember(key, None);
            }
            return;
        }
        let near = (self.clock_ms / 1000).saturating_sub(50) + self.dice.below(100);
        let item = json!({
            "pk": {"S": name},
            "v": {"N": self.dice.below(1_000_000).to_string()},
            "expires": {"N": near.to_string()}
        });
        self.database().ok("PutItem", json!({"TableName": "table", "Item": item}));
        self.remember(key, Some(item));
    }

    fn expire(&mut self) {
        let cutoff = self.clock_ms.min(self.database().engine.now_ms()) / 1000;
        let is_due = |item: &Value| {
            let second: u64 = item["expires"]["N"].as_str().unwrap().parse().unwrap();
            (cutoff.saturating_sub(5 * YEAR_SECONDS)..cutoff).contains(&second)
        };
        let due: Vec<String> =
            self.now.iter().filter(|(_, item)| is_due(item)).map(|(key, _)| key.clone()).collect();
        assert_eq!(self.database().engine.expire_now(), Ok(due.len()), "seed {}", self.seed);
        // Items leave in the order of their times; the order of the stream is not compared for them.
        for key in due {
            self.remember(key, None);
        }
    }

    /// The latest state, and one from within the window.
    fn restore(&mut self) {
        let described = self.database().ok("DescribeContinuousBackups", json!({"TableName": "table"}));
        let window = &described["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"];
        let time_ms = |name: &str| (window[name].as_f64().unwrap() * 1000.0).round() as u64;
        let (earliest, latest) = (time_ms("EarliestRestorableDateTime"), time_ms("LatestRestorableDateTime"));
        let wishes = [(json!({"UseLatestRestorableTime": true}), self.now.clone()), {
            let second = earliest.div_ceil(1000)
                + self.dice.below((latest / 1000).saturating_sub(earliest / 1000) + 1);
            let second = second.min(latest / 1000);
            (json!({"RestoreDateTime": second}), self.at(second * 1000))
        }];
        for (wish, expected) in wishes {
            if wish.get("RestoreDateTime").is_some_and(|second| second.as_u64().unwrap() * 1000 < earliest) {
                continue;
            }
            let mut body = wish.clone();
            body["SourceTableName"] = json!("table");
            body["TargetTableName"] = json!("copy");
            self.database().ok("RestoreTableToPointInTime", body);
            self.database().settled("copy");
            assert_eq!(items(self.database(), "copy", None), expected, "seed {} {wish}", self.seed);
            self.database().ok("DeleteTable", json!({"TableName": "copy"}));
        }
    }

    fn at(&self, time_ms: u64) -> Items {
        self.states.range(..=time_ms).next_back().map(|(_, items)| items.clone()).unwrap_or_default()
    }

    fn export(&mut self) {
        let arn = "arn:aws:dynamodb:us-east-1:000000000000:table/table";
        let started =
            self.database().ok("ExportTableToPointInTime", json!({"TableArn": arn, "S3Bucket": "bucket"}));
        let export = started["ExportDescription"]["ExportArn"].as_str().unwrap().to_owned();
        let described = ended(self.database(), "Export", &export);
        assert_eq!(described["ExportStatus"], "COMPLETED", "seed {}: {described}", self.seed);
        assert_eq!(described["ItemCount"], self.now.len(), "seed {}", self.seed);
    }

    /// The stream has exactly the changes of the last day.
    fn read_stream(&mut self) {
        let stream = self.database().ok("DescribeStream", json!({"StreamArn": self.stream}));
        let shard = &stream["StreamDescription"]["Shards"][0]["ShardId"];
        let from = json!({"StreamArn": self.stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
        let mut iterator = self.database().ok("GetShardIterator", from)["ShardIterator"].clone();
        let mut found = Vec::new();
        loop {
            let page = self.database().ok("GetRecords", json!({"ShardIterator": iterator}));
            let records = page["Records"].as_array().unwrap();
            let key = |record: &Value| format!("{} null", record["dynamodb"]["Keys"]["pk"]);
            found.extend(records.iter().map(key));
            if records.is_empty() {
                break;
            }
            iterator = page["NextShardIterator"].clone();
        }
        let now = self.database().engine.now_ms();
        let kept = self.changes.iter().filter(|(time_ms, _)| time_ms + DAY_MS >= now);
        let mut expected: Vec<String> = kept.map(|(_, key)| key.clone()).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "seed {}", self.seed);
    }
}
