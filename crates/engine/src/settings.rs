//! The settings of an engine, and the clock that tests can move.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use sortkey_api::Wording;
use sortkey_storage::{Clock, KeySealer, SystemClock};

/// How an engine behaves. The defaults are those of a well-behaved DynamoDB.
#[derive(Clone)]
pub struct Settings {
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Seeds ids and faults, so that a run can be replayed.
    pub seed: u64,
    /// How often expired items are removed; `None` leaves them until [`crate::Engine::expire_now`].
    pub expiry_interval: Option<Duration>,
    /// How far global indexes lag behind their tables.
    pub gsi_delay: Duration,
    /// The region that ARNs and stream records name.
    pub region: String,
    /// The account that ARNs name.
    pub account: String,
    /// The directory whose subdirectories are the buckets of exports and imports; without it there are none.
    pub export_dir: Option<PathBuf>,
    /// Whether the data files of exports are encrypted; requires `key_sealer`.
    pub encrypt_exports: bool,
    /// Makes the keys of encrypted exports, and opens those of encrypted files that are imported.
    pub key_sealer: Option<Arc<dyn KeySealer>>,
    /// How many shards a new stream has. One, as on AWS for a new table: many readers look only at the first.
    pub stream_shards: u16,
    /// After which time the shards of a stream are closed and continued by children; `None` leaves them open.
    pub shard_lifetime: Option<Duration>,
    /// For how long a new table is CREATING, and cannot be used, as on AWS.
    pub creation_delay: Duration,
    /// The version of AWS's error texts to use.
    pub wording: Wording,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            clock: Arc::new(SystemClock),
            seed: SystemClock.now_ms(),
            expiry_interval: Some(Duration::from_secs(1)),
            gsi_delay: Duration::ZERO,
            region: "us-east-1".into(),
            account: "000000000000".into(),
            export_dir: None,
            encrypt_exports: false,
            key_sealer: None,
            stream_shards: 1,
            shard_lifetime: None,
            creation_delay: Duration::ZERO,
            wording: Wording::Classic,
        }
    }
}

/// A clock that can be moved away from the one below it, and stopped.
pub(crate) struct MovableClock {
    base: Arc<dyn Clock>,
    offset_ms: AtomicI64,
    /// The time at which it is stopped, or `RUNNING`.
    stopped_ms: AtomicU64,
}

const RUNNING: u64 = u64::MAX;

impl MovableClock {
    pub(crate) fn new(base: Arc<dyn Clock>) -> MovableClock {
        MovableClock { base, offset_ms: AtomicI64::new(0), stopped_ms: AtomicU64::new(RUNNING) }
    }

    /// A clock that shows the same time now and can be moved on its own.
    pub(crate) fn fork(&self) -> MovableClock {
        MovableClock {
            base: Arc::clone(&self.base),
            offset_ms: AtomicI64::new(self.offset_ms.load(Ordering::SeqCst)),
            stopped_ms: AtomicU64::new(self.stopped_ms.load(Ordering::SeqCst)),
        }
    }

    /// Moves the clock forward, or back.
    pub(crate) fn advance_ms(&self, by_ms: i64) {
        let stopped = self.stopped_ms.load(Ordering::SeqCst);
        if stopped == RUNNING {
            self.offset_ms.fetch_add(by_ms, Ordering::SeqCst);
        } else {
            self.stopped_ms.store(stopped.saturating_add_signed(by_ms), Ordering::SeqCst);
        }
    }

    /// Stops the clock at a time.
    pub(crate) fn stop_at_ms(&self, time_ms: u64) {
        self.stopped_ms.store(time_ms.min(RUNNING - 1), Ordering::SeqCst);
    }

    /// Whether it is stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped_ms.load(Ordering::SeqCst) != RUNNING
    }

    /// Lets the clock run again, as the one below it.
    pub(crate) fn follow(&self) {
        self.offset_ms.store(0, Ordering::SeqCst);
        self.stopped_ms.store(RUNNING, Ordering::SeqCst);
    }
}

impl Clock for MovableClock {
    fn now_ms(&self) -> u64 {
        match self.stopped_ms.load(Ordering::SeqCst) {
            RUNNING => self.base.now_ms().saturating_add_signed(self.offset_ms.load(Ordering::SeqCst)),
            stopped => stopped,
        }
    }
}
