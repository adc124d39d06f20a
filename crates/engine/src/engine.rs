//! The engine: what all operations share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use sortkey_api::{ApiError, OperationId, ThrottlingReason};
use sortkey_expression::ExpressionCache;
use sortkey_storage::backup::Pieces;
use sortkey_storage::{Batch, Clock, Committer, Lock, MemoryStore, Published, Store, Write};

use crate::catalog::Catalog;
use crate::catalog::table::Table;
use crate::faults::{FaultKind, Faults};
use crate::jobs::background::Background;
use crate::jobs::{self, transfers};
use crate::layout;
use crate::reply::Reply;
use crate::settings::{MovableClock, Settings};

/// Expressions of each sort that are remembered.
const CACHED_EXPRESSIONS: usize = 1024;

/// A smaller lag of the clock is not reported.
const NOTICEABLE: Duration = Duration::from_secs(1);

/// The notice about a clock that is behind the last write.
fn clock_notice(behind: Duration) -> String {
    format!(
        "the clock is {} s behind the last write: it was ahead then, or has been set back; the time of the database \
         goes on from the last write at half speed until the clock has caught up, and nothing is lost",
        behind.as_secs()
    )
}

/// A DynamoDB in this process. Clones are handles of the same database.
#[derive(Clone)]
pub struct Engine {
    pub(crate) shared: Arc<Open>,
}

/// All handles of a database together. With the last of them it is closed: those who hold what they share for a moment
/// longer (the background thread, writes that were handed over) have let go when that handle is gone, and with them the
/// store.
pub(crate) struct Open(Arc<Shared>);

/// The state of one database. A fork has its own copy of all of it.
pub(crate) struct Shared {
    /// The store, if it can be forked.
    memory: Option<Arc<MemoryStore>>,
    pub(crate) committer: Committer,
    pub(crate) clock: Arc<MovableClock>,
    pub(crate) catalog: Catalog,
    pub(crate) faults: Faults,
    /// Expressions that were read before.
    pub(crate) expressions: ExpressionCache,
    pub(crate) settings: Settings,
    pub(crate) gsi_delay: RwLock<Duration>,
    random: AtomicU64,
    /// Held while the background jobs run.
    pub(crate) running_jobs: Mutex<()>,
    pub(crate) background: Background,
    /// Moves whole tables, which must not hold up the small jobs.
    pub(crate) transfers: Background,
}

impl Engine {
    /// An empty database in memory.
    pub fn memory(settings: Settings) -> Engine {
        Engine::in_memory(MemoryStore::new(), settings, None)
    }

    /// The database that a store contains.
    pub fn open(store: Arc<dyn Store>, settings: Settings) -> Engine {
        let clock = Arc::new(MovableClock::new(Arc::clone(&settings.clock)));
        Engine::start(store, None, settings, clock)
    }

    /// A second database with everything that this one contains; from then on neither sees the other. Takes
    /// no time, whatever the size. Only a database in memory can be forked.
    pub fn fork(&self) -> Option<Engine> {
        let memory = self.shared.memory.as_ref()?.fork();
        let settings = Settings { seed: self.shared.random(), ..self.shared.settings.clone() };
        let fork = Engine::in_memory(memory, settings, Some(self.shared.clock.fork()));
        fork.set_gsi_delay(*self.shared.gsi_delay.read());
        Some(fork)
    }

    /// Why writes are refused since the store failed; it is opened anew in the background until it takes them again.
    pub fn failure(&self) -> Option<String> {
        self.shared.committer.failure()
    }

    /// Conditions that do not stop requests but need an operator's attention: the state of the clock and of
    /// the store.
    pub fn notices(&self) -> Vec<String> {
        let behind = self.clock_behind().filter(|behind| *behind >= NOTICEABLE);
        behind.map(clock_notice).into_iter().chain(self.shared.committer.notices()).collect()
    }

    /// Everything that is visible now, as the bytes of a backup. The database goes on while they are written.
    pub fn backup(&self) -> Pieces {
        let view = self.shared.committer.view();
        Pieces::new(Arc::clone(&view.snapshot), view.stamp)
    }

