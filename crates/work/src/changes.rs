//! Changes of items, read from the stream of their table: in order for each item, each at least once.
//!
//! All workers that follow a table share one reader and one note. One process at a time holds the note and reads. The note
//! records how far every shard was processed (`places.rs`); a shard is read after its parent, so that the order holds
//! across a split. Reading goes on while runs are under way, up to a bound (`round.rs`), and the note is stored now and
//! then: after a crash, the runs since then are repeated, with the same ids.

mod happened;
mod lanes;
mod places;
mod reader;
mod round;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt as _;
use sortkey_api::TableName;
use sortkey_core::{Failure, FailureKind};
use sortkey_design::program::WorkerId;

use self::happened::Happened;
use self::lanes::{Job, Went};
use self::places::Places;
use self::reader::Reader;
use self::round::{Ended, Round, Start, Until};
use crate::status::Counts;
use crate::work::Work;

/// The workers that follow the changes of one table.
pub(crate) struct Group {
    pub(crate) table: TableName,
    pub(crate) workers: Vec<WorkerId>,
    /// The state of the stream between two rounds.
    flow: tokio::sync::Mutex<Option<Flow>>,
}

/// A stream whose note this process holds.
struct Flow {
    /// None while it reads.
    reader: Option<Reader>,
    places: Places,
    held_until_ms: i64,
    /// How many runs and records were done since places were stored.
    unsaved_runs: u64,
    unsaved_records: usize,
    saved: Instant,
}

impl Group {
    /// Workers that follow a table.
    pub(crate) fn new(table: TableName) -> Group {
        Group { table, workers: Vec::new(), flow: tokio::sync::Mutex::default() }
    }

    /// The worker that is woken for all of them.
    pub(crate) fn leader(&self) -> WorkerId {
        self.workers[0]
    }
}

impl Work {
    /// Runs the workers of a group on the pending changes. Returns the number of runs; none if another process reads.
    pub(crate) async fn follow(&self, group: &Group) -> Result<u64, Failure> {
        let start = |job| self.run_job(job).boxed();
        self.follow_until(group, &start, Until::Idle).await
    }

    /// Runs the workers of a group until they are stopped.
    pub(crate) async fn keep_following(self: Arc<Self>, at: usize) {
        let group = &self.groups[at];
        let start = |job: Job| {
            let work = Arc::clone(&self);
            // A task of its own, so that runs use all cores. It ends with an error only if the process does.
            let task = tokio::spawn(async move { work.run_job(job).await });
            async move {
                match task.await {
                    Ok(ended) => ended,
                    Err(_) => std::future::pending().await,
                }
            }
            .boxed()
        };
        while !self.wake().is_stopped() {
            match self.follow_until(group, &start, Until::Stopped).await {
                Ok(_) => drop(self.wake().woken(group.leader()).await),
                Err(failure) => self.stumble(group.leader(), "stream", &failure).await,
            }
        }
    }

    async fn follow_until(&self, group: &Group, start: &Start<'_>, until: Until) -> Result<u64, Failure> {
        let mut flow = group.flow.lock().await;
        let followed = Round::new(self, group, until)?.run(&mut flow, start).await;
        if followed.is_err() {
            // The cached state may be wrong: read it again.
            *flow = None;
        }
        followed
    }

    /// Runs one change, and puts it aside after the last attempt.
    async fn run_job(&self, job: Job) -> Ended {
        let Happened { image, at, at_ms, .. } = &*job.happened;
        let declared = &self.runtime().program().workers[job.worker];
        let counts = self.counts(job.worker);
        let run = format!("{}-{at}", declared.name);
        let began_ms = self.runtime().now_ms();
        counts.begin(began_ms.saturating_sub(*at_ms));
        let ran = AssertUnwindSafe(self.runtime().run_change(job.worker, image, &run)).catch_unwind().await;
        counts.end(self.runtime().now_ms().saturating_sub(began_ms));
        let panicked = |_| Err(Failure::new(FailureKind::Internal, "the run panicked"));
        let failure = match ran.unwrap_or_else(panicked) {
            Ok(_) => {
                Counts::add(&counts.done);
                return (job, Ok(Went::Done));
            }
            Err(failure) => failure,
        };
        self.report(job.worker, &run, &failure);
        if job.attempt < declared.attempts {
            Counts::add(&counts.failed);
            return (job, Ok(Went::Again));
        }
        Counts::add(&counts.dead);
        let written = self.runtime().put_aside(job.worker, &run, &failure.message, image).await;
        (job, written.map(|()| Went::Done))
    }

    /// The note is held for the longest lease of the workers that share it.
    fn group_lease_ms(&self, group: &Group) -> i64 {
        group.workers.iter().map(|worker| self.lease_ms(*worker)).max().unwrap_or_default()
    }

    fn names_of(&self, group: &Group) -> Vec<&str> {
        group.workers.iter().map(|worker| self.name_of(*worker)).collect()
    }
}
