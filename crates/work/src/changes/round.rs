//! One round of following a stream: from taking the note until everything is done, or until the workers stop.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use sortkey_api::shapes::stream::Record;
use sortkey_core::{Failure, FailureKind, Note};

use super::happened::Happened;
use super::lanes::{Job, Lanes, Went};
use super::places::Places;
use super::reader::{Batch, Reader};
use super::{Flow, Group};
use crate::work::Work;

/// How many records are read ahead of the first that is not done.
const MAX_OPEN: usize = 10_000;

/// How often places are stored while there are runs.
const SAVE: Duration = Duration::from_secs(1);

/// After so many records without a run, places are stored.
const MAX_UNSAVED: usize = 10_000;

/// A read is followed by a pause of so many times its length, within bounds: under load, one read finds the records of
/// many commits, and reading takes a fifth of a core at most. The first read after a while does not wait.
const PAUSE_FACTOR: u32 = 4;
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// When a round ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// When every record is done.
    Idle,
    /// When the workers are stopped.
    Stopped,
}

/// A run that is over, and its outcome; a failure if not even that could be stored.
pub(super) type Ended = (Job, Result<Went, Failure>);

/// Starts a run.
pub(super) type Start<'a> = dyn Fn(Job) -> BoxFuture<'a, Ended> + Send + Sync + 'a;

/// A read that gives its reader back, with the records; none if it asked for the shards.
type Reading<'a> = BoxFuture<'a, (Reader, Result<Option<Vec<Batch>>, Failure>)>;

/// Why a round ends before its time.
enum Broken {
    /// Another process holds the note by now. It repeats the runs of this process, with the same ids.
    Lost,
    Failed(Failure),
}

/// The state of a round.
pub(super) struct Round<'a> {
    work: &'a Work,
    group: &'a Group,
    note: Note<'a>,
    until: Until,
    /// The waiting runs, by worker.
    lanes: Vec<Lanes>,
    reading: Option<Reading<'a>>,
    reading_since: Instant,
    /// The time before which nothing is read.
    next_read: Instant,
    broken: Option<Broken>,
    /// Whether there may be records that were not read.
    is_asked: bool,
    runs: u64,
}

