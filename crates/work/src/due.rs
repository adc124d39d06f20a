//! What is due: found by its pattern, shared out fairly, claimed, run.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use futures_util::future::{BoxFuture, Either, select};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use sortkey_core::{Claim, Due, DuePage, Failure, FailureKind, Ran};
use sortkey_design::program::WorkerId;
use sortkey_value::Item;

use crate::letters;
use crate::status::Counts;
use crate::work::Work;

/// How many due items are known at most before they are run. Items of a share whose runs are all taken wait here, so that
/// those behind them are found.
const MAX_WAITING: usize = 20_000;

/// How long a look at what is due is good for while items wait.
const LOOK_MS: i64 = 20;

/// How long an item is left alone that could not be claimed: each attempt costs a write.
const REFUSED_MS: i64 = 5_000;

/// The longest pause after a failed run.
const MAX_BACKOFF_MS: i64 = 300_000;

/// After so many failures in a row, the items of a share wait behind one probe.
const FAILURES_IN_A_ROW: u32 = 5;

/// Items that wait for a run, by the value that shares the worker's runs.
#[derive(Default)]
struct Waiting {
    shares: BTreeMap<String, VecDeque<Due>>,
    /// The share that was served last, so that all have their turn.
    last: String,
    /// Keys that wait or run.
    known: HashSet<Item>,
    running: HashMap<String, u64>,
    failures: HashMap<String, u32>,
    /// Keys that could not be claimed, and until when nobody tries: another process has them, or they were put aside.
    refused: HashMap<Item, i64>,
    count: usize,
}

impl Waiting {
    fn add(&mut self, due: Due, now_ms: i64) {
        if self.refused.get(&due.key).is_some_and(|until_ms| *until_ms > now_ms) {
            return;
        }
        if self.known.insert(due.key.clone()) {
            self.count += 1;
            self.shares.entry(due.share.clone()).or_default().push_back(due);
        }
    }

    /// The next item whose share has a run left, taking turns.
    fn next(&mut self, most_per_share: u64) -> Option<Due> {
        let has_room = |share: &String| {
            let failing = self.failures.get(share).is_some_and(|count| *count >= FAILURES_IN_A_ROW);
            let most = if failing { 1 } else { most_per_share };
            self.running.get(share).copied().unwrap_or(0) < most
        };
        let after = self
            .shares
            .range::<str, _>((std::ops::Bound::Excluded(self.last.as_str()), std::ops::Bound::Unbounded));
        let all = after.map(|(share, _)| share).chain(self.shares.keys());
        let share = all.into_iter().find(|share| has_room(share))?.clone();
        let queue = self.shares.get_mut(&share)?;
        let due = queue.pop_front();
        if queue.is_empty() {
            self.shares.remove(&share);
        }
        self.count -= usize::from(due.is_some());
        *self.running.entry(share.clone()).or_default() += 1;
        self.last = share;
        due
    }

    /// Leaves an item alone for a while that could not be claimed.
    fn refuse(&mut self, due: &Due, now_ms: i64) {
        if self.refused.len() >= MAX_WAITING {
            self.refused.retain(|_, until_ms| *until_ms > now_ms);
        }
        self.refused.insert(due.key.clone(), now_ms + REFUSED_MS);
    }

    fn over(&mut self, due: &Due, failed: bool) {
        self.known.remove(&due.key);
        if let Some(running) = self.running.get_mut(&due.share) {
            *running -= 1;
            if *running == 0 {
                self.running.remove(&due.share);
            }
        }
        match failed {
            true => *self.failures.entry(due.share.clone()).or_default() += 1,
            false => drop(self.failures.remove(&due.share)),
        }
    }
}

impl Work {
    /// Runs everything that is due, one after another. How many runs that took.
    pub(crate) async fn all_due(&self, worker: WorkerId) -> Result<u64, Failure> {
        let mut runs = 0;
        let mut cursor: Option<String> = None;
        loop {
            let page = self.runtime().due(worker, cursor.as_deref()).await?;
            for due in &page.items {
                let (ran, _) = self.one(worker, due).await?;
                runs += u64::from(ran);
            }
            match page.cursor {
                Some(next) => cursor = Some(next),
                None => return Ok(runs),
            }
        }
    }

