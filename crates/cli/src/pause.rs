//! The waits of a deployment between two looks at a table.

use std::time::Duration;

use sortkey_core::Pending;

/// Waits on the timer of the async runtime.
pub(crate) fn pause<'a>(length: Duration) -> Pending<'a, ()> {
    Box::pin(async move {
        tokio::time::sleep(length).await;
        Ok(())
    })
}