impl<'a> Round<'a> {
    pub(super) fn new(work: &'a Work, group: &'a Group, until: Until) -> Result<Round<'a>, Failure> {
        let notes = work.runtime().notes_of_table(group.leader(), "stream").ok_or_else(|| {
            let why = "the table has no key of text, in which the position in its stream could be remembered";
            Failure::new(FailureKind::Internal, why)
        })?;
        let lanes = group.workers.iter().map(|worker| {
            let declared = &work.runtime().program().workers[*worker];
            Lanes::new(declared.concurrency, declared.per.map(|(_, most)| most))
        });
        Ok(Round {
            work,
            group,
            note: notes.note(""),
            until,
            lanes: lanes.collect(),
            reading: None,
            reading_since: Instant::now(),
            next_read: Instant::now(),
            broken: None,
            is_asked: true,
            runs: 0,
        })
    }

    /// Follows the stream. When it returns, even with a failure, the runs that were started have ended.
    pub(super) async fn run(mut self, held: &mut Option<Flow>, start: &Start<'_>) -> Result<u64, Failure> {
        let (work, leader) = (self.work, self.group.leader());
        let mut running = FuturesUnordered::new();
        loop {
            if !self.is_over() {
                self.hold(held).await;
            }
            let Some(flow) = held.as_mut() else { break };
            let rest = self.rest();
            if !self.is_over() {
                self.begin(flow, rest.is_none(), |job| running.push(start(job)));
            }
            let is_done = self.is_done(running.is_empty());
            self.save(flow, is_done).await;
            if is_done {
                break;
            }
            let rest = rest.filter(|_| self.is_asked);
            tokio::select! {
                Some(ended) = running.next(), if !running.is_empty() => {
                    let mut next = Some(ended);
                    // Handle all other runs that have ended by now in the same round.
                    while let Some((job, went)) = next {
                        self.ended(flow, &job, went);
                        next = running.next().now_or_never().flatten();
                    }
                }
                (reader, read) = async { match &mut self.reading { Some(reading) => reading.await, None => std::future::pending().await } } => {
                    self.reading = None;
                    let length = self.reading_since.elapsed() * PAUSE_FACTOR;
                    self.next_read = Instant::now() + length.clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
                    self.read(flow, reader, read);
                }
                () = pause(rest) => {}
                _ = work.wake().woken(leader), if self.until == Until::Stopped => self.is_asked = true,
            }
        }
        match self.broken {
            Some(Broken::Failed(failure)) => Err(failure),
            Some(Broken::Lost) => {
                *held = None;
                Ok(self.runs)
            }
            None => Ok(self.runs),
        }
    }

    /// How long nothing is read yet; none if that time is over, or if there is no time to wait for.
    fn rest(&self) -> Option<Duration> {
        let rest = self.next_read.saturating_duration_since(Instant::now());
        (self.until == Until::Stopped && self.reading.is_none() && !rest.is_zero()).then_some(rest)
    }

    /// Whether nothing is begun any more.
    fn is_over(&self) -> bool {
        self.broken.is_some() || (self.until == Until::Stopped && self.work.wake().is_stopped())
    }

    fn is_done(&self, nothing_runs: bool) -> bool {
        let is_idle = nothing_runs && self.reading.is_none();
        let rests = !self.is_asked && self.lanes.iter().all(|lanes| lanes.len() == 0);
        is_idle && (self.is_over() || (self.until == Until::Idle && rests))
    }

    /// Holds the note, or goes on holding it.
    async fn hold(&mut self, held: &mut Option<Flow>) {
        let (now_ms, lease_ms) = (self.work.runtime().now_ms(), self.work.group_lease_ms(self.group));
        if held.as_ref().is_some_and(|flow| flow.held_until_ms - lease_ms / 2 > now_ms) {
            return;
        }
        let until_ms = now_ms.saturating_add(lease_ms);
        let item = match self.note.hold(self.work.token(), until_ms).await {
            Ok(Some(item)) => item,
            Ok(None) => {
                self.broken = Some(Broken::Lost);
                return;
            }
            Err(failure) => {
                self.broken = Some(Broken::Failed(failure));
                return;
            }
        };
        let flow = held.get_or_insert_with(|| Flow {
            reader: Some(Reader::default()),
            places: Places::of(&item, &self.work.names_of(self.group)),
            held_until_ms: until_ms,
            unsaved_runs: 0,
            unsaved_records: 0,
            saved: Instant::now(),
        });
        flow.held_until_ms = until_ms;
    }

    /// Begins the runs and the read that there is room for.
    fn begin(&mut self, flow: &mut Flow, may_read: bool, mut start: impl FnMut(Job)) {
        let now_ms = self.work.runtime().now_ms();
        for (worker, lanes) in self.group.workers.iter().zip(&mut self.lanes) {
            while let Some(job) = lanes.next(now_ms) {
                start(job);
            }
            self.work.counts(*worker).set_waiting(lanes.waiting());
        }
        if !self.is_asked || flow.places.open() >= MAX_OPEN || !may_read {
            return;
        }
        let Some(mut reader) = flow.reader.take() else { return };
        self.is_asked = false;
        self.reading_since = Instant::now();
        let (backend, table) = (self.work.runtime().backend(), &self.group.table);
        self.reading = Some(if reader.is_stale(now_ms) {
            Box::pin(async move {
                let listed = reader.list(backend, table, now_ms).await;
                (reader, listed.map(|()| None))
            })
        } else {
            let open = reader.open(&flow.places);
            Box::pin(async move {
                let read = reader.read(backend, open).await;
                (reader, read.map(Some))
            })
        });
    }

    /// Stores the progress in the stream, if it is time. The note is an item of the table, so storing it is a change as
    /// well: storing it for every change would never end.
    async fn save(&mut self, flow: &mut Flow, is_done: bool) {
        // Release the lease, so that the next process need not wait for it to expire.
        let releases = is_done && self.is_over();
        let is_time = is_done || flow.saved.elapsed() >= SAVE;
        let wants = releases || (flow.unsaved_runs > 0 && is_time) || flow.unsaved_records >= MAX_UNSAVED;
        if !wants || self.broken.is_some() {
            return;
        }
        (flow.unsaved_runs, flow.unsaved_records, flow.saved) = (0, 0, Instant::now());
        let until_ms = (!releases).then_some(flow.held_until_ms);
        let says = flow.places.says(&self.work.names_of(self.group));
        match self.note.keep(self.work.token(), until_ms, says).await {
            Ok(true) => {}
            Ok(false) => self.broken = Some(Broken::Lost),
            Err(failure) => self.broken = Some(Broken::Failed(failure)),
        }
    }

    /// Ends a run.
    fn ended(&mut self, flow: &mut Flow, job: &Job, went: Result<Went, Failure>) {
        self.runs += 1;
        flow.unsaved_runs += 1;
        let went = match went {
            Ok(went) => went,
            Err(failure) => {
                self.broken = Some(Broken::Failed(failure));
                return;
            }
        };
        if went == Went::Done {
            flow.places.done(&job.mark);
        }
        let pause_ms = if self.until == Until::Idle { 0 } else { 100_i64 << job.attempt.min(6) };
        let again_ms = self.work.runtime().now_ms().saturating_add(pause_ms);
        if let Some(place) = self.group.workers.iter().position(|worker| *worker == job.worker) {
            self.lanes[place].over(job, went, again_ms);
        }
    }

    /// Takes the result of a read; its records wait for runs.
    fn read(&mut self, flow: &mut Flow, reader: Reader, read: Result<Option<Vec<Batch>>, Failure>) {
        flow.places.retain(|id| reader.has(id));
        flow.reader = Some(reader);
        let understood = read.and_then(|batches| {
            // After the shards come their records.
            let Some(batches) = batches else { return Ok(true) };
            let is_more = !batches.is_empty();
            for Batch { shard, records, is_last } in batches {
                flow.unsaved_records += records.len();
                for record in records {
                    self.understand(flow, &shard, record)?;
                }
                if is_last {
                    flow.places.end(&shard);
                }
            }
            Ok(is_more)
        });
        match understood {
            Ok(is_more) => self.is_asked |= is_more,
            Err(failure) => self.broken = Some(Broken::Failed(failure)),
        }
    }

    /// Adds the runs that a record starts.
    fn understand(&mut self, flow: &mut Flow, shard: &str, record: Record) -> Result<(), Failure> {
        let number = record.dynamodb.as_ref().and_then(|each| each.sequence_number.clone());
        let Some(at) = number else { return Ok(()) };
        let (work, mut started) = (self.work, Vec::new());
        if let Some(happened) = Happened::of(record).map(Arc::new) {
            for (place, worker) in self.group.workers.iter().enumerate() {
                if work.runtime().is_started_by(*worker, happened.change, &happened.image)?
                    && !flow.places.has_run(work.name_of(*worker), shard, &at)
                {
                    started.push((place, *worker, Arc::clone(&happened)));
                }
            }
        }
        let mark = flow.places.begin(shard, at, started.len());
        for (place, worker, happened) in started {
            let share = work.runtime().share_of(worker, &happened.image).into();
            self.lanes[place].push(Job { worker, happened, mark: mark.clone(), share, attempt: 1 });
        }
        Ok(())
    }
}

/// Comes back after a while; never, if there is nothing to wait for.
async fn pause(rest: Option<Duration>) {
    match rest {
        Some(rest) => tokio::time::sleep(rest).await,
        None => std::future::pending().await,
    }
}
