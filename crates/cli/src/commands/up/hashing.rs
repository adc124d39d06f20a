//! Password hashing with a bound: a hash keeps a processor busy for a quarter of a second, on a thread of its own.
//!
//! As many run at once as there are processors, and a few more wait. Beyond that a call fails with a retryable error, so
//! that a flood of logins costs neither all threads nor all of the processor.

use std::sync::Arc;

use parking_lot::{Condvar, Mutex};
use sortkey_core::Aside;

/// Hashes that wait for a processor. Each of them holds a thread.
const MAX_WAITING: usize = 16;

/// Bounds the hashes of one process.
pub(super) struct Hashing {
    max_running: usize,
    count: Mutex<Count>,
    ended: Condvar,
}

#[derive(Default)]
struct Count {
    running: usize,
    waiting: usize,
}

impl Hashing {
    pub(super) fn new() -> Hashing {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Hashing { max_running: processors, count: Mutex::default(), ended: Condvar::new() }
    }

    /// The function that the runtime calls to hash. Work that finds no room is rejected, and the runtime reports that.
    pub(super) fn into_aside(self) -> Aside {
        let hashing = Arc::new(self);
        Arc::new(move |work| {
            if hashing.has_room() {
                // The other calls of this thread move to another one.
                tokio::task::block_in_place(|| hashing.run(work));
            }
        })
    }

    /// Takes a place among those that wait, if there is one.
    fn has_room(&self) -> bool {
        let mut count = self.count.lock();
        let has_room = count.waiting < MAX_WAITING;
        count.waiting += usize::from(has_room);
        has_room
    }

    fn run(&self, work: &mut dyn FnMut()) {
        let mut count = self.count.lock();
        self.ended.wait_while(&mut count, |count| count.running >= self.max_running);
        count.waiting -= 1;
        count.running += 1;
        drop(count);
        let _running = Running(self);
        work();
    }
}

/// A hash that runs; its place is free again even if it panics.
struct Running<'a>(&'a Hashing);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.count.lock().running -= 1;
        self.0.ended.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    // F-66: 64 concurrent password checks used 72 threads.
    #[test]
    fn few_hashes_run_and_few_wait() {
        let hashing = Hashing { max_running: 2, ..Hashing::new() };
        let aside = hashing.into_aside();
        let [running, most, done] = [(); 3].map(|()| Arc::new(AtomicUsize::new(0)));
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(64).build().expect("threads");
        let barrier = Arc::new(std::sync::Barrier::new(64));
        let tasks: Vec<_> = (0..64)
            .map(|_| {
                let (aside, barrier) = (Arc::clone(&aside), Arc::clone(&barrier));
                let (running, most, done) = (Arc::clone(&running), Arc::clone(&most), Arc::clone(&done));
                runtime.spawn(async move {
                    barrier.wait();
                    aside(&mut || {
                        most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::sleep(std::time::Duration::from_millis(50));
                        running.fetch_sub(1, Ordering::SeqCst);
                        done.fetch_add(1, Ordering::SeqCst);
                    });
                })
            })
            .collect();
        for task in tasks {
            runtime.block_on(task).expect("no panic");
        }
        assert_eq!(most.load(Ordering::SeqCst), 2);
        assert!((2..=2 + MAX_WAITING + 2).contains(&done.load(Ordering::SeqCst)), "{done:?}");
        let mut ran = false;
        runtime.block_on(async { aside(&mut || ran = true) });
        assert!(ran, "there is room again");
    }
}
