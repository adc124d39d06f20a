//! The commit path: locks, one queue, one commit for all that wait.
//!
//! A write asks for locks and brings a closure. When the locks are granted, the closure reads the newest
//! snapshot and returns a batch; the batch joins the queue; whoever drains the queue merges all waiting batches
//! into one commit, publishes the new snapshot, releases the locks and answers. A store whose commits wait for
//! a device is drained by a thread of its own; otherwise by the thread that found the queue unattended, so that
//! a write in memory never changes threads.
//!
//! After a failed commit every write is refused, until the store's own thread has opened the store anew (`healing.rs`).

mod healing;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

use arc_swap::{ArcSwap, Guard};
use parking_lot::{Condvar, Mutex};

use self::healing::Failure;
use crate::batch::{Batch, Counts, Stamp};
use crate::clock::{Clock, StoreTime};
use crate::error::StorageError;
use crate::locks::{Lock, LockTable, RequestId, normalize};
use crate::store::{Change, Commit, Key, Snapshot, Store};
use crate::ticket::{Promise, Ticket, promise};

/// The newest visible state.
pub struct Published {
    /// The visible contents.
    pub snapshot: Arc<dyn Snapshot>,
    /// When it became so.
    pub stamp: Stamp,
    /// Changes whenever a batch [changes the schema](Batch::changes_schema): caches of the schema are valid
    /// as long as it stays the same.
    pub schema: u64,
}

/// The result of a write's closure: the changes, and the answer to give once they are visible.
pub struct Write<T> {
    /// The changes; nothing is committed if there are none.
    pub batch: Batch,
    /// The answer.
    pub answer: T,
}

/// The answer to a write, and when it became visible.
#[derive(Debug)]
pub struct Visible<T> {
    /// The closure's answer.
    pub answer: T,
    /// Its commit; for a write that changed nothing, the one it read from.
    pub stamp: Stamp,
}

/// Keys that a conflicting write holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// In ascending order.
    pub keys: Vec<Key>,
}

type Prepare = Box<dyn FnOnce(&Published) -> (Batch, Finish) + Send>;
type Finish = Box<dyn FnOnce(Result<Stamp, StorageError>) + Send>;

/// Takes writes for one store.
pub struct Committer {
    inner: Arc<Inner>,
    /// Of a store that waits.
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct Inner {
    store: Arc<dyn Store>,
    time: StoreTime,
    published: ArcSwap<Published>,
    locks: Mutex<LockTable<Prepare>>,
    queue: Mutex<Queue>,
    /// Wakes the store's own thread; unused by stores that do not wait.
    arrived: Condvar,
    /// Whether new writes are refused; changed under the queue's lock.
    closed: AtomicBool,
    /// Held by whoever commits; what only the committer may change.
    committing: Mutex<State>,
    /// The reason why no writes are taken, readable without the `committing` lock.
    failure: Mutex<Option<String>>,
    /// Those who wait until the store is open again.
    reopening: Mutex<Vec<Awaiting>>,
    /// Counts how often the store was reopened. A batch prepared in an earlier epoch may have read a state that
    /// the reopening replaced.
    epoch: AtomicU64,
    /// Older states, for readers that ask for yesterday's index.
    retained: Mutex<VecDeque<Arc<Published>>>,
    retention_ms: AtomicU64,
}

#[derive(Default)]
struct Queue {
    waiting: Vec<Waiting>,
    /// Nobody will look at it again.
    ended: bool,
}

struct Waiting {
    request: RequestId,
    epoch: u64,
    batch: Batch,
    finish: Finish,
}

/// Somebody who waits until the store is open again, and since when.
struct Awaiting {
    since: Instant,
    promise: Promise<bool>,
}

#[derive(Default)]
struct State {
    /// Why the store takes no writes now.
    failed: Option<Failure>,
}

impl Committer {
    /// Starts to take writes.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Committer {
        let (version, time_ms) = store.last_commit();
        let published =
            Published { snapshot: store.snapshot(), stamp: Stamp { version, time_ms }, schema: version };
        let own_thread = store.waits();
        let read_only = store.read_only();
        let state = State { failed: read_only.clone().map(Failure::now) };
        let inner = Arc::new(Inner {
            store,
            time: StoreTime::new(clock),
            published: ArcSwap::from_pointee(published),
            locks: Mutex::default(),
            queue: Mutex::default(),
            arrived: Condvar::new(),
            closed: AtomicBool::new(false),
            committing: Mutex::new(state),
            failure: Mutex::new(read_only),
            reopening: Mutex::default(),
            epoch: AtomicU64::new(0),
            retained: Mutex::default(),
            retention_ms: AtomicU64::new(0),
        });
        let thread = own_thread.then(|| {
            let inner = Arc::clone(&inner);
            std::thread::Builder::new()
                .name("committer".into())
                .spawn(move || inner.attend())
                .expect("the system can start a thread")
        });
        Committer { inner, thread: Mutex::new(thread) }
    }

