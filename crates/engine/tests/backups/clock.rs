//! A clock that jumps in both directions: restores, exports, expiry and streams match a naive model all the same.

mod faked;
mod run;

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use sortkey_engine::Problem;
use sortkey_storage::{MemoryStore, Store};

use self::run::{DAY_MS, Machine, Run};
use crate::point_in_time::environment;
use crate::support::{Database, START_MS};
use crate::{items, put, switch_recovery};

// F-62: after the clock had been ahead, restores silently left out answered writes.
#[test]
fn a_restore_contains_what_was_written_while_the_clock_was_ahead() {
    let store = Arc::new(MemoryStore::new());
    let database = Database::with(Arc::clone(&store) as Arc<dyn Store>);
    database.create_table("table", false, json!({}));
    switch_recovery(&database, "table", true);
    put(&database, "table", "before", "1");
    database.engine.stop_clock_at(START_MS + 10 * 365 * DAY_MS);
    put(&database, "table", "ahead", "2");
    drop(database);
    // The next start finds the clock corrected.
    let database = Database::with(store);
    assert_eq!(database.engine.clock_ms(), START_MS);
    let notices = database.engine.notices();
    assert!(notices[0].contains("315360000 s behind the last write"), "{notices:?}");
    put(&database, "table", "after", "3");
    let latest =
        json!({"SourceTableName": "table", "TargetTableName": "copy", "UseLatestRestorableTime": true});
    database.ok("RestoreTableToPointInTime", latest);
    database.settled("copy");
    assert_eq!(items(&database, "copy", None), items(&database, "table", None));
    assert_eq!(items(&database, "copy", None).len(), 3);
}

// F-62: an item does not expire by a time that only the database has.
#[test]
fn items_do_not_expire_before_the_clock_says_so() {
    let database = Database::new();
    database.create_table("table", false, json!({}));
    let ttl = json!({"AttributeName": "expires", "Enabled": true});
    database.ok("UpdateTimeToLive", json!({"TableName": "table", "TimeToLiveSpecification": ttl}));
    database.engine.stop_clock_at(START_MS + DAY_MS);
    put(&database, "table", "ahead", "1");
    database.engine.stop_clock_at(START_MS);
    let due = START_MS / 1000 + 3600;
    let item = json!({"pk": {"S": "x"}, "expires": {"N": due.to_string()}});
    database.ok("PutItem", json!({"TableName": "table", "Item": item}));
    assert_eq!(database.engine.expire_now(), Ok(0));
    database.engine.stop_clock_at((due + 1) * 1000);
    assert_eq!(database.engine.expire_now(), Ok(1));
}

/// `SORTKEY_CLOCKS=1000` is the long form; `SORTKEY_SEED` repeats a run.
#[test]
fn everything_matches_a_model_while_the_clock_jumps() {
    let first = environment("SORTKEY_SEED", 1);
    for seed in first..first + environment("SORTKEY_CLOCKS", 12) {
        Run::new(seed, InMemory(Arc::new(MemoryStore::new()))).run();
    }
}

/// Data in memory, and the engine's own clock.
struct InMemory(Arc<MemoryStore>);

impl Machine for InMemory {
    fn open(&self, buckets: &Path) -> Database {
        Database::with_buckets(Arc::clone(&self.0) as Arc<dyn Store>, Some(buckets))
    }

    fn set_clock(&self, database: &Database, clock_ms: u64) {
        database.engine.stop_clock_at(clock_ms);
    }

    fn problems(&self, _: Database) -> Vec<Problem> {
        sortkey_engine::verify(&*self.0).problems
    }
}
