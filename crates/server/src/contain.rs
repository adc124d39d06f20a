//! Keeps a panic inside the request that caused it.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// Runs a future that may panic, when it is made or when it is polled; none if it did. The panic hook has
/// reported it by then, and the future is not polled again. Others may look at what it leaves behind, which
/// is safe as long as a database changes in whole batches: half a thought changes nothing.
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
