//! Races: every request is a point where another branch may go first, and every order is tried.
//!
//! A race holds its branches' requests back and lets one through at a time. Each time, one of the waiting requests is
//! chosen; the choices of a run are its order. A test is run again for the next order until none is left. If there are too many,
//! each branch is held back once, at each of its requests, until the others are done: most broken promises need one bad
//! moment. A seed picks further orders. A run depends on nothing but its order, so the order that broke a promise shows it again.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use futures_util::future::BoxFuture;
use parking_lot::Mutex;

use sortkey_api::shapes::transaction::TransactWriteItem;
use sortkey_api::{Backend, Pending, Request, Response, TableName};
use sortkey_embedded::Embedded;

/// A backend whose requests wait for their turn while a race is on.
pub(super) struct Scheduled {
    pub(super) inner: Embedded,
    pub(super) scheduler: Arc<Scheduler>,
}

impl Backend for Scheduled {
    fn send(&self, request: Request) -> Pending<'_, Response> {
        if !self.scheduler.spend() {
            // The run is given up as soon as it waits for this.
            return Box::pin(std::future::pending());
        }
        match self.scheduler.request(&request) {
            None => self.inner.send(request),
            Some(turn) => Box::pin(async move {
                let turn = turn.await;
                let answer = self.inner.send(request).await;
                drop(turn);
                answer
            }),
        }
    }
}

/// A request in words: its operation and its tables.
fn described(request: &Request) -> String {
    let one = |table: &TableName| table.name().to_owned();
    let tables = match request {
        Request::GetItem(input) => one(&input.table_name),
        Request::PutItem(input) => one(&input.table_name),
        Request::UpdateItem(input) => one(&input.table_name),
        Request::DeleteItem(input) => one(&input.table_name),
        Request::Query(input) => one(&input.table_name),
        Request::Scan(input) => one(&input.table_name),
        Request::BatchGetItem(input) => all(input.request_items.iter().map(|(table, _)| table)),
        Request::BatchWriteItem(input) => all(input.request_items.iter().map(|(table, _)| table)),
        Request::TransactWriteItems(input) => {
            all(input.transact_items.iter().filter_map(written).map(TableName::name))
        }
        _ => String::new(),
    };
    format!("{} {tables}", request.operation().name())
}

/// The tables of a batch, each once.
fn all<'a>(tables: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = tables.collect();
    names.sort_unstable();
    names.dedup();
    names.join(", ")
}

/// The table of one item of a transaction.
fn written(item: &TransactWriteItem) -> Option<&TableName> {
    let put = item.put.as_ref().map(|each| &each.table_name);
    let update = item.update.as_ref().map(|each| &each.table_name);
    let delete = item.delete.as_ref().map(|each| &each.table_name);
    let check = item.condition_check.as_ref().map(|each| &each.table_name);
    put.or(update).or(delete).or(check)
}

/// Decides which request of a race is next.
#[derive(Default)]
pub(crate) struct Scheduler(Mutex<State>);

#[derive(Default)]
struct State {
    /// Whether a race is on.
    racing: bool,
    /// The branch that is being polled.
    branch: usize,
    /// Requests that are held back, in the order of their branches.
    waiting: Vec<Waiting>,
    /// The request that was let through and has not come back.
    let_through: Option<u64>,
    requests: u64,
    /// How many requests were sent, and how many may be.
    sent: u64,
    limit: Option<u64>,
    /// The choices to make, in turn; the first request where none is left.
    order: Vec<usize>,
    /// Makes the choices beyond `order`.
    rest: Rest,
    /// How many requests of each branch were let through.
    passed: Vec<usize>,
    /// The choices made, and of how many.
    chosen: Vec<(usize, usize)>,
    /// The requests that were let through, for messages.
    log: Vec<String>,
}

struct Waiting {
    id: u64,
    branch: usize,
    what: String,
    /// Workers run side by side in their branch, and only look again at what wakes them.
    waker: Option<Waker>,
}

/// The choices of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) choices: Vec<usize>,
    pub(super) rest: Rest,
}

/// Choices that are not listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Rest {
    /// The first request that waits.
    #[default]
    First,
    /// A branch begins, and is held back after some requests until nothing else waits.
    HeldBack { branch: usize, after: usize },
    /// As a seed picks them.
    Picked(u64),
}

