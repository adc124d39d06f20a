//! Another DynamoDB, for tests that are asked to run there.

use std::sync::Arc;

use sortkey_api::{ApiError, Backend, Pending, Request, Response};
use sortkey_remote::{Remote, Settings};
use tokio::runtime::Runtime;

/// Requests are sent on threads of their own: the tests block theirs.
struct Elsewhere {
    remote: Arc<Remote>,
    threads: Runtime,
}

impl Backend for Elsewhere {
    fn send(&self, request: Request) -> Pending<'_, Response> {
        let remote = Arc::clone(&self.remote);
        let task = self.threads.spawn(async move { remote.send(request).await });
        Box::pin(async move { task.await.unwrap_or_else(|_| Err(ApiError::internal())) })
    }

    fn repeats(&self) -> bool {
        self.remote.repeats()
    }
}

/// The DynamoDB at an address.
pub(crate) fn at(url: &str) -> Arc<dyn Backend> {
    let threads = Runtime::new().expect("threads");
    let settings = Settings::new(url).expect("an address");
    let remote = threads.block_on(Remote::new(settings));
    Arc::new(Elsewhere { remote: Arc::new(remote), threads })
}
