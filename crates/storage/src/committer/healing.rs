//! How a store takes writes again after a commit failed: it is closed and opened, never just used on.
//!
//! The state of the device after a failed commit is unknown. Opening the store finds out, and the batch may turn out
//! to be there: its writers got an error, which promises neither outcome. Everything that was prepared on the earlier
//! state is refused then, since it did not see that batch.
//!
//! Attempts come from the store's own thread, with growing pauses. A device that is still ill is noticed before the
//! store is closed, so that reads go on.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{Inner, Prepare, Published, State, Waiting};
use crate::batch::Stamp;
use crate::error::StorageError;
use crate::locks::RequestId;

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How long a reader waits for a store that is being opened anew.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// Why no writes are taken, and when that may change.
pub(super) struct Failure {
    /// Of the first failure.
    cause: String,
    /// Why the last attempt to heal it failed.
    obstacle: Option<String>,
    pause: Duration,
    next_attempt: Instant,
}

impl Failure {
    /// A failure that was just noticed.
    pub(super) fn now(cause: String) -> Failure {
        let next_attempt = Instant::now() + FIRST_PAUSE;
        Failure { cause, obstacle: None, pause: FIRST_PAUSE, next_attempt }
    }

    pub(super) fn reason(&self) -> String {
        match &self.obstacle {
            None => self.cause.clone(),
            Some(obstacle) => format!("{}; not healed yet: {obstacle}", self.cause),
        }
    }

    pub(super) fn next_attempt(&self) -> Instant {
        self.next_attempt
    }

    /// Tries again later: soon if nobody can read meanwhile, after growing pauses if only writes are refused.
    fn postpone(&mut self, obstacle: String, is_closed: bool) {
        self.obstacle = Some(obstacle);
        self.pause = if is_closed { FIRST_PAUSE } else { (self.pause * 2).min(LONGEST_PAUSE) };
        self.next_attempt = Instant::now() + self.pause;
    }
}

impl Inner {
    /// Tries to open the store anew, if a commit failed and it is time for an attempt.
    pub(super) fn heal_if_due(&self, state: &mut State) {
        let Some(failure) = &mut state.failed else { return };
        if failure.next_attempt > Instant::now() {
            return;
        }
        // Older states belong to the store that is about to be closed.
        let mut is_closed = false;
        let reopened = self.store.is_well().and_then(|()| {
            self.retained.lock().clear();
            is_closed = true;
            self.store.reopen()
        });
        match reopened {
            Ok(()) => {
                self.publish_reopened();
                state.failed = None;
                *self.failure.lock() = None;
                tracing::warn!("the store has been opened anew and takes writes again");
            }
            Err(error) => {
                tracing::warn!(%error, "the store cannot be opened anew yet");
                failure.postpone(error.to_string(), is_closed);
                *self.failure.lock() = Some(failure.reason());
            }
        }
        self.release_awaiting(state.failed.is_none());
    }

    /// Answers those who wait for the store: all of them once it is open, otherwise those who have waited too long.
    fn release_awaiting(&self, is_open: bool) {
        let mut waiting = self.reopening.lock();
        let over = waiting.extract_if(.., |awaiting| is_open || awaiting.since.elapsed() >= LONGEST_WAIT);
        let over: Vec<_> = over.collect();
        drop(waiting);
        over.into_iter().for_each(|awaiting| awaiting.promise.keep(is_open));
    }

    /// Publishes what was found when the store was opened, and lets nothing older be committed on top of it.
    fn publish_reopened(&self) {
        let before = self.published.load_full();
        let (version, time_ms) = self.store.last_commit();
        // A batch whose commit failed may have changed the schema.
        let schema = if version > before.stamp.version { version } else { before.schema };
        let stamp = Stamp { version, time_ms };
        self.publish(Published { snapshot: self.store.snapshot(), stamp, schema });
        let _waiting = self.reopening.lock();
        self.epoch.fetch_add(1, Ordering::Release);
    }

    /// Takes those batches out of a group that were prepared before the store was opened anew, answers their writers and
    /// gives the writes that their locks made ready.
    pub(super) fn refuse_outdated(&self, group: &mut Vec<Waiting>) -> Vec<(RequestId, Prepare)> {
        let epoch = self.epoch.load(Ordering::Acquire);
        let outdated: Vec<Waiting> = group.extract_if(.., |waiting| waiting.epoch != epoch).collect();
        let mut ready = Vec::new();
        for Waiting { request, finish, .. } in outdated {
            ready.extend(self.locks.lock().release(request));
            finish(Err(StorageError::Reopening));
        }
        ready
    }
}
