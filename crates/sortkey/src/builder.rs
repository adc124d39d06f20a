//! How a database is set up.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sortkey_engine::{Engine, Settings};
use sortkey_storage::Clock;
use sortkey_storage_fjall::{Durability, FjallStore, OpenError, Options};

use crate::Database;

/// Settings of a database that is to be opened. The defaults are those of DynamoDB.
///
/// ```
/// use std::time::Duration;
/// use sortkey::Database;
///
/// let db = Database::builder().seed(7).region("eu-central-1").gsi_delay(Duration::from_millis(50)).memory();
/// assert!(db.now_ms() > 0);
/// ```
#[derive(Clone, Default)]
pub struct Builder {
    settings: Settings,
    options: Options,
}

impl Builder {
    /// The clock; the machine's own unless set.
    pub fn clock(mut self, clock: impl Clock) -> Builder {
        self.settings.clock = Arc::new(clock);
        self
    }

    /// Seeds ids and faults, so that a run can be replayed.
    pub fn seed(mut self, seed: u64) -> Builder {
        self.settings.seed = seed;
        self
    }

    /// How often expired items are removed; a second unless set.
    pub fn expiry_interval(mut self, interval: Duration) -> Builder {
        self.settings.expiry_interval = Some(interval);
        self
    }

    /// Leaves expired items where they are until [`Database::expire_now`], as lax as AWS may be.
    pub fn lax_expiry(mut self) -> Builder {
        self.settings.expiry_interval = None;
        self
    }

    /// Lets global indexes lag behind their tables.
    pub fn gsi_delay(mut self, delay: Duration) -> Builder {
        self.settings.gsi_delay = delay;
        self
    }

    /// The region that ARNs and stream records name; `us-east-1` unless set.
    pub fn region(mut self, region: impl Into<String>) -> Builder {
        self.settings.region = region.into();
        self
    }

    /// The account that ARNs name; twelve zeros unless set.
    pub fn account(mut self, account: impl Into<String>) -> Builder {
        self.settings.account = account.into();
        self
    }

    /// The directory whose subdirectories are the buckets of exports and imports; without it there are none.
    pub fn export_dir(mut self, directory: impl Into<PathBuf>) -> Builder {
        self.settings.export_dir = Some(directory.into());
        self
    }

    /// The failures that an acknowledged write of a database on disk survives; a power failure unless set.
    pub fn durability(mut self, durability: Durability) -> Builder {
        self.options.durability = durability;
        self
    }

    /// Memory for what a database on disk has read before; 256 MiB unless set.
    pub fn cache_bytes(mut self, bytes: u64) -> Builder {
        self.options.cache_bytes = bytes;
        self
    }

    /// The database in a directory, which is created if it is not there. One process at a time can have it.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Database, OpenError> {
        let store = FjallStore::open(path, self.options)?;
        Ok(Database::from(Engine::open(store, self.settings)))
    }

    /// An empty database in memory.
    pub fn memory(self) -> Database {
        Database::from(Engine::memory(self.settings))
    }
}
