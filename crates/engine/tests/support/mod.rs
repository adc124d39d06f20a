//! Shared by tests of the engine: a database that is asked in JSON, and a store whose commits take time.

#![allow(dead_code, reason = "each test file uses a part")]

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use sortkey_api::{ApiError, OperationId};
use sortkey_engine::{Engine, Settings};
use sortkey_storage::{Commit, MemoryStore, Snapshot, StorageError, Store};

/// When databases of tests begin.
pub(crate) const START_MS: u64 = 1_800_000_000_000;

/// A database with a held clock.
pub(crate) struct Database {
    pub(crate) engine: Engine,
}

impl Database {
    pub(crate) fn new() -> Database {
        Database::with(Arc::new(MemoryStore::new()))
    }

    pub(crate) fn with(store: Arc<dyn Store>) -> Database {
        Database::with_buckets(store, None)
    }

    /// A database whose exports and imports are in a directory.
    pub(crate) fn with_buckets(store: Arc<dyn Store>, directory: Option<&Path>) -> Database {
        let database = Database::by_the_machines_clock(store, directory);
        database.engine.stop_clock_at(START_MS);
        database
    }

    /// A database whose clock is the machine's.
    pub(crate) fn by_the_machines_clock(store: Arc<dyn Store>, directory: Option<&Path>) -> Database {
        let export_dir = directory.map(Path::to_owned);
        let settings = Settings { seed: 1, expiry_interval: None, export_dir, ..Settings::default() };
        Database { engine: Engine::open(store, settings) }
    }

    /// Asks in JSON.
    pub(crate) fn call(&self, operation: &str, body: &Value) -> Result<Value, ApiError> {
        call(&self.engine, operation, body.to_string().as_bytes())
    }

    /// Asks for something that works.
    #[track_caller]
    pub(crate) fn ok(&self, operation: &str, body: Value) -> Value {
        self.call(operation, &body).unwrap_or_else(|error| panic!("{operation} {body}: {error}"))
    }

    /// Asks for something that does not; gives the error's name and message.
    #[track_caller]
    pub(crate) fn refused(&self, operation: &str, body: Value) -> (&'static str, String) {
        match self.call(operation, &body) {
            Ok(answer) => panic!("{operation} {body} is not refused: {answer}"),
            Err(error) => (error.kind.name(), error.message),
        }
    }

    /// Creates a table with a string key `pk` and, perhaps, a string sort key `sk`.
    pub(crate) fn create_table(&self, name: &str, has_sort_key: bool, more: Value) -> Value {
        let mut body = json!({
            "TableName": name,
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST"
        });
        if has_sort_key {
            extend(&mut body["AttributeDefinitions"], json!([{"AttributeName": "sk", "AttributeType": "S"}]));
            extend(&mut body["KeySchema"], json!([{"AttributeName": "sk", "KeyType": "RANGE"}]));
        }
        for (member, value) in more.as_object().into_iter().flatten() {
            extend(&mut body[member], value.clone());
        }
        self.ok("CreateTable", body)
    }

    /// Waits until a table and its indexes can be read, and gives its description.
    pub(crate) fn settled(&self, table: &str) -> Value {
        loop {
            let table = self.ok("DescribeTable", json!({"TableName": table}))["Table"].take();
            let indexes = table["GlobalSecondaryIndexes"].as_array().cloned().unwrap_or_default();
            let is_active = indexes.iter().all(|index| index["IndexStatus"] == "ACTIVE");
            if is_active && table["TableStatus"] == "ACTIVE" {
                return table;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Adds to a list, or sets what is none.
fn extend(value: &mut Value, more: Value) {
    match (value, more) {
        (Value::Array(list), Value::Array(more)) => list.extend(more),
        (value, more) => *value = more,
    }
}

/// The action that adds a global index by a string attribute.
pub(crate) fn create_index(name: &str, attribute: &str) -> Value {
    json!({
        "AttributeDefinitions": [{"AttributeName": attribute, "AttributeType": "S"}],
        "GlobalSecondaryIndexUpdates": [{"Create": {
            "IndexName": name,
            "KeySchema": [{"AttributeName": attribute, "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"}
        }}]
    })
}

pub(crate) fn call(engine: &Engine, operation: &str, body: &[u8]) -> Result<Value, ApiError> {
    let operation = OperationId::from_name(operation).expect("an operation");
    let json = pollster::block_on(engine.call(operation, body)).result?;
    // A few operations answer nothing at all.
    if json.is_empty() {
        return Ok(Value::Null);
    }
    Ok(serde_json::from_slice(&json).expect("answers are JSON"))
}

/// The memory store with a device that takes its time, and that can be held.
pub(crate) struct SlowStore {
    memory: MemoryStore,
    delay: Duration,
    is_held: Mutex<bool>,
    released: Condvar,
}

impl SlowStore {
    pub(crate) fn new(delay: Duration) -> Arc<SlowStore> {
        let (is_held, released) = (Mutex::new(false), Condvar::new());
        Arc::new(SlowStore { memory: MemoryStore::new(), delay, is_held, released })
    }

    /// The bytes on the device at this moment: the state that a crash would leave behind.
    pub(crate) fn fork(&self) -> MemoryStore {
        self.memory.fork()
    }

    /// From now on nothing is committed.
    pub(crate) fn hold(&self) {
        *self.is_held.lock().unwrap() = true;
    }

    /// Commits go on.
    pub(crate) fn release(&self) {
        *self.is_held.lock().unwrap() = false;
        self.released.notify_all();
    }
}

impl Store for SlowStore {
    fn snapshot(&self) -> Arc<dyn Snapshot> {
        self.memory.snapshot()
    }

    fn last_commit(&self) -> (u64, u64) {
        self.memory.last_commit()
    }

    fn commit(&self, commit: Commit) -> Result<Arc<dyn Snapshot>, StorageError> {
        std::thread::sleep(self.delay);
        let is_held = self.is_held.lock().unwrap();
        drop(self.released.wait_while(is_held, |is_held| *is_held).unwrap());
        self.memory.commit(commit)
    }

    fn waits(&self) -> bool {
        true
    }
}
