//! Wakes and stops workers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use parking_lot::{Mutex, MutexGuard};
use sortkey_design::program::{Id as _, WorkerId};
use tokio::sync::Notify;

use crate::waiting::{Added, Waiting};
use crate::waking::Led;

/// Wakes and stops workers.
#[derive(Clone)]
pub struct Wake {
    workers: Arc<[Sleeper]>,
    stopped: Arc<AtomicBool>,
    /// Not the database's clock, which may be stopped or moved while looks go on.
    begin: Instant,
}

/// A worker that may sleep.
struct Sleeper {
    notify: Notify,
    /// Items that are due. Those that become due in this process are put here by the write.
    waiting: Mutex<Waiting>,
    /// Whether something changed that only a look shows.
    is_asked: AtomicBool,
}

impl Wake {
    /// Workers that sleep, by the queues of what they wait for.
    pub(crate) fn new(queues: impl Iterator<Item = Waiting>) -> Wake {
        let sleeper = |waiting| Sleeper {
            notify: Notify::new(),
            waiting: Mutex::new(waiting),
            is_asked: AtomicBool::new(false),
        };
        Wake {
            workers: queues.map(sleeper).collect(),
            stopped: Arc::new(AtomicBool::new(false)),
            begin: Instant::now(),
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
        let now_ms = self.elapsed_ms();
        for (worker, fresh) in led.fresh {
            let sleeper = &self.workers[worker.at()];
            let added = sleeper.waiting.lock().add(fresh.due, fresh.claim, now_ms);
            if added == Added::Crowded {
                sleeper.is_asked.store(true, Ordering::Relaxed);
            }
            sleeper.notify.notify_one();
        }
    }

    /// The queue of what a worker waits for.
    pub(crate) fn waiting(&self, worker: WorkerId) -> MutexGuard<'_, Waiting> {
        self.workers[worker.at()].waiting.lock()
    }

    /// How many milliseconds the workers exist.
    pub(crate) fn elapsed_ms(&self) -> i64 {
        i64::try_from(self.begin.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Waits until there may be something to do. Returns whether only a look shows what.
    pub(crate) async fn woken(&self, worker: WorkerId) -> bool {
        let sleeper = &self.workers[worker.at()];
        sleeper.notify.notified().await;
        sleeper.is_asked.swap(false, Ordering::Relaxed)
    }
}
