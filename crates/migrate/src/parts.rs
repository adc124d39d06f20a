//! The segments of a copy side by side: as tasks of their own where the process has threads for them, otherwise in turns.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Poll, Waker};

use futures_util::future::join_all;
use parking_lot::Mutex;

use crate::copy::{Copied, Copying};
use crate::refusal::Refusal;
use crate::state::State;

/// How the segments of a copy ended.
pub(crate) struct Ended(Mutex<Parts>);

struct Parts {
    outcomes: Vec<Option<Result<Copied, Refusal>>>,
    /// Whether a segment has come further since anybody looked.
    has_moved: bool,
    waker: Option<Waker>,
}

impl Ended {
    pub(crate) fn of(segments: usize) -> Ended {
        Ended(Mutex::new(Parts { outcomes: vec![None; segments], has_moved: false, waker: None }))
    }

    /// A segment has come further.
    pub(crate) fn moved(&self) {
        self.change(|parts| parts.has_moved = true);
    }

    fn change(&self, change: impl FnOnce(&mut Parts)) {
        let waker = {
            let mut parts = self.0.lock();
            change(&mut parts);
            parts.waker.take()
        };
        waker.into_iter().for_each(Waker::wake);
    }
}

impl Parts {
    /// The first failure, or how all of them ended; none while some are at work.
    fn outcome(&self) -> Option<Result<Vec<Copied>, Refusal>> {
        match self.outcomes.iter().flatten().find_map(|outcome| outcome.as_ref().err()) {
            Some(refusal) => Some(Err(refusal.clone())),
            None => self.outcomes.iter().cloned().collect(),
        }
    }
}

/// A segment at work: leaves an outcome behind, even if its task is dropped.
struct Part {
    copying: Arc<Copying>,
    at: usize,
    outcome: Result<Copied, Refusal>,
}

impl Part {
    fn of(copying: &Arc<Copying>, at: usize) -> Part {
        let why = "a part of the copy was cut off: run `sortkey migrate start` again";
        Part { copying: Arc::clone(copying), at, outcome: Err(Refusal::new(why)) }
    }

    async fn work(mut self) {
        self.outcome = self.copying.segment(self.at as u32).await;
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let outcome = self.outcome.clone();
        self.copying.ended.change(|parts| parts.outcomes[self.at] = Some(outcome));
    }
}

/// Ends the tasks of a copy that nobody waits for any more.
struct Waiting<'c>(&'c Copying);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

/// Carries all segments over; ends with the first that fails. `watcher` is called when one has come further.
pub(crate) async fn all_parts(
    copying: &Arc<Copying>,
    watcher: &mut (dyn FnMut(&State) + Send),
) -> Result<Vec<Copied>, Refusal> {
    let _waiting = Waiting(copying);
    let count = copying.ended.0.lock().outcomes.len();
    let mut here = Vec::new();
    for at in 0..count {
        let work = Part::of(copying, at).work();
        match &copying.runner.spawn {
            Some(spawn) => spawn(Box::pin(work)),
            None => here.push(work),
        }
    }
    let mut here = pin!(join_all(here));
    let mut is_here_over = false;
    poll_fn(|context| {
        copying.ended.0.lock().waker = Some(context.waker().clone());
        if !is_here_over {
            is_here_over = here.as_mut().poll(context).is_ready();
        }
        let (has_moved, outcome) = {
            let mut parts = copying.ended.0.lock();
            (std::mem::take(&mut parts.has_moved), parts.outcome())
        };
        if has_moved {
            watcher(&copying.seen());
        }
        outcome.map_or(Poll::Pending, Poll::Ready)
    })
    .await
}