    /// Takes no more writes, and waits until those that were handed over before are answered. The store is not
    /// used afterwards.
    pub fn close(&self) {
        {
            let _queue = self.inner.queue.lock();
            self.inner.closed.store(true, Ordering::Relaxed);
        }
        self.inner.arrived.notify_all();
        let here = std::thread::current().id();
        // The last owner can be a write that this very thread prepares; it ends by itself then.
        let thread = self.thread.lock().take().filter(|thread| thread.thread().id() != here);
        // A panic there has been answered to its writers already.
        thread.map(JoinHandle::join).and_then(Result::ok);
        let waiting = std::mem::take(&mut *self.inner.reopening.lock());
        waiting.into_iter().for_each(|awaiting| awaiting.promise.keep(false));
    }

    /// Why writes are refused since a commit failed, until the store has healed.
    pub fn failure(&self) -> Option<String> {
        self.inner.failure.lock().clone()
    }

    /// The time of the store, which never goes back behind what is visible, whatever the clock does.
    pub fn now_ms(&self) -> u64 {
        self.inner.now_after(self.inner.published.load().stamp)
    }

    /// By how many milliseconds the clock is behind what is visible: it was ahead once, or was set back.
    pub fn clock_behind_ms(&self) -> Option<u64> {
        self.inner.time.behind_ms(self.inner.published.load().stamp.time_ms)
    }

    /// Conditions that do not stop the store but need an operator's attention.
    pub fn notices(&self) -> Vec<String> {
        self.inner.store.notices()
    }

    /// How often the store was opened anew.
    pub fn epoch(&self) -> u64 {
        self.inner.epoch.load(Ordering::Acquire)
    }

    /// Waits until the store has been opened anew since an epoch, for those whom it answered
    /// [`StorageError::Reopening`]; `false` if that takes too long.
    pub fn reopened_since(&self, epoch: u64) -> Ticket<bool> {
        let (promise, ticket) = promise();
        // Under this lock the epoch is looked at and changed, so nobody waits for what has happened.
        let mut waiting = self.inner.reopening.lock();
        if self.epoch() != epoch || self.inner.closed.load(Ordering::Relaxed) {
            drop(waiting);
            promise.keep(true);
        } else {
            waiting.push(Awaiting { since: Instant::now(), promise });
        }
        ticket
    }

    /// The newest visible state.
    pub fn view(&self) -> Guard<Arc<Published>> {
        self.inner.published.load()
    }

    /// The newest state that was visible at a time, as far back as [retained](Committer::retain).
    pub fn view_at(&self, time_ms: u64) -> Arc<Published> {
        let newest = self.inner.published.load_full();
        if newest.stamp.time_ms <= time_ms {
            return newest;
        }
        let retained = self.inner.retained.lock();
        let found = retained.iter().rev().find(|older| older.stamp.time_ms <= time_ms);
        found.or_else(|| retained.front()).cloned().unwrap_or(newest)
    }