    /// Moves the clock of this database forward, or back.
    pub fn advance_clock(&self, by_ms: i64) {
        self.shared.clock.advance_ms(by_ms);
        self.shared.background.wake();
    }

    /// Stops the clock at a time, in milliseconds since 1970. While it is stopped, items expire only by
    /// [`expire_now`](Engine::expire_now).
    pub fn stop_clock_at(&self, time_ms: u64) {
        self.shared.clock.stop_at_ms(time_ms);
        self.shared.background.wake();
    }

    /// Lets the clock run again.
    pub fn follow_clock(&self) {
        self.shared.clock.follow();
    }

    /// The time of this database, in milliseconds since 1970. It never goes back: when the clock is behind the last
    /// write, it goes on from there at half speed until the clock has caught up.
    pub fn now_ms(&self) -> u64 {
        self.shared.now_ms()
    }

    /// The clock's time, in milliseconds since 1970.
    pub fn clock_ms(&self) -> u64 {
        self.shared.clock.now_ms()
    }

    /// By how much the clock is behind the last write: it was ahead when that was written, or was set back since.
    pub fn clock_behind(&self) -> Option<Duration> {
        self.shared.committer.clock_behind_ms().map(Duration::from_millis)
    }

    /// Removes all items that are past their time, and returns how many there were.
    pub fn expire_now(&self) -> Result<usize, ApiError> {
        jobs::expire(&self.shared)
    }

    /// Does now what the background would do by and by: completes indexes, removes what is past its time. Waits for the
    /// background if it is at work.
    pub fn run_jobs(&self) -> Result<(), ApiError> {
        jobs::run(&self.shared)
    }

    /// Removes every table, backup, stream and token, and puts clock, faults and delays back to how they began.
    pub fn reset(&self) -> Result<(), ApiError> {
        jobs::remove_everything(&self.shared)?;
        self.shared.faults.clear();
        self.shared.clock.follow();
        self.set_gsi_delay(self.shared.settings.gsi_delay);
        Ok(())
    }

    /// Lets global indexes lag behind their tables from now on.
    pub fn set_gsi_delay(&self, delay: Duration) {
        *self.shared.gsi_delay.write() = delay;
        self.shared.committer.retain(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX));
    }

    /// How far global indexes lag behind their tables.
    pub fn gsi_delay(&self) -> Duration {
        *self.shared.gsi_delay.read()
    }

    /// Faults to be shown to the next requests.
    pub fn faults(&self) -> &Faults {
        &self.shared.faults
    }

    fn in_memory(store: MemoryStore, settings: Settings, clock: Option<MovableClock>) -> Engine {
        let clock = clock.unwrap_or_else(|| MovableClock::new(Arc::clone(&settings.clock)));
        let store = Arc::new(store);
        Engine::start(Arc::clone(&store) as Arc<dyn Store>, Some(store), settings, Arc::new(clock))
    }

    fn start(
        store: Arc<dyn Store>,
        memory: Option<Arc<MemoryStore>>,
        settings: Settings,
        clock: Arc<MovableClock>,
    ) -> Engine {
        let committer = Committer::new(store, Arc::clone(&clock) as Arc<dyn Clock>);
        let random = AtomicU64::new(settings.seed);
        let delay = settings.gsi_delay;
        let shared = Arc::new(Shared {
            memory,
            committer,
            catalog: Catalog::new(settings.creation_delay, Arc::clone(&clock) as Arc<dyn Clock>),
            clock,
            faults: Faults::default(),
            expressions: ExpressionCache::new(CACHED_EXPRESSIONS),
            background: Background::new("background", jobs::run_in_background, settings.expiry_interval),
            transfers: Background::new("transfers", transfers::run, None),
            settings,
            gsi_delay: RwLock::new(Duration::ZERO),
            random,
            running_jobs: Mutex::new(()),
        });
        let engine = Engine { shared: Arc::new(Open(shared)) };
        if !delay.is_zero() {
            engine.set_gsi_delay(delay);
        }
        for notice in engine.notices() {
            tracing::warn!("{notice}");
        }
        if jobs::are_due(&engine.shared) {
            engine.shared.wake_background();
        }
        if transfers::are_due(&engine.shared.committer.view()) {
            engine.shared.wake_transfers();
        }
        engine
    }
}

