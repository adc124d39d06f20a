//! Changes of items, read from the stream of their table: in order for each item, each at least once.
//!
//! All workers that follow a table share one reader and one note. One process at a time holds the note and reads. The note says
//! how far the records of every shard were run (`places.rs`); a shard is read after its parent, so that the order holds across
//! a split. Reading goes on while runs are under way, up to a bound, and the note is stored now and then: after a crash, what
//! was run since is run again, with the same ids.

mod happened;
mod lanes;
mod places;
mod reader;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use sortkey_api::TableName;
use sortkey_api::shapes::stream::Record;
use sortkey_core::{Failure, FailureKind, Note};
use sortkey_design::program::WorkerId;

use self::happened::Happened;
use self::lanes::{Job, Lanes, Went};
use self::places::Places;
use self::reader::{Batch, Reader};
use crate::letters;
use crate::status::Counts;
use crate::work::Work;

/// How many records are read ahead of the first that is not done.
const MAX_OPEN: usize = 10_000;

/// How often places are stored while there are runs.
const SAVE: Duration = Duration::from_secs(1);

/// After so many records without a run, places are stored.
const MAX_UNSAVED: usize = 10_000;

/// The workers that follow the changes of one table.
pub(crate) struct Group {
    pub(crate) table: TableName,
    pub(crate) workers: Vec<WorkerId>,
    /// What is known of the stream while nobody reads.
    flow: tokio::sync::Mutex<Option<Flow>>,
}

/// A stream that is followed.
struct Flow {
    reader: Option<Reader>,
    places: Places,
    held_until_ms: i64,
    /// How many runs and records were done since places were stored.
    unsaved_runs: u64,
    unsaved_records: usize,
    saved: Instant,
}

/// When following ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    /// When every record is done.
    Idle,
    /// When the workers are told to stop.
    Stopped,
}

/// Why following ends before its time.
enum Broken {
    /// Another process holds the note by now. What runs here is run there again, with the same ids.
    Lost,
    Failed(Failure),
}

/// A run that is over, and what came of it; a failure if not even that could be stored.
type Ended = (Job, Result<Went, Failure>);

/// A read that gives its reader back, with the records; none if it asked for the shards.
type Reading<'a> = BoxFuture<'a, (Reader, Result<Option<Vec<Batch>>, Failure>)>;

/// Starts a run.
type Start<'a> = dyn Fn(Job) -> BoxFuture<'a, Ended> + Send + Sync + 'a;

impl Group {
    /// Workers that follow a table.
    pub(crate) fn new(table: TableName) -> Group {
        Group { table, workers: Vec::new(), flow: tokio::sync::Mutex::default() }
    }

    /// The worker whose name wakes all of them.
    pub(crate) fn leader(&self) -> WorkerId {
        self.workers[0]
    }
}

impl Work {
    /// Runs the workers of a group on the changes that are there. How many runs that took; none if another process reads.
    pub(crate) async fn follow(&self, group: &Group) -> Result<u64, Failure> {
        let start = |job| self.run_job(job).boxed();
        self.follow_with(group, &start, Until::Idle).await
    }

