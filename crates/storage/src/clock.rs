//! Time arrives through a trait, so that a test can hold it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

/// The source of the current time.
pub trait Clock: Send + Sync + 'static {
    /// Milliseconds since 1970.
    fn now_ms(&self) -> u64;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}

/// The time of one store: a clock that never goes back behind what was committed.
///
/// A clock can be set back, or have been ahead when the store was last written. The store's time then goes on from its
/// last commit at half the clock's speed, until the clock has caught up. It does not stop, since tokens, iterators and
/// retention would never end; and it does not run at full speed, since it would be ahead forever.
pub(crate) struct StoreTime {
    clock: Arc<dyn Clock>,
    /// Set while the clock is behind: what the clock showed, and what the store's time was then.
    behind: Mutex<Option<(u64, u64)>>,
    /// Whether `behind` is set. Changed under its lock; read without it, so that a clock that is right costs no lock.
    is_behind: AtomicBool,
}

impl StoreTime {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> StoreTime {
        StoreTime { clock, behind: Mutex::new(None), is_behind: AtomicBool::new(false) }
    }

    /// The time now, given the time of the last commit.
    pub(crate) fn now_ms(&self, last_commit_ms: u64) -> u64 {
        let clock_ms = self.clock.now_ms();
        if clock_ms >= last_commit_ms && !self.is_behind.load(Ordering::Acquire) {
            return clock_ms;
        }
        let mut behind = self.behind.lock();
        let reached_ms = match *behind {
            None => last_commit_ms,
            Some((since_ms, then_ms)) => {
                (then_ms + clock_ms.saturating_sub(since_ms) / 2).max(last_commit_ms)
            }
        };
        if clock_ms >= reached_ms {
            *behind = None;
            self.is_behind.store(false, Ordering::Release);
            return clock_ms;
        }
        // Set back once more, or for the first time: go on from here.
        if behind.is_none_or(|(since_ms, _)| clock_ms < since_ms) {
            *behind = Some((clock_ms, reached_ms));
            self.is_behind.store(true, Ordering::Release);
        }
        reached_ms
    }

    /// By how much the clock is behind the last commit, if it is.
    pub(crate) fn behind_ms(&self, last_commit_ms: u64) -> Option<u64> {
        last_commit_ms.checked_sub(self.clock.now_ms()).filter(|ms| *ms > 0)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    #[derive(Default)]
    struct Held(AtomicU64);

    impl Clock for Held {
        fn now_ms(&self) -> u64 {
            self.0.load(Ordering::SeqCst)
        }
    }

    #[test]
    fn time_goes_on_at_half_speed_until_the_clock_has_caught_up() {
        let clock = Arc::new(Held::default());
        let time = StoreTime::new(Arc::clone(&clock) as Arc<dyn Clock>);
        let at = |clock_ms: u64, last_commit_ms: u64| {
            clock.0.store(clock_ms, Ordering::SeqCst);
            time.now_ms(last_commit_ms)
        };
        assert_eq!(at(100, 0), 100);
        assert_eq!(at(100, 1_000), 1_000);
        assert_eq!(time.behind_ms(1_000), Some(900));
        assert_eq!(at(300, 1_000), 1_100);
        // Set back again: nothing that was reached is lost.
        assert_eq!(at(50, 1_100), 1_100);
        assert_eq!(at(150, 1_100), 1_150);
        assert_eq!(at(2_000, 1_150), 2_075);
        assert_eq!(at(3_000, 2_075), 3_000);
        assert_eq!(time.behind_ms(2_075), None);
    }
}
