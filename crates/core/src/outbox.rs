//! The asks of a task to its host, and the answers.
//!
//! Execution is written as async functions, and the compiler makes the state machine. The only thing they can wait for in a
//! task is an [`Asked`], which belongs to the task's outbox. Expressions are evaluated without waiting; where one needs a key
//! or a hash that is not at hand, the outbox remembers the need, and the task runs again from the start with everything it
//! was answered before.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use sortkey_api::{ApiError, Backend, ErrorKind, Pending, Request, Response};

use crate::Ids;
use crate::ask::{Ask, AskId, Told};

/// The asks of one task.
pub(crate) struct Outbox {
    /// The randomness of the task alone, so that it can run again from the start.
    pub(crate) ids: Ids,
    /// Whether the host repeats requests itself where that may help.
    pub(crate) repeats: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// How many asks the present run has made.
    asked: u32,
    /// Asks that were made since they were taken.
    asks: Vec<(AskId, Ask)>,
    /// Answers that nobody has looked at yet.
    answers: Vec<(AskId, Told)>,
    /// Whom to wake for an answer.
    wakers: Vec<(AskId, Waker)>,
    /// The needs of expressions, with their answers.
    known: Vec<(Ask, Told)>,
    /// The need of an expression that has no answer yet.
    need: Option<Ask>,
}

impl Outbox {
    pub(crate) fn new(ids: Ids, repeats: bool) -> Outbox {
        Outbox { ids, repeats, state: Mutex::default() }
    }

    /// Asks the host, and waits.
    pub(crate) fn ask(&self, ask: Ask) -> Asked<'_> {
        let mut state = self.lock();
        let id = AskId(state.asked);
        state.asked += 1;
        state.asks.push((id, ask));
        Asked { outbox: self, id }
    }

    /// Asks the host to send a request.
    pub(crate) async fn exchange(&self, request: Request) -> Result<Response, ApiError> {
        match self.ask(Ask::Send(request)).await {
            Told::Response(response) => response,
            // Sent again, it would be answered so again.
            _ => Err(ApiError::new(
                ErrorKind::ValidationException,
                "a request was asked for, and something else answered",
            )),
        }
    }

    /// The answer to a need; none if the host must be asked first, and the run begins again.
    pub(crate) fn known(&self, ask: Ask) -> Option<Told> {
        let mut state = self.lock();
        let found = state.known.iter().find(|(known, _)| known.is_same_need(&ask));
        let found = found.map(|(_, told)| told.clone());
        if found.is_none() && state.need.is_none() {
            state.need = Some(ask);
        }
        found
    }

    /// The asks since they were last taken.
    pub(crate) fn take_asks(&self) -> Vec<(AskId, Ask)> {
        std::mem::take(&mut self.lock().asks)
    }

    /// How many asks the present run has made.
    pub(crate) fn asked(&self) -> u32 {
        self.lock().asked
    }

    /// Takes the need of an expression.
    pub(crate) fn take_need(&self) -> Option<Ask> {
        self.lock().need.take()
    }

    /// Keeps the answer to a need.
    pub(crate) fn learn(&self, ask: Ask, told: Told) {
        self.lock().known.push((ask, told));
    }

    /// Puts an answer where its [`Asked`] finds it.
    pub(crate) fn deliver(&self, id: AskId, told: Told) {
        let waker = {
            let mut state = self.lock();
            state.answers.push((id, told));
            let at = state.wakers.iter().position(|(each, _)| *each == id);
            at.map(|at| state.wakers.swap_remove(at).1)
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Forgets the present run, but nothing that was answered to a need.
    pub(crate) fn begin_again(&self) {
        self.ids.rewind();
        let mut state = self.lock();
        let known = std::mem::take(&mut state.known);
        *state = State { known, ..State::default() };
    }

    /// A panic elsewhere cannot leave the lists half-changed.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// For code that takes any backend.
impl Backend for Outbox {
    fn send(&self, request: Request) -> Pending<'_, Response> {
        Box::pin(self.exchange(request))
    }

    fn repeats(&self) -> bool {
        self.repeats
    }
}

/// An answer that is being waited for.
pub(crate) struct Asked<'a> {
    outbox: &'a Outbox,
    id: AskId,
}

impl Future for Asked<'_> {
    type Output = Told;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Told> {
        let mut state = self.outbox.lock();
        if let Some(at) = state.answers.iter().position(|(id, _)| *id == self.id) {
            return Poll::Ready(state.answers.swap_remove(at).1);
        }
        match state.wakers.iter_mut().find(|(id, _)| *id == self.id) {
            Some((_, waker)) => waker.clone_from(context.waker()),
            None => state.wakers.push((self.id, context.waker().clone())),
        }
        Poll::Pending
    }
}
