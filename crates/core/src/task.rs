//! A call as a state machine: requests go out, answers come in.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::ask::{Ask, AskId, Told};
use crate::evaluate::Scope;
use crate::outbox::Outbox;
use crate::prepared::{Lasting, Shared};
use crate::session::Session;
use crate::{Answer, Arguments, Call, Caller, Consumed, Core, Failure, Ids, Reply, Runtime, Shown, Turn};

/// The result of a call, and its consumption.
pub type Finished = (Result<Answer, Failure>, Consumed);

type Run = Pin<Box<dyn Future<Output = Finished> + Send>>;

/// The ids of needs begin here, so that asks have the same ids in every run.
const NEEDS: u32 = 1 << 31;

/// A call under way. It does nothing by itself: [`step`](Task::step) runs it until it waits, [`take_asks`](Task::take_asks)
/// returns its requests to the host, and [`answer`](Task::answer) passes the answers. Dropping it cancels the call;
/// requests that it has sent are not undone.
pub struct Task {
    shared: Arc<Lasting<Shared>>,
    now_ms: i64,
    start: Start,
    outbox: Arc<Outbox>,
    run: Option<Run>,
    /// The answers that each step began with, so that a run can be repeated.
    log: Vec<Vec<(AskId, Told)>>,
    /// Answers for the next step.
    inbox: Vec<(AskId, Told)>,
    /// Asks for the host.
    asks: Vec<(AskId, Ask)>,
    /// How many asks the host has been given.
    given: u32,
    /// The need that must be answered before the next run.
    need: Option<(AskId, Ask)>,
    needs: u32,
}

/// The state of a task.
pub enum Step {
    /// The call is over.
    Ready(Finished),
    /// Answers are awaited.
    Waiting,
}

/// The work of a task.
#[derive(Clone)]
pub(crate) enum Start {
    /// A call.
    Call {
        name: String,
        caller: Option<Caller>,
        arguments: Arguments,
        cursor: Option<String>,
        limit: Option<u32>,
        version: Option<i64>,
    },
    /// A turn of a worker.
    Turn { worker: String, turn: Turn },
}

impl Task {
    pub(crate) fn new(
        shared: &Arc<Lasting<Shared>>,
        call: Call<'_>,
        now_ms: i64,
        repeats: bool,
        ids: Ids,
    ) -> Task {
        let start = Start::Call {
            name: call.name.to_owned(),
            caller: call.caller.cloned(),
            arguments: call.arguments,
            cursor: call.cursor.map(str::to_owned),
            limit: call.limit,
            version: call.version,
        };
        Task::of(shared, start, now_ms, repeats, ids)
    }

    pub(crate) fn of(
        shared: &Arc<Lasting<Shared>>,
        start: Start,
        now_ms: i64,
        repeats: bool,
        ids: Ids,
    ) -> Task {
        Task {
            outbox: Arc::new(Outbox::new(ids, repeats)),
            shared: Arc::clone(shared),
            now_ms,
            start,
            run: None,
            log: Vec::new(),
            inbox: Vec::new(),
            asks: Vec::new(),
            given: 0,
            need: None,
            needs: 0,
        }
    }

    /// Runs the call until it is over or waits for answers.
    pub fn step(&mut self) -> Step {
        if self.need.is_some() {
            return Step::Waiting;
        }
        self.log.push(std::mem::take(&mut self.inbox));
        let polled = match &mut self.run {
            Some(run) => self.log.last().and_then(|batch| poll(run, &self.outbox, batch)),
            // A first run, or one more with everything that was answered so far.
            None => {
                self.outbox.begin_again();
                let (shared, outbox) = (Arc::clone(&self.shared), Arc::clone(&self.outbox));
                let mut run = self.start.clone().run(shared, outbox, self.now_ms);
                let polled = self.log.iter().find_map(|batch| poll(&mut run, &self.outbox, batch));
                self.run = Some(run);
                polled
            }
        };
        if let Some(ask) = self.outbox.take_need() {
            // The run went on without the needed value, but none of its requests has left the task yet.
            self.run = None;
            let id = AskId(NEEDS + self.needs);
            self.needs += 1;
            self.asks.push((id, ask.clone()));
            self.need = Some((id, ask));
            return Step::Waiting;
        }
        let given = self.given;
        self.asks.extend(self.outbox.take_asks().into_iter().filter(|(id, _)| id.0 >= given));
        self.given = self.outbox.asked();
        match polled {
            Some(finished) => Step::Ready(finished),
            None => Step::Waiting,
        }
    }

    /// The asks of the call since they were last taken.
    pub fn take_asks(&mut self) -> Vec<(AskId, Ask)> {
        std::mem::take(&mut self.asks)
    }

    /// Brings an answer; the next step looks at it.
    pub fn answer(&mut self, id: AskId, told: Told) {
        match self.need.take() {
            Some((need, ask)) if need == id => self.outbox.learn(ask, told),
            other => {
                self.need = other;
                self.inbox.push((id, told));
            }
        }
    }
}

/// Polls a run that has been given some answers.
fn poll(run: &mut Run, outbox: &Outbox, batch: &[(AskId, Told)]) -> Option<Finished> {
    for (id, told) in batch {
        outbox.deliver(*id, told.clone());
    }
    match run.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(finished) => Some(finished),
        Poll::Pending => None,
    }
}

impl Start {
    fn run(self, shared: Arc<Lasting<Shared>>, outbox: Arc<Outbox>, now_ms: i64) -> Run {
        match self {
            Start::Call { name, caller, arguments, cursor, limit, version } => Box::pin(async move {
                let shared: &Shared = &shared;
                let session = Session::asking(shared, &outbox);
                let scope = Scope::asking(shared, &outbox, now_ms);
                let call = Call {
                    name: &name,
                    caller: caller.as_ref(),
                    arguments,
                    cursor: cursor.as_deref(),
                    limit,
                    version,
                };
                let reply = shared.run(&session, scope, call).await;
                let answer = reply.and_then(Reply::look).map(Shown::into_answer);
                (answer, session.consumed())
            }),
            Start::Turn { worker, turn } => Box::pin(async move {
                let runtime = Runtime::asking(Core { shared }, Arc::clone(&outbox), now_ms);
                let came = match runtime.worker_named(&worker) {
                    Ok(worker) => runtime.turn(worker, turn).await,
                    Err(failure) => Err(failure),
                };
                let requests = u64::from(outbox.asked());
                (came.map(Answer::Value), Consumed { requests, ..Consumed::default() })
            }),
        }
    }
}
