//! A backend that wakes workers after every write, so that nobody has to ask whether there is something to do.

use std::sync::{Arc, OnceLock};

use sortkey_api::{Backend, Pending, Request, Response};

use crate::Wake;

/// A backend whose writes wake workers.
pub struct Waking {
    inner: Arc<dyn Backend>,
    wake: OnceLock<Wake>,
}

impl Waking {
    /// A backend that wakes nobody yet.
    pub fn new(inner: Arc<dyn Backend>) -> Waking {
        Waking { inner, wake: OnceLock::new() }
    }

    /// From now on, writes wake these workers.
    pub fn wakes(&self, wake: Wake) {
        drop(self.wake.set(wake));
    }
}

impl Backend for Waking {
    fn send(&self, request: Request) -> Pending<'_, Response> {
        let writes = matches!(
            request,
            Request::PutItem(_)
                | Request::UpdateItem(_)
                | Request::DeleteItem(_)
                | Request::BatchWriteItem(_)
                | Request::TransactWriteItems(_)
        );
        let answer = self.inner.send(request);
        if !writes {
            return answer;
        }
        Box::pin(async move {
            let answer = answer.await;
            if let (Ok(_), Some(wake)) = (&answer, self.wake.get()) {
                wake.wake();
            }
            answer
        })
    }

    fn repeats(&self) -> bool {
        self.inner.repeats()
    }
}
