//! A backend that passes so many requests, then none: the process behind it is gone.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Poll;

use parking_lot::Mutex;
use sortkey_api::{ApiError, Backend, ErrorDetails, ErrorKind, Pending, Request, Response};

use crate::Dice;

pub(crate) struct Cut {
    inner: Arc<dyn Backend>,
    left: AtomicU64,
    sent: AtomicU64,
    is_over: AtomicBool,
    /// Whether the last request still reaches the database, so that only its answer is lost.
    after: bool,
    /// Decides who comes next where several wait.
    dice: Mutex<Dice>,
}

impl Cut {
    pub(crate) fn new(inner: Arc<dyn Backend>, requests: u64, after: bool, seed: u64) -> Arc<Cut> {
        Arc::new(Cut {
            inner,
            left: AtomicU64::new(requests),
            sent: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
            after,
            dice: Mutex::new(Dice::new(seed)),
        })
    }

    /// The requests that were passed.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Whether a request was not passed any more.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    fn gone(&self) -> ApiError {
        self.is_over.store(true, Ordering::Relaxed);
        let lost = ErrorDetails::NoAnswer { may_have_happened: true };
        ApiError::new(ErrorKind::ValidationException, "cut off").with_details(lost)
    }
}

impl Backend for Cut {
    fn send(&self, request: Request) -> Pending<'_, Response> {
        Box::pin(async move {
            let mut turns = self.dice.lock().roll(3);
            poll_fn(|context| match turns {
                0 => Poll::Ready(()),
                _ => {
                    turns -= 1;
                    context.waker().wake_by_ref();
                    Poll::Pending
                }
            })
            .await;
            let left = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            match left {
                Ok(1) if self.after => {
                    drop(self.inner.send(request).await);
                    Err(self.gone())
                }
                Ok(_) => {
                    self.sent.fetch_add(1, Ordering::Relaxed);
                    self.inner.send(request).await
                }
                Err(_) => Err(self.gone()),
            }
        })
    }
}
