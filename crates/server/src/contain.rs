//! Keeps a panic inside the request that caused it.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// Runs a future that may panic, when it is made or when it is polled; none if it did. The panic hook has
/// reported it by then. The future is not polled again, and what it shares with others must not trust its
/// locks to be released in a good state: hence a database whose locks are not poisoned but whose writes
/// are batches that are applied whole or not at all.
pub(crate) async fn contain<F: Future>(make: impl FnOnce() -> F) -> Option<F::Output> {
    let future = catch_unwind(AssertUnwindSafe(make)).ok()?;
    let mut future = pin!(future);
    std::future::poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(output)) => Poll::Ready(Some(output)),
        Err(_) => Poll::Ready(None),
    })
    .await
}