    /// Runs the workers of a group until they are told to stop.
    pub(crate) async fn keep_following(self: Arc<Self>, at: usize) {
        let group = &self.groups[at];
        let start = |job: Job| {
            let work = Arc::clone(&self);
            // A task of its own, so that runs use all cores.
            let task = tokio::spawn(async move { work.run_job(job).await });
            async move { task.await }
                .map(|ended| ended.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic())))
                .boxed()
        };
        while !self.wake().is_stopped() {
            match self.follow_with(group, &start, Until::Stopped).await {
                Ok(_) => drop(self.wake().woken(group.leader()).await),
                Err(failure) => self.stumble(group.leader(), "stream", &failure).await,
            }
        }
    }

    async fn follow_with(&self, group: &Group, start: &Start<'_>, until: Until) -> Result<u64, Failure> {
        let mut flow = group.flow.lock().await;
        let followed = self.flow(group, &mut flow, start, until).await;
        if followed.is_err() {
            // Whatever was believed, ask again.
            *flow = None;
        }
        followed
    }

    /// Follows a stream. The runs that were started have ended when it comes back, also with a failure.
    async fn flow(
        &self,
        group: &Group,
        held: &mut Option<Flow>,
        start: &Start<'_>,
        until: Until,
    ) -> Result<u64, Failure> {
        let note = self.note_of(group)?;
        let mut lanes: Vec<Lanes> = group.workers.iter().map(|worker| self.lanes_of(*worker)).collect();
        let mut running = FuturesUnordered::new();
        let mut reading: Option<Reading<'_>> = None;
        let mut broken: Option<Broken> = None;
        let (mut runs, mut is_asked) = (0, true);
        loop {
            let is_over = broken.is_some() || (until == Until::Stopped && self.wake().is_stopped());
            if !is_over {
                match self.hold(group, &note, held).await {
                    Ok(true) => {}
                    Ok(false) => broken = Some(Broken::Lost),
                    Err(failure) => broken = Some(Broken::Failed(failure)),
                }
            }
            let Some(flow) = held.as_mut() else { break };
            let now_ms = self.runtime().now_ms();
            if !is_over && broken.is_none() {
                for (worker, lanes) in group.workers.iter().zip(&mut lanes) {
                    while let Some(job) = lanes.next(now_ms) {
                        running.push(start(job));
                    }
                    self.counts(*worker).set_waiting(lanes.waiting());
                }
                if is_asked
                    && flow.places.open() < MAX_OPEN
                    && let Some(reader) = flow.reader.take()
                {
                    is_asked = false;
                    reading = Some(self.read(group, reader, &flow.places, now_ms));
                }
            }
            let is_idle = running.is_empty() && reading.is_none();
            let rests = is_idle && !is_asked && lanes.iter().all(|lanes| lanes.len() == 0);
            let is_done = (is_idle && (is_over || broken.is_some())) || (rests && until == Until::Idle);
            // Whoever starts next need not wait for the lease.
            let releases = is_done && is_over;
            if broken.is_none() && (releases || flow.wants_saving(is_done)) {
                match self.save(group, &note, flow, releases).await {
                    Ok(true) => {}
                    Ok(false) => broken = Some(Broken::Lost),
                    Err(failure) => broken = Some(Broken::Failed(failure)),
                }
            }
            if is_done {
                break;
            }
            tokio::select! {
                Some(ended) = running.next(), if !running.is_empty() => {
                    let mut next = Some(ended);
                    // Whatever else has ended by now is dealt with in the same round.
                    while let Some((job, went)) = next {
                        runs += 1;
                        flow.unsaved_runs += 1;
                        match went {
                            Ok(went) => self.ended_job(group, flow, &mut lanes, &job, went, until),
                            Err(failure) => broken = Some(Broken::Failed(failure)),
                        }
                        next = running.next().now_or_never().flatten();
                    }
                }
                (reader, read) = async { match &mut reading { Some(reading) => reading.await, None => std::future::pending().await } } => {
                    reading = None;
                    flow.places.retain(|id| reader.has(id));
                    flow.reader = Some(reader);
                    match read.and_then(|read| self.understand(group, flow, &mut lanes, read)) {
                        Ok(is_more) => is_asked |= is_more,
                        Err(failure) => broken = Some(Broken::Failed(failure)),
                    }
                }
                _ = self.wake().woken(group.leader()), if until == Until::Stopped => is_asked = true,
            }
        }
        match broken {
            Some(Broken::Failed(failure)) => Err(failure),
            Some(Broken::Lost) => {
                *held = None;
                Ok(runs)
            }
            None => Ok(runs),
        }
    }

    /// Holds the note of a group, or goes on holding it. Whether that is so.
    async fn hold(&self, group: &Group, note: &Note<'_>, flow: &mut Option<Flow>) -> Result<bool, Failure> {
        let (now_ms, lease_ms) = (self.runtime().now_ms(), self.group_lease_ms(group));
        if flow.as_ref().is_some_and(|flow| flow.held_until_ms - lease_ms / 2 > now_ms) {
            return Ok(true);
        }
        let until_ms = now_ms.saturating_add(lease_ms);
        let Some(item) = note.hold(self.token(), until_ms).await? else { return Ok(false) };
        let flow = flow.get_or_insert_with(|| Flow {
            reader: Some(Reader::default()),
            places: Places::of(&item, &self.names_of(group)),
            held_until_ms: until_ms,
            unsaved_runs: 0,
            unsaved_records: 0,
            saved: Instant::now(),
        });
        flow.held_until_ms = until_ms;
        Ok(true)
    }

    /// Stores how far the stream was run. False if another process holds the note by now.
    async fn save(
        &self,
        group: &Group,
        note: &Note<'_>,
        flow: &mut Flow,
        releases: bool,
    ) -> Result<bool, Failure> {
        (flow.unsaved_runs, flow.unsaved_records, flow.saved) = (0, 0, Instant::now());
        let until_ms = (!releases).then_some(flow.held_until_ms);
        note.keep(self.token(), until_ms, flow.places.says(&self.names_of(group))).await
    }

    /// Reads on, or asks for the shards if it is time. The future gives the reader back.
    fn read<'a>(&'a self, group: &'a Group, mut reader: Reader, places: &Places, now_ms: i64) -> Reading<'a> {
        let backend = self.runtime().backend();
        if reader.is_stale(now_ms) {
            return Box::pin(async move {
                let listed = reader.list(backend, &group.table, now_ms).await;
                (reader, listed.map(|()| None))
            });
        }
        let open = reader.open(places);
        Box::pin(async move {
            let read = reader.read(backend, open).await;
            (reader, read.map(Some))
        })
    }

    /// Adds the runs that records start. Whether there may be others.
    fn understand(
        &self,
        group: &Group,
        flow: &mut Flow,
        lanes: &mut [Lanes],
        read: Option<Vec<Batch>>,
    ) -> Result<bool, Failure> {
        let Some(batches) = read else { return Ok(true) };
        let is_more = !batches.is_empty();
        for Batch { shard, records, is_last } in batches {
            flow.unsaved_records += records.len();
            for record in records {
                self.understand_record(group, flow, lanes, &shard, record)?;
            }
            if is_last {
                flow.places.end(&shard);
            }
        }
        Ok(is_more)
    }

    fn understand_record(
        &self,
        group: &Group,
        flow: &mut Flow,
        lanes: &mut [Lanes],
        shard: &str,
        record: Record,
    ) -> Result<(), Failure> {
        let Some(at) = record.dynamodb.as_ref().and_then(|each| each.sequence_number.clone()) else {
            return Ok(());
        };
        let mut started = Vec::new();
        let happened = Happened::of(record).map(Arc::new);
        if let Some(happened) = &happened {
            for (place, worker) in group.workers.iter().enumerate() {
                if self.runtime().is_started_by(*worker, happened.change, &happened.image)?
                    && !flow.places.has_run(self.name_of(*worker), shard, &at)
                {
                    started.push((place, *worker, Arc::clone(happened)));
                }
            }
        }
        let mark = flow.places.begin(shard, at, started.len());
        for (place, worker, happened) in started {
            let share = self.runtime().share_of(worker, &happened.image).into();
            lanes[place].push(Job { worker, happened, mark: mark.clone(), share, attempt: 1 });
        }
        Ok(())
    }

    fn ended_job(
        &self,
        group: &Group,
        flow: &mut Flow,
        lanes: &mut [Lanes],
        job: &Job,
        went: Went,
        until: Until,
    ) {
        if went == Went::Done {
            flow.places.done(&job.mark);
        }
        let pause_ms = if until == Until::Idle { 0 } else { 100_i64 << job.attempt.min(6) };
        let again_ms = self.runtime().now_ms().saturating_add(pause_ms);
        if let Some(place) = group.workers.iter().position(|worker| *worker == job.worker) {
            lanes[place].over(job, went, again_ms);
        }
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
        let written = letters::write(self.runtime(), job.worker, &run, &failure.message, image).await;
        (job, written.map(|()| Went::Done))
    }

    fn lanes_of(&self, worker: WorkerId) -> Lanes {
        let declared = &self.runtime().program().workers[worker];
        Lanes::new(declared.concurrency, declared.per.map(|(_, most)| most))
    }

    fn note_of(&self, group: &Group) -> Result<Note<'_>, Failure> {
        let notes = self.runtime().notes_of_table(group.leader(), "stream").ok_or_else(|| {
            let why = "the table has no key of text, in which the position in its stream could be remembered";
            Failure::new(FailureKind::Internal, why)
        })?;
        Ok(notes.note(""))
    }

    /// The note is held for the longest lease of the workers that share it.
    fn group_lease_ms(&self, group: &Group) -> i64 {
        group.workers.iter().map(|worker| self.lease_ms(*worker)).max().unwrap_or_default()
    }

    fn names_of(&self, group: &Group) -> Vec<&str> {
        group.workers.iter().map(|worker| self.name_of(*worker)).collect()
    }
}

impl Flow {
    /// The note is an item of the table, so storing it is a change as well: if every change led to it, there would be no end.
    fn wants_saving(&self, is_done: bool) -> bool {
        (self.unsaved_runs > 0 && (is_done || self.saved.elapsed() >= SAVE))
            || self.unsaved_records >= MAX_UNSAVED
    }
}
