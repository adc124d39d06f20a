//! A database in a directory, called as a client calls it: operation, JSON in, JSON out.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value as Json;
use sortkey_api::{ApiError, OperationId};
use sortkey_engine::{Engine, Settings};
use sortkey_storage::{Clock, Store};
use sortkey_storage_fjall::{FjallStore, OpenError, Options};

pub(crate) struct Database {
    pub(crate) engine: Engine,
    pub(crate) store: Arc<FjallStore>,
}

impl Database {
    /// Opens a directory.
    pub(crate) fn open(path: &Path) -> Result<Database, OpenError> {
        let options = Options { cache_bytes: 16 << 20, ..Options::default() };
        Ok(Database::start(FjallStore::open(path, options)?))
    }

    /// Opens a directory that sets aside this much space for when the disk is full.
    pub(crate) fn open_with_reserve(path: &Path, reserve_bytes: u64) -> Result<Database, OpenError> {
        let options = Options { cache_bytes: 16 << 20, reserve_bytes, ..Options::default() };
        Ok(Database::start(FjallStore::open(path, options)?))
    }

    /// Opens a directory with a clock that is held at its last commit.
    pub(crate) fn open_as_of_last_commit(path: &Path) -> Result<Database, OpenError> {
        struct Stopped(u64);
        impl Clock for Stopped {
            fn now_ms(&self) -> u64 {
                self.0
            }
        }
        let store = FjallStore::open(path, Options::default())?;
        let clock = Arc::new(Stopped(store.last_commit().1));
        let settings = Settings { clock, expiry_interval: None, ..Settings::default() };
        let engine = Engine::open(Arc::clone(&store) as Arc<dyn Store>, settings);
        Ok(Database { engine, store })
    }

    /// Closes everything and opens it again.
    pub(crate) fn reopen(self) -> Database {
        let Database { engine, store } = self;
        drop(engine);
        store.reopen().unwrap();
        Database::start(store)
    }

    pub(crate) fn start(store: Arc<FjallStore>) -> Database {
        // Tests move no clocks, so nothing expires; streams and tokens are kept as in life.
        let settings = Settings { expiry_interval: None, ..Settings::default() };
        let engine = Engine::open(Arc::clone(&store) as Arc<dyn Store>, settings);
        Database { engine, store }
    }

    pub(crate) fn call(&self, operation: &str, input: &Json) -> Result<Json, ApiError> {
        let operation = OperationId::from_name(operation).unwrap();
        let answer = pollster::block_on(self.engine.call(operation, input.to_string().as_bytes()));
        Ok(serde_json::from_slice(&answer.result?).unwrap())
    }

    /// All items of a table or of one of its indexes.
    pub(crate) fn scan(&self, mut input: Json) -> Vec<Json> {
        let mut items = Vec::new();
        loop {
            let page = self.call("Scan", &input).unwrap();
            items.extend(page["Items"].as_array().unwrap().iter().cloned());
            match page.get("LastEvaluatedKey") {
                Some(key) => input["ExclusiveStartKey"] = key.clone(),
                None => return items,
            }
        }
    }

    pub(crate) fn stream_arn(&self, table: &str) -> Json {
        let input = serde_json::json!({ "TableName": table });
        self.call("DescribeTable", &input).unwrap()["Table"]["LatestStreamArn"].clone()
    }

    /// The names of a stream's shards.
    pub(crate) fn shards(&self, arn: &Json) -> Vec<String> {
        let stream = self.call("DescribeStream", &serde_json::json!({ "StreamArn": arn })).unwrap();
        let shards = stream["StreamDescription"]["Shards"].as_array().unwrap();
        shards.iter().map(|shard| shard["ShardId"].as_str().unwrap().to_owned()).collect()
    }

    /// The records of a shard, from the position `start`.
    pub(crate) fn records(&self, arn: &Json, shard: &str, mut start: Json) -> Vec<Json> {
        start["StreamArn"] = arn.clone();
        start["ShardId"] = shard.into();
        let mut iterator = self.call("GetShardIterator", &start).unwrap()["ShardIterator"].clone();
        let mut records = Vec::new();
        loop {
            let page = self.call("GetRecords", &serde_json::json!({ "ShardIterator": iterator })).unwrap();
            let found = page["Records"].as_array().unwrap();
            if found.is_empty() {
                return records;
            }
            records.extend(found.iter().cloned());
            iterator = page["NextShardIterator"].clone();
        }
    }
}