    /// Keeps older states for this long, from now on.
    pub fn retain(&self, retention_ms: u64) {
        self.inner.retention_ms.store(retention_ms, Ordering::Relaxed);
        let mut retained = self.inner.retained.lock();
        retained.clear();
        if retention_ms > 0 {
            retained.push_back(self.inner.published.load_full());
        }
    }

    /// Runs `prepare` under the locks and commits its batch. Waits for whoever holds them.
    pub fn write<T, F>(&self, locks: Vec<Lock>, prepare: F) -> Ticket<Result<Visible<T>, StorageError>>
    where
        T: Send + 'static,
        F: FnOnce(&Published) -> Write<T> + Send + 'static,
    {
        if self.inner.closed.load(Ordering::Relaxed) {
            return refused();
        }
        self.enqueue(locks, false, prepare)
    }

    /// Like [`Committer::write`], but a [`Committer::try_write`] that meets it is refused.
    pub fn write_in_line<T, F>(
        &self,
        locks: Vec<Lock>,
        prepare: F,
    ) -> Ticket<Result<Visible<T>, StorageError>>
    where
        T: Send + 'static,
        F: FnOnce(&Published) -> Write<T> + Send + 'static,
    {
        if self.inner.closed.load(Ordering::Relaxed) {
            return refused();
        }
        self.enqueue(locks, true, prepare)
    }

    fn enqueue<T, F>(
        &self,
        locks: Vec<Lock>,
        conflicts: bool,
        prepare: F,
    ) -> Ticket<Result<Visible<T>, StorageError>>
    where
        T: Send + 'static,
        F: FnOnce(&Published) -> Write<T> + Send + 'static,
    {
        let (job, ticket) = job(prepare);
        let mut table = self.inner.locks.lock();
        let (id, ready) = table.acquire(normalize(locks), conflicts, job);
        drop(table);
        self.inner.run(ready.map(|job| (id, job)).into_iter().collect());
        ticket
    }

    /// Like [`Committer::write`], but refused when another write of this kind holds or awaits one of the keys.
    pub fn try_write<T, F>(
        &self,
        locks: Vec<Lock>,
        prepare: F,
    ) -> Result<Ticket<Result<Visible<T>, StorageError>>, Conflict>
    where
        T: Send + 'static,
        F: FnOnce(&Published) -> Write<T> + Send + 'static,
    {
        if self.inner.closed.load(Ordering::Relaxed) {
            return Ok(refused());
        }
        let locks = normalize(locks);
        let mut table = self.inner.locks.lock();
        let keys = table.conflicts(&locks);
        if !keys.is_empty() {
            return Err(Conflict { keys });
        }
        let (job, ticket) = job(prepare);
        let (id, ready) = table.acquire(locks, true, job);
        drop(table);
        self.inner.run(ready.map(|job| (id, job)).into_iter().collect());
        Ok(ticket)
    }

    /// Those of the keys on which a conflicting write holds a lock or waits for one.
    pub fn conflicts(&self, keys: &[Key]) -> Vec<Key> {
        let locks: Vec<Lock> = keys.iter().cloned().map(Lock::exclusive).collect();
        self.inner.locks.lock().conflicts(&locks)
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        self.close();
    }
}

/// The answer to a write that comes too late.
fn refused<T>() -> Ticket<Result<Visible<T>, StorageError>> {
    let (promise, ticket) = promise();
    promise.keep(Err(StorageError::Closed));
    ticket
}