    /// Claims and runs what is due until the workers are told to stop.
    pub(crate) async fn keep_claiming(&self, worker: WorkerId) {
        let declared = &self.runtime().program().workers[worker];
        let most = usize::try_from(declared.concurrency).unwrap_or(usize::MAX);
        let most_per_share = declared.per.map_or(declared.concurrency, |(_, most)| most);
        let mut waiting = Waiting::default();
        let mut running = FuturesUnordered::new();
        let mut looking: Option<BoxFuture<'_, Result<DuePage, Failure>>> = Some(self.look(worker, None));
        let mut again = false;
        let mut looked_ms = self.runtime().now_ms();
        loop {
            let stopped = self.wake().is_stopped();
            while !stopped
                && running.len() < most
                && let Some(due) = waiting.next(most_per_share)
            {
                running.push(async move {
                    let outcome = self.one(worker, &due).await;
                    (due, outcome)
                });
            }
            if stopped && running.is_empty() {
                return;
            }
            let now_ms = self.runtime().now_ms();
            // Every write wakes: while there is enough to do, looking again can wait a moment.
            let is_time = waiting.count == 0 || now_ms - looked_ms >= LOOK_MS;
            if looking.is_none() && again && !stopped && waiting.count < MAX_WAITING && is_time {
                looking = Some(self.look(worker, None));
                looked_ms = now_ms;
                again = false;
            }
            let ended = async {
                match running.is_empty() {
                    true => std::future::pending().await,
                    false => running.next().await,
                }
            };
            let found = async {
                match &mut looking {
                    Some(looking) => looking.await,
                    None => std::future::pending().await,
                }
            };
            let woken = self.wake().woken(worker);
            let next = select(Box::pin(ended), select(Box::pin(found), Box::pin(woken))).await;
            match next {
                Either::Left((Some((due, outcome)), _)) => {
                    let failed = !matches!(outcome, Ok((_, true)));
                    waiting.over(&due, failed);
                    if matches!(outcome, Ok((false, _))) {
                        waiting.refuse(&due, now_ms);
                    }
                    if let Err(failure) = outcome {
                        self.report(worker, "claim", &failure);
                    }
                    // The item may be due again, and there is room for others.
                    again |= waiting.count < most;
                }
                Either::Left((None, _)) => {}
                Either::Right((Either::Left((found, _)), _)) => {
                    looking = None;
                    match found {
                        Ok(page) => {
                            page.items.into_iter().for_each(|due| waiting.add(due, now_ms));
                            if let Some(cursor) = page.cursor.filter(|_| waiting.count < MAX_WAITING) {
                                looking = Some(self.look(worker, Some(cursor)));
                            }
                        }
                        Err(failure) => self.stumble(worker, "due", &failure).await,
                    }
                }
                Either::Right((Either::Right(_), _)) => again = true,
            }
        }
    }

    fn look(&self, worker: WorkerId, cursor: Option<String>) -> BoxFuture<'_, Result<DuePage, Failure>> {
        Box::pin(async move { self.runtime().due(worker, cursor.as_deref()).await })
    }

    /// Claims an item and runs it. Whether it was run, and whether that went well.
    async fn one(&self, worker: WorkerId, due: &Due) -> Result<(bool, bool), Failure> {
        let Some(claim) = self.runtime().claim(worker, &due.key).await? else { return Ok((false, true)) };
        let counts = self.counts(worker);
        // The same for every attempt at what is due at this time.
        let run = format!(
            "{}-{:016x}-{}",
            self.runtime().program().workers[worker].name,
            digest(due),
            due.since_ms
        );
        Counts::add(&counts.running);
        let ran = self.runtime().run_due(worker, &claim, &run).await;
        Counts::take(&counts.running);
        let failure = match ran {
            Ok(Ran::Done | Ran::Handled(_)) => {
                Counts::add(&counts.done);
                return Ok((true, true));
            }
            Ok(Ran::Unchanged) => Failure::new(
                FailureKind::Internal,
                "the run left its item as it was, so that it would be due again at once",
            ),
            Err(failure) => failure,
        };
        self.failed(worker, due, &claim, &run, &failure).await?;
        Ok((true, false))
    }

    /// A failed run is tried again later, or put aside after the last attempt.
    async fn failed(
        &self,
        worker: WorkerId,
        due: &Due,
        claim: &Claim,
        run: &str,
        failure: &Failure,
    ) -> Result<(), Failure> {
        let counts = self.counts(worker);
        self.report(worker, run, failure);
        if claim.tries >= self.runtime().program().workers[worker].attempts {
            if self.runtime().bury(claim, &failure.message).await? {
                Counts::add(&counts.dead);
                letters::write(self.runtime(), worker, run, &failure.message, &due.key).await?;
            }
            return Ok(());
        }
        Counts::add(&counts.failed);
        let doubled = 1_000_i64.saturating_mul(1 << claim.tries.min(20));
        let retry_at = self.runtime().now_ms().saturating_add(doubled.min(MAX_BACKOFF_MS));
        self.runtime().give_back(claim, Some(retry_at)).await?;
        Ok(())
    }
}

/// A short name of a key: FNV-1a.
fn digest(due: &Due) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    due.key
        .as_bytes()
        .iter()
        .fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
