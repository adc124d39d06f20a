//! Channels of events while a design is served: tidied every few seconds, and closed before the server is.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use sortkey_gateway::Live;

/// How often clients that are gone are noticed.
const TIDY_EVERY: Duration = Duration::from_secs(10);

/// Waits until the server is asked to stop. Answers that would go on for hours end then.
pub(super) async fn until(shutdown: impl Future<Output = ()>, live: Arc<Live>) {
    let tidying = async {
        loop {
            tokio::time::sleep(TIDY_EVERY).await;
            live.tidy();
        }
    };
    tokio::select! {
        () = shutdown => live.close(),
        () = tidying => {}
    }
}
