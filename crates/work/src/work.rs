//! All workers of a design: the state of each, and the two ways to run them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use sortkey_api::TableName;
use sortkey_core::internals::{is_lease, is_reserved_text};
use sortkey_core::{Failure, FailureKind, Runtime};
use sortkey_design::program::{Id, Schedule, Trigger, WorkerId};
use sortkey_value::{Item, ValueRef};
use tokio::task::JoinSet;

use crate::changes::Group;
use crate::letters::{self, Letter};
use crate::status::{Counts, Status};
use crate::waiting::{Candidate, Waiting};
use crate::wake::Wake;
use crate::waking::Led;

/// The passes after which a test fails because the workers do not come to rest.
const MAX_PASSES: usize = 1_000;

/// Called with the name of a worker, a run and why it failed.
pub type Report = Arc<dyn Fn(&str, &str, &Failure) + Send + Sync>;

/// The workers of a design.
pub struct Work {
    runtime: Runtime,
    /// The token by which this process holds notes.
    token: String,
    /// When this process began to work.
    began_ms: i64,
    counts: Vec<Counts>,
    /// The last slot that is known to have run, by worker.
    slots: Mutex<HashMap<WorkerId, i64>>,
    /// The workers that follow tables, one group for each table.
    pub(crate) groups: Vec<Group>,
    report: Report,
    wake: Wake,
    concerned: HashMap<TableName, Concerned>,
}

/// The workers that a write to a table concerns.
#[derive(Default)]
struct Concerned {
    /// The first of those that follow its changes, which all share one reader.
    following: Option<WorkerId>,
    /// Those whose items are in it.
    claiming: Vec<WorkerId>,
}

impl Work {
    /// The workers of a design that runs. Failures of runs are reported.
    pub fn new(runtime: Runtime, report: Report) -> Result<Work, Failure> {
        let workers = runtime.program().workers.len();
        let mut concerned: HashMap<TableName, Concerned> = HashMap::new();
        let mut groups: Vec<Group> = Vec::new();
        for (worker, each) in runtime.program().workers.entries() {
            let Some(table) = runtime.table_of(worker) else { continue };
            let concerned = concerned.entry(table.clone()).or_default();
            match &each.trigger {
                Trigger::On { .. } => {
                    concerned.following.get_or_insert(worker);
                    let at = groups.iter().position(|group| group.table == *table).unwrap_or_else(|| {
                        groups.push(Group::new(table.clone()));
                        groups.len() - 1
                    });
                    groups[at].workers.push(worker);
                }
                Trigger::Due { .. } => concerned.claiming.push(worker),
                Trigger::Every(_) => {}
            }
        }
        let queues = runtime.program().workers.iter();
        let queues = queues.map(|each| Waiting::new(each.concurrency, each.per.map(|(_, most)| most)));
        Ok(Work {
            wake: Wake::new(queues),
            token: runtime.lease_token()?,
            began_ms: runtime.now_ms(),
            counts: (0..workers).map(|_| Counts::default()).collect(),
            slots: Mutex::default(),
            groups,
            report,
            concerned,
            runtime,
        })
    }

    /// A handle that wakes the workers.
    pub fn waker(&self) -> Wake {
        self.wake.clone()
    }

    /// Does everything that can be done at this moment. Returns the number of runs.
    pub async fn settle(&self) -> Result<u64, Failure> {
        let mut runs = 0;
        for _ in 0..MAX_PASSES {
            let mut progress = 0;
            for group in &self.groups {
                progress += self.follow(group).await?;
            }
            for (worker, each) in self.runtime.program().workers.entries() {
                progress += match &each.trigger {
                    Trigger::On { .. } => 0,
                    Trigger::Due { .. } => self.all_due(worker).await?,
                    Trigger::Every(schedule) => u64::from(self.slot(worker, schedule).await?),
                };
            }
            if progress == 0 {
                return Ok(runs);
            }
            runs += progress;
        }
        let why =
            format!("the workers do not come to rest after {runs} runs: does one of them start itself?");
        Err(Failure::new(FailureKind::Internal, why))
    }

    /// Works until it is stopped, then waits for the runs that are under way. Must be called on a Tokio runtime with time.
    pub async fn run(self: Arc<Self>) {
        let mut loops = JoinSet::new();
        for at in 0..self.groups.len() {
            loops.spawn(Arc::clone(&self).keep_following(at));
        }
        for (worker, each) in self.runtime.program().workers.entries() {
            let work = Arc::clone(&self);
            match &each.trigger {
                Trigger::Due { .. } => loops.spawn(work.keep_claiming(worker)),
                Trigger::Every(schedule) => loops.spawn(work.keep_time(worker, schedule.clone())),
                Trigger::On { .. } => continue,
            };
        }
        while let Some(ended) = loops.join_next().await {
            if let Err(error) = ended {
                let failure = Failure::new(FailureKind::Internal, format!("a worker ended: {error}"));
                (self.report)("all", "run", &failure);
            }
        }
    }

    async fn keep_time(self: Arc<Self>, worker: WorkerId, schedule: Schedule) {
        while !self.wake.is_stopped() {
            match self.slot(worker, &schedule).await {
                Ok(_) => drop(self.wake.woken(worker).await),
                Err(failure) => self.stumble(worker, "schedule", &failure).await,
            }
        }
    }