impl std::ops::Deref for Open {
    type Target = Arc<Shared>;

    fn deref(&self) -> &Arc<Shared> {
        &self.0
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.background.stop();
        self.transfers.stop();
        // A job that is under way is refused its next write, and ends.
        self.committer.close();
        self.background.join();
        self.transfers.join();
    }
}

impl Shared {
    /// Runs a write and answers when it is visible. The closure gives a batch with its answer, or the error
    /// that makes the write change nothing.
    pub(crate) fn write<T, F>(self: &Arc<Self>, locks: Vec<Lock>, prepare: F) -> Reply<T>
    where
        T: Send + 'static,
        F: FnOnce(&Arc<Shared>, &Published) -> Result<(Batch, T), ApiError> + Send + 'static,
    {
        let shared = Arc::clone(self);
        Reply::waiting(self.committer.write(locks, move |view| outcome(prepare(&shared, view))))
    }

    /// Runs a write, and calls `wake` once it is visible; a job that is woken earlier would find nothing to do and
    /// sleep again.
    ///
    /// The wake-up is queued behind the write on the same locks, so it runs after the write is visible. It takes all of
    /// the locks, of which one is exclusive: a write acquires its locks one by one, so that a single one of them may
    /// still be free while the write waits for another.
    pub(crate) fn write_then<T, F>(
        self: &Arc<Self>,
        locks: Vec<Lock>,
        wake: fn(&Arc<Shared>),
        prepare: F,
    ) -> Reply<T>
    where
        T: Send + 'static,
        F: FnOnce(&Arc<Shared>, &Published) -> Result<(Batch, T), ApiError> + Send + 'static,
    {
        let behind = locks.iter().map(|lock| Lock::shared(lock.key.clone())).collect();
        let reply = self.write(locks, prepare);
        let woken = self.write(behind, move |shared, _| {
            wake(shared);
            Ok((Batch::new(), ()))
        });
        drop(woken);
        reply
    }

    /// Changes a table's descriptor under its lock.
    pub(crate) fn update_table<T, F>(self: &Arc<Self>, name: &str, change: F) -> Reply<T>
    where
        T: Send + 'static,
        F: FnOnce(&Arc<Shared>, &Published, &mut Table) -> Result<T, ApiError> + Send + 'static,
    {
        self.write(vec![Lock::exclusive(layout::table(name))], changed(name.to_owned(), change))
    }

    /// Like `update_table`, but calls `wake` once the change is visible.
    pub(crate) fn update_table_then<T, F>(
        self: &Arc<Self>,
        name: &str,
        wake: fn(&Arc<Shared>),
        change: F,
    ) -> Reply<T>
    where
        T: Send + 'static,
        F: FnOnce(&Arc<Shared>, &Published, &mut Table) -> Result<T, ApiError> + Send + 'static,
    {
        let locks = vec![Lock::exclusive(layout::table(name))];
        self.write_then(locks, wake, changed(name.to_owned(), change))
    }

    /// The older state that reads of global indexes see, if these lag behind.
    pub(crate) fn delayed_view(&self) -> Option<Arc<Published>> {
        let delay = *self.gsi_delay.read();
        let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        (delay_ms > 0).then(|| self.committer.view_at(self.now_ms().saturating_sub(delay_ms)))
    }

    /// Refuses a request that a fault of this kind befalls.
    pub(crate) fn throttle(&self, table: &str, operation: OperationId) -> Result<(), ApiError> {
        if !self.faults.strikes(FaultKind::Throttle, operation.name(), table) {
            return Ok(());
        }
        let kind = match operation {
            OperationId::GetItem
            | OperationId::BatchGetItem
            | OperationId::TransactGetItems
            | OperationId::Query
            | OperationId::Scan => "Read",
            _ => "Write",
        };
        Err(ApiError::throughput_exceeded(vec![ThrottlingReason {
            reason: format!("Table{kind}ProvisionedThroughputExceeded"),
            resource: self.table_arn(table),
        }]))
    }