/// Erases the answer's type. A panic in `prepare` abandons this write alone.
fn job<T, F>(prepare: F) -> (Prepare, Ticket<Result<Visible<T>, StorageError>>)
where
    T: Send + 'static,
    F: FnOnce(&Published) -> Write<T> + Send + 'static,
{
    let (promise, ticket) = promise();
    let job: Prepare = Box::new(move |view| match catch_unwind(AssertUnwindSafe(|| prepare(view))) {
        Ok(Write { batch, answer }) => {
            let finish = move |committed: Result<Stamp, StorageError>| {
                promise.keep(committed.map(|stamp| Visible { answer, stamp }));
            };
            (batch, Box::new(finish))
        }
        Err(panic) => {
            let reason = panic_text(&*panic);
            tracing::error!(%reason, "a write panicked while it was prepared");
            (Batch::new(), Box::new(move |_| promise.keep(Err(StorageError::Abandoned(reason)))))
        }
    });
    (job, ticket)
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "unknown panic".into())
}

impl Inner {
    /// Prepares writes that have their locks, and sees to it that what they queue is committed.
    fn run(&self, mut ready: Vec<(RequestId, Prepare)>) {
        loop {
            while let Some((request, prepare)) = ready.pop() {
                // In this order: a state that is newer than its epoch is refused for nothing, the reverse would be a lie.
                let epoch = self.epoch.load(Ordering::Acquire);
                let view = self.published.load_full();
                let (batch, finish) = prepare(&view);
                if batch.is_empty() {
                    ready.extend(self.locks.lock().release(request));
                    finish(Ok(view.stamp));
                } else if let Some(refused) = self.enqueue(Waiting { request, epoch, batch, finish }) {
                    ready.extend(self.locks.lock().release(refused.request));
                    (refused.finish)(Err(StorageError::Closed));
                }
            }
            if self.store.waits() {
                self.arrived.notify_one();
                return;
            }
            // The thread that holds `committing` checks the queue once more after releasing it, so a batch
            // that arrives meanwhile is not lost.
            let Some(mut state) = self.committing.try_lock() else {
                return;
            };
            let group = std::mem::take(&mut self.queue.lock().waiting);
            if !group.is_empty() {
                ready = self.commit(&mut state, group);
            }
            drop(state);
            if ready.is_empty() && self.queue.lock().waiting.is_empty() {
                return;
            }
        }
    }

    /// Puts a batch into the queue; gives it back if nobody will look there again.
    fn enqueue(&self, waiting: Waiting) -> Option<Waiting> {
        let mut queue = self.queue.lock();
        if queue.ended {
            return Some(waiting);
        }
        queue.waiting.push(waiting);
        None
    }

    /// The life of a waiting store's own thread.
    fn attend(&self) {
        loop {
            let attempt = self.committing.lock().failed.as_ref().map(Failure::next_attempt);
            let Some(group) = self.next_group(attempt) else { return };
            let mut state = self.committing.lock();
            let ready = if group.is_empty() { Vec::new() } else { self.commit(&mut state, group) };
            self.heal_if_due(&mut state);
            drop(state);
            self.run(ready);
        }
    }

    /// Takes the waiting batches, blocking until there are some. Empty once `at_latest` has passed; `None`
    /// when the committer shuts down.
    fn next_group(&self, at_latest: Option<Instant>) -> Option<Vec<Waiting>> {
        let mut queue = self.queue.lock();
        while queue.waiting.is_empty() {
            if self.closed.load(Ordering::Relaxed) {
                queue.ended = true;
                return None;
            }
            match at_latest {
                None => self.arrived.wait(&mut queue),
                Some(at) if self.arrived.wait_until(&mut queue, at).timed_out() => break,
                Some(_) => {}
            }
        }
        Some(std::mem::take(&mut queue.waiting))
    }