/// The choices of a run, and its requests.
pub(super) struct Taken {
    /// Each choice, and of how many it was one.
    pub(super) chosen: Vec<(usize, usize)>,
    /// How many requests each branch sent.
    passed: Vec<usize>,
    /// The requests, in words.
    pub(super) log: Vec<String>,
}

/// A request that waits for its turn.
struct Held<'s> {
    scheduler: &'s Scheduler,
    id: u64,
    /// Whether its turn has come.
    is_over: bool,
}

impl<'s> Future for Held<'s> {
    type Output = Turn<'s>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Turn<'s>> {
        let mut state = self.scheduler.0.lock();
        if state.let_through == Some(self.id) {
            drop(state);
            self.is_over = true;
            return Poll::Ready(Turn { scheduler: self.scheduler, id: self.id });
        }
        if let Some(waiting) = state.waiting.iter_mut().find(|each| each.id == self.id) {
            waiting.waker = Some(context.waker().clone());
        }
        Poll::Pending
    }
}

/// A request that is given up does not hold back the others.
impl Drop for Held<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.scheduler.0.lock().give_up(self.id);
        }
    }
}

/// The turn of a request: it holds all others back until it is dropped, when the answer has arrived.
struct Turn<'s> {
    scheduler: &'s Scheduler,
    id: u64,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.scheduler.0.lock().give_up(self.id);
    }
}

impl Scheduler {
    /// A scheduler that follows an order and lets a limited number of requests through.
    pub(super) fn new(order: &Order, limit: Option<u64>) -> Scheduler {
        let rest = order.rest;
        Scheduler(Mutex::new(State { order: order.choices.clone(), rest, limit, ..State::default() }))
    }

    /// Whether one more request may be sent.
    fn spend(&self) -> bool {
        let mut state = self.0.lock();
        state.sent += 1;
        state.limit.is_none_or(|limit| state.sent <= limit)
    }

    /// The outcome of a run; none if it was given up because it sent more requests than it may.
    pub(super) async fn within<T>(&self, run: impl Future<Output = T>) -> Option<T> {
        let mut run = std::pin::pin!(run);
        poll_fn(|context| match run.as_mut().poll(context) {
            Poll::Pending if self.is_exhausted() => Poll::Ready(None),
            other => other.map(Some),
        })
        .await
    }

    fn is_exhausted(&self) -> bool {
        let state = self.0.lock();
        state.limit.is_some_and(|limit| state.sent > limit)
    }

    /// How many requests were sent.
    pub(super) fn sent(&self) -> u64 {
        self.0.lock().sent
    }

    /// The choices made so far, and the requests.
    pub(super) fn taken(&self) -> Taken {
        let state = self.0.lock();
        Taken { chosen: state.chosen.clone(), passed: state.passed.clone(), log: state.log.clone() }
    }

    /// Holds a request back until it is its turn; none if no race is on.
    fn request(&self, request: &Request) -> Option<Held<'_>> {
        let mut state = self.0.lock();
        if !state.racing {
            return None;
        }
        state.requests += 1;
        let (id, branch) = (state.requests, state.branch);
        let waiting = Waiting { id, branch, what: described(request), waker: None };
        // Within a branch the earlier request comes first.
        let at = state.waiting.partition_point(|each| each.branch <= branch);
        state.waiting.insert(at, waiting);
        Some(Held { scheduler: self, id, is_over: false })
    }

    /// Runs branches concurrently, one request at a time.
    pub(super) async fn race<T>(&self, mut branches: Vec<BoxFuture<'_, T>>) -> Vec<T> {
        self.0.lock().racing = true;
        let mut done: Vec<Option<T>> = branches.iter().map(|_| None).collect();
        let finished = poll_fn(|context| self.poll(&mut branches, &mut done, context));
        finished.await;
        self.0.lock().racing = false;
        done.into_iter().flatten().collect()
    }

    fn poll<T>(
        &self,
        branches: &mut [BoxFuture<'_, T>],
        done: &mut [Option<T>],
        context: &mut Context<'_>,
    ) -> Poll<()> {
        loop {
            for (at, branch) in
                branches.iter_mut().enumerate().filter(|(at, _)| done[*at].is_none()).collect::<Vec<_>>()
            {
                self.0.lock().branch = at;
                if let Poll::Ready(value) = branch.as_mut().poll(context) {
                    done[at] = Some(value);
                }
            }
            if done.iter().all(Option::is_some) {
                return Poll::Ready(());
            }
            // A request that is under way, or a branch that waits for something else, wakes us.
            if !self.0.lock().let_one_through() {
                return Poll::Pending;
            }
        }
    }
}

