//! The counters of workers.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

/// The upper bounds of the buckets of times, in milliseconds; one more bucket counts all above.
pub const TIMES_MS: [u64; 9] = [5, 25, 100, 250, 1_000, 5_000, 25_000, 100_000, 1_000_000];

/// The counters of one worker.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Runs that succeeded.
    pub(crate) done: AtomicU64,
    /// Runs that failed and will be tried again.
    pub(crate) failed: AtomicU64,
    /// Items and changes that were put aside.
    pub(crate) dead: AtomicU64,
    running: AtomicU64,
    waiting: AtomicU64,
    late: Mutex<Times>,
    took: Mutex<Times>,
}

/// Times, counted by their length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// The number of durations in each bucket (see [`TIMES_MS`]).
    pub counts: [u64; TIMES_MS.len() + 1],
    /// All of them together.
    pub sum_ms: u64,
}

/// The counters of one worker, at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The worker's name.
    pub worker: String,
    /// Runs that succeeded.
    pub done: u64,
    /// Runs that failed and will be tried again.
    pub failed: u64,
    /// Items and changes that were put aside.
    pub dead: u64,
    /// Runs under way.
    pub running: u64,
    /// Items that are known to be due and wait for a run.
    pub waiting: u64,
    /// How long after their time runs began.
    pub late: Times,
    /// How long runs took.
    pub took: Times,
}

impl Times {
    fn add(&mut self, length_ms: i64) {
        let length_ms = u64::try_from(length_ms).unwrap_or(0);
        let at = TIMES_MS.iter().position(|bound| length_ms <= *bound).unwrap_or(TIMES_MS.len());
        self.counts[at] += 1;
        self.sum_ms = self.sum_ms.saturating_add(length_ms);
    }
}

impl Counts {
    /// Adds one.
    pub(crate) fn add(count: &AtomicU64) {
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a run that begins, so long after its time.
    pub(crate) fn begin(&self, late_ms: i64) {
        self.running.fetch_add(1, Ordering::Relaxed);
        self.late.lock().add(late_ms);
    }

    /// Counts a run that ends.
    pub(crate) fn end(&self, took_ms: i64) {
        self.running.fetch_sub(1, Ordering::Relaxed);
        self.took.lock().add(took_ms);
    }

    pub(crate) fn set_waiting(&self, count: usize) {
        self.waiting.store(count as u64, Ordering::Relaxed);
    }

    /// The numbers at this moment.
    pub(crate) fn status(&self, worker: &str) -> Status {
        let now = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Status {
            worker: worker.to_owned(),
            done: now(&self.done),
            failed: now(&self.failed),
            dead: now(&self.dead),
            running: now(&self.running),
            waiting: now(&self.waiting),
            late: self.late.lock().clone(),
            took: self.took.lock().clone(),
        }
    }
}
