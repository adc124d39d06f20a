//! The database as Rust programs use it.

use std::path::Path;
use std::time::Duration;

use sortkey_api::operations::{self, Operation};
use sortkey_api::{ApiError, with_operations};
use sortkey_engine::{Engine, Faults, Reply};
use sortkey_storage_fjall::OpenError;
use thiserror::Error;

use crate::Builder;

/// A DynamoDB in this process. Clones are handles of the same database.
#[derive(Clone)]
pub struct Database {
    engine: Engine,
}

/// The database cannot be forked, since it is not in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("only a database in memory can be forked")]
pub struct NotForkable;

impl Database {
    /// An empty database in memory.
    pub fn memory() -> Database {
        Builder::default().memory()
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The database in a directory, which is created if it does not exist. Answered writes survive a power failure.
    ///
    /// ```
    /// use sortkey::Database;
    /// use sortkey::operations::ListTablesInput;
    ///
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let path = directory.path().join("data");
    /// let db = Database::open(&path).unwrap();
    /// assert!(db.list_tables(ListTablesInput::default()).wait().unwrap().table_names.is_empty());
    /// drop(db);
    /// Database::open(&path).unwrap();
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Database, OpenError> {
        Builder::default().open(path)
    }

    /// Settings of a database to be.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A second database with everything that this one contains, at no cost whatever its size. From then on neither
    /// sees the other, so tests that each take a fork can run side by side.
    ///
    /// ```
    /// use sortkey::Database;
    /// use sortkey::operations::ListTablesInput;
    ///
    /// let template = Database::memory();
    /// let fork = template.fork().unwrap();
    /// assert!(fork.list_tables(ListTablesInput::default()).wait().unwrap().table_names.is_empty());
    /// ```
    pub fn fork(&self) -> Result<Database, NotForkable> {
        self.engine.fork().map(Database::from).ok_or(NotForkable)
    }

    /// Why writes are refused since a commit failed, if one did. Reads go on, and the store is opened anew by itself as soon
    /// as the disk takes writes again.
    pub fn failure(&self) -> Option<String> {
        self.engine.failure()
    }

    /// The time of this database, in milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        self.engine.now_ms()
    }

    /// Moves the clock of this database forward.
    ///
    /// ```
    /// use std::time::Duration;
    /// use sortkey::Database;
    ///
    /// let db = Database::memory();
    /// let before = db.now_ms();
    /// db.advance_clock(Duration::from_secs(3600));
    /// assert!(db.now_ms() >= before + 3_600_000);
    /// ```
    pub fn advance_clock(&self, by: Duration) {
        self.engine.advance_clock(i64::try_from(by.as_millis()).unwrap_or(i64::MAX));
    }

    /// Stops the clock at a time, in milliseconds since 1970.
    pub fn stop_clock_at(&self, time_ms: u64) {
        self.engine.stop_clock_at(time_ms);
    }

    /// Lets the clock run again, as the one it was built with.
    pub fn follow_clock(&self) {
        self.engine.follow_clock();
    }

    /// Removes all items that are past their time now, and returns how many there were.
    pub fn expire_now(&self) -> Result<usize, ApiError> {
        self.engine.expire_now()
    }

    /// Removes every table, stream and token, and puts clock, faults and delays back to how they began.
    pub fn reset(&self) -> Result<(), ApiError> {
        self.engine.reset()
    }

    /// Lets global indexes lag behind their tables from now on.
    pub fn set_gsi_delay(&self, delay: Duration) {
        self.engine.set_gsi_delay(delay);
    }

    /// Faults to be shown to the next requests.
    ///
    /// ```
    /// use sortkey::operations::GetItemInput;
    /// use sortkey::{Database, ErrorKind, Fault, FaultKind, item};
    ///
    /// let db = Database::memory();
    /// db.faults().add(Fault { kind: FaultKind::Throttle, remaining: 1, operation: None, table: None });
    /// let get = || GetItemInput { table_name: "users".into(), key: item! { "id": "u1" }.into(), ..Default::default() };
    /// let throttled = db.get_item(get()).wait().unwrap_err();
    /// assert_eq!(throttled.kind, ErrorKind::ProvisionedThroughputExceededException);
    /// let answered = db.get_item(get()).wait().unwrap_err();
    /// assert_eq!(answered.kind, ErrorKind::ResourceNotFoundException);
    /// ```
    pub fn faults(&self) -> &Faults {
        self.engine.faults()
    }
}

impl From<Engine> for Database {
    fn from(engine: Engine) -> Database {
        Database { engine }
    }
}

macro_rules! methods {
    ($($operation:ident: $method:ident,)+) => {
        /// The operations.
        impl Database {
            $(
                #[doc = concat!("`", stringify!($operation), "`.")]
                pub fn $method(
                    &self,
                    input: <operations::$operation as Operation>::Input,
                ) -> Reply<<operations::$operation as Operation>::Output> {
                    self.engine.$method(input)
                }
            )+
        }
    };
}

with_operations!(methods);
