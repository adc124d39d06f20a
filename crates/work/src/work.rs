//! All workers of a design: what each of them needs to be run, and the two ways to run them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use parking_lot::Mutex;
use sortkey_core::{Failure, FailureKind, Runtime};
use sortkey_design::program::{Id, Trigger, WorkerId};
use tokio::sync::Notify;

use crate::changes::Reader;
use crate::letters::{self, Letter};
use crate::status::{Counts, Status};

/// How often everything is looked through before a test is told that it does not come to rest.
const MAX_PASSES: usize = 1_000;

/// Called with the name of a worker, a run and why it failed.
pub type Report = Arc<dyn Fn(&str, &str, &Failure) + Send + Sync>;

/// The workers of a design.
pub struct Work {
    runtime: Runtime,
    /// What holds notes for this process.
    token: String,
    /// When this process began to work.
    began_ms: i64,
    counts: Vec<Counts>,
    /// The last slot that is known to have run, by worker.
    slots: Mutex<HashMap<WorkerId, i64>>,
    pub(crate) readers: Vec<tokio::sync::Mutex<Reader>>,
    report: Report,
    wake: Wake,
}

/// Wakes workers, and tells them to stop.
#[derive(Clone)]
pub struct Wake {
    workers: Arc<[Notify]>,
    stopped: Arc<AtomicBool>,
}

impl Wake {
    /// There may be something to do: called after writes, and now and then since time passes.
    pub fn wake(&self) {
        self.workers.iter().for_each(Notify::notify_one);
    }

    /// Lets runs that are under way end, and starts no others.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.wake();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    pub(crate) async fn woken(&self, worker: WorkerId) {
        self.workers[worker.at()].notified().await;
    }
}

impl Work {
    /// The workers of a design that runs. Failures of runs are reported.
    pub fn new(runtime: Runtime, report: Report) -> Result<Work, Failure> {
        let workers = runtime.program().workers.len();
        Ok(Work {
            token: runtime.token()?,
            began_ms: runtime.now_ms(),
            counts: (0..workers).map(|_| Counts::default()).collect(),
            slots: Mutex::default(),
            readers: (0..workers).map(|_| tokio::sync::Mutex::default()).collect(),
            report,
            wake: Wake {
                workers: (0..workers).map(|_| Notify::new()).collect(),
                stopped: Arc::new(AtomicBool::new(false)),
            },
            runtime,
        })
    }

    /// What wakes the workers.
    pub fn waker(&self) -> Wake {
        self.wake.clone()
    }

    /// Does everything that can be done at this moment. How many runs that took.
    pub async fn settle(&self) -> Result<u64, Failure> {
        let mut runs = 0;
        for _ in 0..MAX_PASSES {
            let mut progress = 0;
            for (worker, each) in self.runtime.program().workers.entries() {
                progress += match &each.trigger {
                    Trigger::On { .. } => self.follow(worker, false).await?,
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

    /// Works until it is told to stop, then lets the runs end that are under way.
    pub async fn run(&self) {
        let workers = self.runtime.program().workers.entries();
        let loops = workers.map(|(worker, each)| async move {
            match &each.trigger {
                Trigger::Due { .. } => self.keep_claiming(worker).await,
                Trigger::On { .. } => {
                    while !self.wake.is_stopped() {
                        match self.follow(worker, true).await {
                            Ok(0) => self.wake.woken(worker).await,
                            Ok(_) => {}
                            Err(failure) => self.stumble(worker, "stream", &failure).await,
                        }
                    }
                }
                Trigger::Every(schedule) => {
                    while !self.wake.is_stopped() {
                        match self.slot(worker, schedule).await {
                            Ok(_) => self.wake.woken(worker).await,
                            Err(failure) => self.stumble(worker, "schedule", &failure).await,
                        }
                    }
                }
            }
        });
        join_all(loops).await;
    }

    /// The database did not answer: say so, and wait a moment.
    pub(crate) async fn stumble(&self, worker: WorkerId, what: &str, failure: &Failure) {
        self.report(worker, what, failure);
        self.pause(Duration::from_secs(1)).await;
    }

    /// What every worker has done so far.
    pub fn status(&self) -> Vec<Status> {
        let workers = self.runtime.program().workers.iter().zip(&self.counts);
        workers.map(|(worker, counts)| counts.status(&worker.name)).collect()
    }

    /// What nobody tries any more, by worker; of one worker if it is named.
    pub async fn letters(&self, name: Option<&str>) -> Result<Vec<Letter>, Failure> {
        let mut found = Vec::new();
        for (worker, each) in self.runtime.program().workers.entries() {
            if name.is_none_or(|name| *each.name == *name) {
                found.extend(letters::list(&self.runtime, worker).await?);
            }
        }
        Ok(found)
    }

    /// Tries something again that was put aside: an item that is due becomes due again, a change is run now.
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

    /// From when on slots are looked for: a slot that was missed for longer than a day before the start is not run.
    pub(crate) fn slots_from(&self, worker: WorkerId) -> i64 {
        self.ran_slot(worker).map_or(self.began_ms - 86_400_000, |slot_ms| slot_ms - 1_000)
    }

    pub(crate) fn report(&self, worker: WorkerId, run: &str, failure: &Failure) {
        (self.report)(&self.runtime.program().workers[worker].name, run, failure);
    }

    pub(crate) async fn pause(&self, length: Duration) {
        self.runtime.pause(length).await;
    }
}
