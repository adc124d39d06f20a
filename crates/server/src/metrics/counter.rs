//! Counters that many threads bump and almost nobody reads.
//!
//! Each thread adds to its own cache line, so two busy cores do not fight over one; a read adds the
//! lines up. A reader may miss what is being added this instant and never counts anything twice.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Cache lines that the threads share out among themselves.
pub(crate) const SHARDS: usize = 4;

/// The shard of the calling thread.
pub(crate) fn shard() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static SHARD: Cell<usize> = const { Cell::new(usize::MAX) };
    }
    SHARD.with(|shard| {
        if shard.get() == usize::MAX {
            shard.set(NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS);
        }
        shard.get()
    })
}

/// A number that grows. With [`Counter::subtract`] it serves as a gauge too: single shards may wrap below
/// zero, but their sum does not.
#[derive(Debug, Default)]
pub(crate) struct Counter([Line; SHARDS]);

/// One number, alone on its cache line.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Line(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, amount: u64) {
        self.0[shard()].0.fetch_add(amount, Ordering::Relaxed);
    }

    pub(crate) fn subtract(&self, amount: u64) {
        self.0[shard()].0.fetch_sub(amount, Ordering::Relaxed);
    }

    pub(crate) fn total(&self) -> u64 {
        self.0.iter().fold(0, |sum, line| sum.wrapping_add(line.0.load(Ordering::Relaxed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_add_up() {
        let counter = Counter::default();
        std::thread::scope(|scope| {
            for _ in 0..2 * SHARDS {
                scope.spawn(|| (0..1000).for_each(|_| counter.add(3)));
                scope.spawn(|| (0..1000).for_each(|_| counter.subtract(1)));
            }
        });
        assert_eq!(counter.total(), 2 * SHARDS as u64 * 2000);
    }
}