impl State {
    /// Forgets a request: it is over, or nobody waits for it any more.
    fn give_up(&mut self, id: u64) {
        self.waiting.retain(|each| each.id != id);
        if self.let_through == Some(id) {
            self.let_through = None;
        }
    }

    /// Lets the next request through; false if one is under way or none is held back.
    fn let_one_through(&mut self) -> bool {
        if self.let_through.is_some() || self.waiting.is_empty() {
            return false;
        }
        let width = self.waiting.len();
        let told = self.order.get(self.chosen.len()).copied();
        let choice = match (told, &mut self.rest) {
            (Some(choice), _) => choice.min(width - 1),
            (None, Rest::First) => 0,
            (None, Rest::HeldBack { branch, after }) => {
                let begins = self.passed.get(*branch).is_none_or(|passed| passed < after);
                let wanted = |each: &Waiting| (each.branch == *branch) == begins;
                self.waiting.iter().position(wanted).unwrap_or(0)
            }
            (None, Rest::Picked(seed)) => pick(seed, width),
        };
        let next = self.waiting.remove(choice);
        self.chosen.push((choice, width));
        if self.passed.len() <= next.branch {
            self.passed.resize(next.branch + 1, 0);
        }
        self.passed[next.branch] += 1;
        self.log.push(format!("{}: {}", next.branch + 1, next.what));
        self.let_through = Some(next.id);
        next.waker.into_iter().for_each(Waker::wake);
        true
    }
}

/// A number below another, from a seed that moves on (splitmix64).
fn pick(seed: &mut u64, below: usize) -> usize {
    *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut bits = *seed;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((bits ^ (bits >> 31)) % below.max(1) as u64) as usize
}

impl Order {
    /// The next order in which nothing but the last choice that has an alternative differs; none if all were tried.
    pub(super) fn after(taken: &Taken) -> Option<Order> {
        let at = taken.chosen.iter().rposition(|(choice, width)| choice + 1 < *width)?;
        let mut choices: Vec<usize> = taken.chosen[..at].iter().map(|(choice, _)| *choice).collect();
        choices.push(taken.chosen[at].0 + 1);
        Some(Order { choices, rest: Rest::First })
    }

    /// The orders in which one branch is held back once: before each of its requests but the first.
    pub(super) fn held_back(taken: &Taken) -> impl Iterator<Item = Order> + use<> {
        taken.passed.clone().into_iter().enumerate().flat_map(|(branch, requests)| {
            (1..requests)
                .map(move |after| Order { choices: Vec::new(), rest: Rest::HeldBack { branch, after } })
        })
    }

    /// The orders that some seeds pick.
    pub(super) fn picked(count: u64) -> impl Iterator<Item = Order> {
        (1..=count).map(|seed| Order { choices: Vec::new(), rest: Rest::Picked(seed) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orders(widths: impl Fn(&[usize]) -> usize) -> Vec<Vec<usize>> {
        let (mut found, mut order) = (Vec::new(), Some(Order::default()));
        while let Some(next) = order {
            let mut chosen: Vec<(usize, usize)> = Vec::new();
            loop {
                let so_far: Vec<usize> = chosen.iter().map(|(choice, _)| *choice).collect();
                let width = widths(&so_far);
                if width == 0 {
                    break;
                }
                chosen.push((next.choices.get(chosen.len()).copied().unwrap_or(0), width));
            }
            found.push(chosen.iter().map(|(choice, _)| *choice).collect());
            order = Order::after(&Taken { chosen, passed: Vec::new(), log: Vec::new() });
        }
        found
    }

    /// Two branches of two requests have six orders.
    #[test]
    fn every_order_is_tried_once() {
        let two_by_two = |so_far: &[usize]| {
            let mut left = [2, 2];
            for choice in so_far {
                let open: Vec<usize> = (0..2).filter(|branch| left[*branch] > 0).collect();
                left[open[*choice]] -= 1;
            }
            left.iter().filter(|left| **left > 0).count()
        };
        let found = orders(two_by_two);
        assert_eq!(found.len(), 6);
        let distinct: std::collections::BTreeSet<_> = found.iter().collect();
        assert_eq!(distinct.len(), 6);
    }
}