    /// Commits a group, answers its writers and gives the writes that their locks made ready.
    fn commit(&self, state: &mut State, mut group: Vec<Waiting>) -> Vec<(RequestId, Prepare)> {
        let mut ready = self.refuse_outdated(&mut group);
        ready.extend(self.refuse_unadmitted(&mut group));
        if group.is_empty() {
            return ready;
        }
        let before = self.published.load_full();
        let not_before_ms = group.iter().map(|waiting| waiting.batch.not_before_ms).max().unwrap_or(0);
        let time_ms = self.now_after(before.stamp).max(not_before_ms);
        let mut stamp = Stamp { version: before.stamp.version, time_ms };
        let mut changes_schema = false;
        let mut changes =
            Vec::with_capacity(group.iter().map(|waiting| waiting.batch.changes.len() + 1).sum());
        let mut totals: HashMap<Key, Counts> = HashMap::new();
        let mut answers = Vec::with_capacity(group.len());
        for Waiting { request, batch, finish, .. } in group {
            stamp.version += 1;
            changes_schema |= batch.changes_schema;
            changes.extend(batch.changes);
            changes.extend(batch.stamped.into_iter().map(|stamped| stamped.into_change(stamp)));
            for (key, delta) in batch.counts {
                *totals.entry(key).or_default() += delta;
            }
            answers.push((request, stamp, finish));
        }
        let committed = self.commit_changes(state, &before, changes, totals, stamp);
        if let Ok(snapshot) = &committed {
            let schema = if changes_schema { stamp.version } else { before.schema };
            self.publish(Published { snapshot: Arc::clone(snapshot), stamp, schema });
        }
        {
            let mut locks = self.locks.lock();
            ready.extend(answers.iter().flat_map(|(request, ..)| locks.release(*request)));
        }
        for (_, stamp, finish) in answers {
            finish(committed.as_ref().map(|_| stamp).map_err(StorageError::clone));
        }
        ready
    }

    /// Takes those batches out of a group that the store does not take now, and answers their writers.
    fn refuse_unadmitted(&self, group: &mut Vec<Waiting>) -> Vec<(RequestId, Prepare)> {
        let mut refused = Vec::new();
        let mut kept = Vec::with_capacity(group.len());
        for waiting in group.drain(..) {
            match self.store.admits(&waiting.batch.changes) {
                Ok(()) => kept.push(waiting),
                Err(error) => refused.push((waiting, error)),
            }
        }
        *group = kept;
        let mut ready = Vec::new();
        for (Waiting { request, finish, .. }, error) in refused {
            ready.extend(self.locks.lock().release(request));
            finish(Err(error));
        }
        ready
    }

    fn commit_changes(
        &self,
        state: &mut State,
        before: &Published,
        mut changes: Vec<Change>,
        totals: HashMap<Key, Counts>,
        stamp: Stamp,
    ) -> Result<Arc<dyn Snapshot>, StorageError> {
        if let Some(failure) = &state.failed {
            return Err(StorageError::ReadOnly(failure.reason()));
        }
        for (key, delta) in totals {
            let value = before.snapshot.get(&key)?;
            let mut total = value.map(|value| Counts::from_value(&value)).unwrap_or_default();
            total += delta;
            changes.push(Change::Put(key, total.to_value()));
        }
        let commit = Commit { changes, version: stamp.version, time_ms: stamp.time_ms };
        self.store.commit(commit).inspect_err(|error| {
            // The state of the device is unknown now; further commits could lose writes after acknowledging
            // them.
            tracing::error!(%error, "a commit failed; no writes are taken until the store has healed");
            *self.failure.lock() = Some(error.to_string());
            state.failed = Some(Failure::now(error.to_string()));
        })
    }

    fn publish(&self, published: Published) {
        let retention_ms = self.retention_ms.load(Ordering::Relaxed);
        let published = Arc::new(published);
        if retention_ms > 0 {
            let horizon = published.stamp.time_ms.saturating_sub(retention_ms);
            let mut retained = self.retained.lock();
            retained.push_back(Arc::clone(&published));
            // One state from before the horizon stays: it is the one visible at the horizon.
            while retained.get(1).is_some_and(|second| second.stamp.time_ms <= horizon) {
                retained.pop_front();
            }
        }
        self.published.store(published);
    }

    fn now_after(&self, before: Stamp) -> u64 {
        self.time.now_ms(before.time_ms)
    }
}
