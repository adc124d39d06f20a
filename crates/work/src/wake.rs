//! Wakes and stops workers.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use sortkey_core::Due;
use sortkey_design::program::{Id as _, WorkerId};
use tokio::sync::Notify;

use crate::waking::Led;

/// How many items are passed on to a worker before it takes them; those above are found by a look.
const MAX_FRESH: usize = 10_000;

/// Wakes and stops workers.
#[derive(Clone)]
pub struct Wake {
    workers: Arc<[Sleeper]>,
    stopped: Arc<AtomicBool>,
}

/// A worker that may sleep.
#[derive(Default)]
struct Sleeper {
    notify: Notify,
    /// Items that became due in this process.
    fresh: Mutex<VecDeque<Due>>,
    /// Whether something changed that only a look shows.
    is_asked: AtomicBool,
}

impl Wake {
    pub(crate) fn new(workers: usize) -> Wake {
        Wake {
            workers: (0..workers).map(|_| Sleeper::default()).collect(),
            stopped: Arc::new(AtomicBool::new(false)),
        }
    }

    /// Wakes every worker. Called regularly, since items become due and other processes write.
    pub fn wake(&self) {
        for sleeper in self.workers.iter() {
            sleeper.is_asked.store(true, Ordering::Relaxed);
            sleeper.notify.notify_one();
        }
    }

    /// Lets runs that are under way end, and starts no others.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// Wakes the workers that a write concerns.
    pub(crate) fn led(&self, led: Led) {
        for worker in led.woken {
            let sleeper = &self.workers[worker.at()];
            sleeper.is_asked.store(true, Ordering::Relaxed);
            sleeper.notify.notify_one();
        }
        for (worker, due) in led.fresh {
            let sleeper = &self.workers[worker.at()];
            let mut fresh = sleeper.fresh.lock();
            match fresh.len() < MAX_FRESH {
                true => fresh.push_back(due),
                false => sleeper.is_asked.store(true, Ordering::Relaxed),
            }
            drop(fresh);
            sleeper.notify.notify_one();
        }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Items that became due in this process since the last time.
    pub(crate) fn take_fresh(&self, worker: WorkerId) -> VecDeque<Due> {
        std::mem::take(&mut *self.workers[worker.at()].fresh.lock())
    }

    /// Waits until there may be something to do. Returns whether only a look shows what.
    pub(crate) async fn woken(&self, worker: WorkerId) -> bool {
        let sleeper = &self.workers[worker.at()];
        sleeper.notify.notified().await;
        sleeper.is_asked.swap(false, Ordering::Relaxed)
    }
}