    /// Starts what moves whole tables, or wakes it if it sleeps.
    pub(crate) fn wake_transfers(self: &Arc<Self>) {
        self.transfers.start(self);
        self.transfers.wake();
    }

    /// Starts the background jobs, or wakes them if they sleep.
    pub(crate) fn wake_background(self: &Arc<Self>) {
        self.background.start(self);
        self.background.wake();
    }

    /// The time of the database: what is committed never lies behind it.
    pub(crate) fn now_ms(&self) -> u64 {
        self.committer.now_ms()
    }

    /// The time by which items expire. If clock and database disagree, the earlier one counts: an item that expires
    /// late is a nuisance, one that expires early is lost.
    pub(crate) fn expiry_now_ms(&self) -> u64 {
        self.clock.now_ms().min(self.now_ms())
    }

    /// A random number, unpredictable without the seed.
    pub(crate) fn random(&self) -> u64 {
        // SplitMix64: every state gives one number, and states count up.
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let state = self.random.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A random UUID.
    pub(crate) fn uuid(&self) -> String {
        let high = self.random();
        let low = self.random();
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xFFFF,
            high & 0x0FFF,
            0x8000 | ((low >> 48) & 0x3FFF),
            low & 0xFFFF_FFFF_FFFF
        )
    }

    /// Takes the next id of a kind; the batch that uses it must be committed under [`Shared::ids_lock`].
    pub(crate) fn take_id(view: &Published, kind: &str, batch: &mut Batch) -> Result<u32, ApiError> {
        let key = layout::ids(kind);
        let value = view.snapshot.get(&key).map_err(|error| crate::reply::storage_failure(&error))?;
        let last = value.and_then(|value| value[..].try_into().ok()).map_or(0, u32::from_be_bytes);
        let next = last.checked_add(1).ok_or_else(ApiError::internal)?;
        batch.put(key, next.to_be_bytes().into());
        Ok(next)
    }

    /// The lock that is needed to allocate ids.
    pub(crate) fn ids_lock(kind: &str) -> Lock {
        Lock::exclusive(layout::ids(kind))
    }

    /// The name of a table that exists, for those who keep it longer than a request.
    pub(crate) fn existing_table(&self, name: &str) -> Option<Arc<str>> {
        let table = self.catalog.find(&self.committer.view(), name).ok()??;
        Some(Arc::clone(&table.name))
    }

    pub(crate) fn table_arn(&self, table: &str) -> String {
        format!("arn:aws:dynamodb:{}:{}:table/{table}", self.settings.region, self.settings.account)
    }

    pub(crate) fn index_arn(&self, table: &str, index: &str) -> String {
        format!("{}/index/{index}", self.table_arn(table))
    }

    pub(crate) fn stream_arn(&self, table: &str, label: &str) -> String {
        format!("{}/stream/{label}", self.table_arn(table))
    }
}

/// A write that changes a table's descriptor.
fn changed<T, F>(
    name: String,
    change: F,
) -> impl FnOnce(&Arc<Shared>, &Published) -> Result<(Batch, T), ApiError> + Send + 'static
where
    T: Send + 'static,
    F: FnOnce(&Arc<Shared>, &Published, &mut Table) -> Result<T, ApiError> + Send + 'static,
{
    move |shared, view| {
        let mut table = Table::clone(&*shared.catalog.changeable_table(view, &name)?);
        let answer = change(shared, view, &mut table)?;
        let mut batch = Batch::new();
        batch.put(layout::table(&name), table.to_value());
        batch.changes_schema();
        Ok((batch, answer))
    }
}

/// An error leaves nothing behind.
pub(crate) fn outcome<T>(result: Result<(Batch, T), ApiError>) -> Write<Result<T, ApiError>> {
    match result {
        Ok((batch, answer)) => Write { batch, answer: Ok(answer) },
        Err(error) => Write { batch: Batch::new(), answer: Err(error) },
    }
}
