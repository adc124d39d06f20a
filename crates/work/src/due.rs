//! Due items: found by their pattern or passed on by the process that wrote them, shared out fairly, claimed, run.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sortkey_core::{Claim, Due, DuePage, Failure, FailureKind, Ran, UNCHANGED, Which};
use sortkey_design::program::WorkerId;
use tokio::task::JoinSet;

use crate::looks::{Look, Looks, Page};
use crate::status::Counts;
use crate::waiting::{Added, Candidate};
use crate::work::Work;

/// The runs that are under way.
type Running = JoinSet<(Due, Result<Turn, Failure>)>;

/// The outcome for an item that was to be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// It was not claimed: another process has it, or it is not due any more.
    Refused,
    /// It was run successfully.
    Well,
    /// It was run, and the run or the other side of its effects failed.
    Badly,
}

impl Work {
    /// Runs all due items, one after another. Returns the number of runs.
    pub(crate) async fn all_due(&self, worker: WorkerId) -> Result<u64, Failure> {
        let mut runs = 0;
        let mut cursor: Option<String> = None;
        loop {
            let page = self.runtime().due(worker, Which::Oldest, cursor.as_deref()).await?;
            for due in &page.items {
                runs += u64::from(self.one(worker, due, None).await? != Turn::Refused);
            }
            match page.cursor {
                Some(next) => cursor = Some(next),
                None => return Ok(runs),
            }
        }
    }

    /// Claims and runs due items until the workers are stopped.
    pub(crate) async fn keep_claiming(self: Arc<Self>, worker: WorkerId) {
        let elapsed_ms = || self.wake().elapsed_ms();
        let mut looks = Looks::new(0);
        let mut running = Running::new();
        let mut looking: Option<BoxFuture<'_, (Look, Result<DuePage, Failure>)>> = None;
        loop {
            let stopped = self.wake().is_stopped();
            if stopped && running.is_empty() {
                return;
            }
            let now_ms = elapsed_ms();
            let wants = !stopped && self.begin_runs(worker, &mut running);
            if wants
                && looking.is_none()
                && let Some(look) = looks.begin(now_ms)
            {
                let work = Arc::clone(&self);
                looking = Some(async move { work.look(worker, look).await }.boxed());
            }
            let pause = looks.wait_ms(now_ms).filter(|_| wants && looking.is_none());
            tokio::select! {
                Some(ended) = running.join_next(), if !running.is_empty() => {
                    let mut next = Some(ended);
                    // Handle all other runs that have ended by now in the same round.
                    while let Some(ended) = next {
                        if self.ended(worker, ended, now_ms) {
                            looks.ask_for_pass();
                        }
                        next = running.try_join_next();
                    }
                }
                (look, found) = async { match &mut looking { Some(looking) => looking.await, None => std::future::pending().await } } => {
                    looking = None;
                    let now_ms = elapsed_ms();
                    match found {
                        Ok(page) => {
                            let found = self.add(worker, page.items, now_ms);
                            looks.end(&look, page.cursor, found, now_ms);
                        }
                        Err(failure) => {
                            looks.fail(now_ms);
                            self.report(worker, "due", &failure);
                        }
                    }
                }
                is_asked = self.wake().woken(worker) => {
                    if is_asked {
                        looks.ask();
                    }
                }
                () = tokio::time::sleep(Duration::from_millis(pause.unwrap_or(0))), if pause.is_some() => {}
            }
        }
    }

    /// Begins the runs that there is room for. Returns whether there is room for others.
    fn begin_runs(self: &Arc<Self>, worker: WorkerId, running: &mut Running) -> bool {
        let mut waiting = self.wake().waiting(worker);
        while let Some(Candidate { due, claim }) = waiting.next() {
            let work = Arc::clone(self);
            running.spawn(async move {
                let outcome = work.one(worker, &due, claim).await;
                (due, outcome)
            });
        }
        self.counts(worker).set_waiting(waiting.len());
        waiting.wants_more()
    }

    /// Adds items that a look has found.
    fn add(&self, worker: WorkerId, items: Vec<Due>, now_ms: i64) -> Page {
        let mut waiting = self.wake().waiting(worker);
        let mut found = Page::default();
        for due in items {
            let added = waiting.add(due, None, now_ms);
            found.begins |= added == Added::Begins;
            found.is_news |= added != Added::Known;
        }
        found
    }

    async fn look(&self, worker: WorkerId, look: Look) -> (Look, Result<DuePage, Failure>) {
        let (which, cursor) = match &look {
            Look::Pass(cursor) => (Which::Oldest, cursor),
            Look::Newest(cursor) => (Which::Newest, cursor),
        };
        let found = self.runtime().due(worker, which, cursor.as_deref()).await;
        (look, found)
    }

    /// Ends a run: its place is free, and its success or failure counts for its share. Returns whether the share has room
    /// for items that found none before.
    fn ended(
        &self,
        worker: WorkerId,
        ended: Result<(Due, Result<Turn, Failure>), tokio::task::JoinError>,
        now_ms: i64,
    ) -> bool {
        let mut waiting = self.wake().waiting(worker);
        let (due, outcome) = match ended {
            Ok(ended) => ended,
            Err(error) => {
                // A panic in a run. Its lease ends by itself, and its place in the share is lost until then.
                let failure = Failure::new(FailureKind::Internal, error.to_string());
                self.report(worker, "run", &failure);
                waiting.lost();
                return false;
            }
        };
        match outcome {
            Ok(Turn::Refused) => {
                waiting.refuse(&due, now_ms);
                waiting.over(&due, None)
            }
            Ok(turn) => waiting.over(&due, Some(turn == Turn::Well)),
            Err(failure) => {
                self.report(worker, "claim", &failure);
                waiting.over(&due, Some(false))
            }
        }
    }

    /// Claims an item and runs it. A lease with which it was written will do, unless it is almost over.
    async fn one(&self, worker: WorkerId, due: &Due, claim: Option<Claim>) -> Result<Turn, Failure> {
        let claim = match claim {
            Some(claim) if self.runtime().now_ms() < claim.until_ms() - self.lease_ms(worker) / 2 => {
                Some(claim)
            }
            held => self.runtime().claim(worker, &due.key, held.as_ref()).await?,
        };
        let Some(claim) = claim else { return Ok(Turn::Refused) };
        let counts = self.counts(worker);
        let run = self.runtime().run_of(worker, due);
        let began_ms = self.runtime().now_ms();
        counts.begin(began_ms.saturating_sub(due.since_ms));
        let ran = self.runtime().run_due(worker, &claim, &run).await;
        counts.end(self.runtime().now_ms().saturating_sub(began_ms));
        let failure = match ran {
            Ok(Ran::Done | Ran::Handled(_)) => {
                Counts::add(&counts.done);
                return Ok(Turn::Well);
            }
            Ok(Ran::Unanswered) => {
                Counts::add(&counts.done);
                return Ok(Turn::Badly);
            }
            Ok(Ran::Unchanged) => Failure::new(FailureKind::Internal, UNCHANGED),
            Err(failure) => failure,
        };
        self.failed(worker, due, &claim, &run, &failure).await?;
        Ok(Turn::Badly)
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
        let is_dead = self.runtime().fail(worker, &due.key, claim, run, failure).await?;
        Counts::add(if is_dead { &counts.dead } else { &counts.failed });
        Ok(())
    }
}