    /// Adds the consequences of a put.
    pub(crate) fn put(&self, table: &TableName, image: Option<&Item>, led: &mut Led) {
        let Some(concerned) = self.concerned.get(table) else { return };
        led.woken.extend(concerned.following);
        for worker in &concerned.claiming {
            let due = image.and_then(|image| self.runtime.due_now(*worker, table, image));
            led.fresh.extend(due.map(|due| (*worker, Candidate { due, claim: None })));
        }
    }

    /// Like [`Work::put`]; returns the item as it is to be put instead: with a lease, if its run can begin at once. That
    /// saves the write of a claim.
    pub(crate) fn put_leased(&self, table: &TableName, image: Option<&Item>, led: &mut Led) -> Option<Item> {
        let before = led.fresh.len();
        self.put(table, image, led);
        let (worker, Candidate { due, claim }) = led.fresh.get_mut(before)?;
        if !self.wake.waiting(*worker).begins(&due.share) {
            return None;
        }
        *claim = self.runtime.born_leased(*worker, due, image?);
        claim.as_ref().map(|claim| claim.image().clone())
    }

    /// Adds the consequences of a change that the request does not show: the item may have become due. A run that writes
    /// its own leased item sets at most a future time, so no worker is woken to claim it.
    pub(crate) fn changed(
        &self,
        table: &TableName,
        key: Option<&Item>,
        names: Option<&BTreeMap<String, String>>,
        led: &mut Led,
    ) {
        let Some(concerned) = self.concerned.get(table) else { return };
        // The workers' own notes start none of them.
        if key.is_some_and(is_note) {
            return;
        }
        led.woken.extend(concerned.following);
        let is_leased = names.is_some_and(|names| names.values().any(|name| is_lease(name)));
        if !is_leased {
            let is_own = |worker: &&WorkerId| key.is_none_or(|key| self.runtime.may_be_of(**worker, key));
            led.woken.extend(concerned.claiming.iter().filter(is_own));
        }
    }

    /// Adds the consequences of a deletion.
    pub(crate) fn deleted(&self, table: &TableName, led: &mut Led) {
        let Some(concerned) = self.concerned.get(table) else { return };
        led.woken.extend(concerned.following);
    }

    /// Reports that the database did not answer, and waits a moment.
    pub(crate) async fn stumble(&self, worker: WorkerId, what: &str, failure: &Failure) {
        self.report(worker, what, failure);
        self.pause(Duration::from_secs(1)).await;
    }

    /// The counters of every worker.
    pub fn status(&self) -> Vec<Status> {
        let workers = self.runtime.program().workers.iter().zip(&self.counts);
        workers.map(|(worker, counts)| counts.status(&worker.name)).collect()
    }

    /// The counters of every worker, as lines that Prometheus reads.
    pub fn metrics(&self) -> String {
        crate::metrics::page(&self.status())
    }

    /// The runs that were put aside after their last attempt, by worker; of one worker if it is named.
    pub async fn letters(&self, name: Option<&str>) -> Result<Vec<Letter>, Failure> {
        let mut found = Vec::new();
        for (worker, each) in self.runtime.program().workers.entries() {
            if name.is_none_or(|name| *each.name == *name) {
                found.extend(letters::list(&self.runtime, worker).await?);
            }
        }
        Ok(found)
    }

    /// Tries a run that was put aside again: an item becomes due again, a change is run now.
    pub async fn replay(&self, name: &str, run: &str) -> Result<(), Failure> {
        let workers = &self.runtime.program().workers;
        let unknown = || Failure::new(FailureKind::NotFound, format!("the design has no worker `{name}`"));
        let (worker, each) = workers.entries().find(|(_, each)| *each.name == *name).ok_or_else(unknown)?;
        let letter = letters::find(&self.runtime, worker, run).await?;
        match &each.trigger {
            Trigger::Due { .. } => drop(self.runtime.revive(worker, &letter.item).await?),
            _ => drop(self.runtime.run_change(worker, &letter.item, run).await?),
        }
        letters::remove(&self.runtime, worker, run).await?;
        self.wake.wake();
        Ok(())
    }

    pub(crate) fn name_of(&self, worker: WorkerId) -> &str {
        &self.runtime.program().workers[worker].name
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    pub(crate) fn wake(&self) -> &Wake {
        &self.wake
    }

    pub(crate) fn counts(&self, worker: WorkerId) -> &Counts {
        &self.counts[worker.at()]
    }

    pub(crate) fn lease_ms(&self, worker: WorkerId) -> i64 {
        i64::try_from(self.runtime.program().workers[worker].lease_ms).unwrap_or(i64::MAX)
    }

    pub(crate) fn ran_slot(&self, worker: WorkerId) -> Option<i64> {
        self.slots.lock().get(&worker).copied()
    }

    pub(crate) fn remember_slot(&self, worker: WorkerId, slot_ms: i64) {
        self.slots.lock().insert(worker, slot_ms);
    }

    /// The time from which slots are looked for: a slot missed for more than a day before the start is not run.
    pub(crate) fn slots_from(&self, worker: WorkerId) -> i64 {
        self.ran_slot(worker).map_or(self.began_ms - 86_400_000, |slot_ms| slot_ms - 1_000)
    }

    pub(crate) fn report(&self, worker: WorkerId, run: &str, failure: &Failure) {
        (self.report)(self.name_of(worker), run, failure);
    }

    pub(crate) async fn pause(&self, length: Duration) {
        self.runtime.pause(length).await;
    }
}

/// Whether a key is one of our notes, not the design's.
fn is_note(key: &Item) -> bool {
    key.iter().any(|(_, value)| matches!(value, ValueRef::S(text) if is_reserved_text(text.as_bytes())))
}
