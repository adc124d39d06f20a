//! What workers have done so far, in numbers.

use std::sync::atomic::{AtomicU64, Ordering};

/// What one worker has done.
#[derive(Debug, Default)]
pub struct Counts {
    /// Runs that did what they do.
    pub done: AtomicU64,
    /// Runs that failed and will be tried again.
    pub failed: AtomicU64,
    /// Items and changes that nobody tries any more.
    pub dead: AtomicU64,
    /// Runs under way.
    pub running: AtomicU64,
}

/// What one worker has done, at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The worker's name.
    pub worker: String,
    /// Runs that did what they do.
    pub done: u64,
    /// Runs that failed and will be tried again.
    pub failed: u64,
    /// Items and changes that nobody tries any more.
    pub dead: u64,
    /// Runs under way.
    pub running: u64,
}

impl Counts {
    /// Adds one.
    pub(crate) fn add(count: &AtomicU64) {
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes one away.
    pub(crate) fn take(count: &AtomicU64) {
        count.fetch_sub(1, Ordering::Relaxed);
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
        }
    }
}
