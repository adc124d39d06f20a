//! Waiting between attempts, without knowing which async runtime polls us.
//!
//! Pauses are rare (a backend that throttles), so a thread for each is cheaper than a timer that always runs.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use parking_lot::Mutex;
use sortkey_core::Timer;

/// A timer that waits on a thread of its own.
pub struct Threads;

impl Timer for Threads {
    fn pause(&self, length: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(pause(length))
    }
}

#[derive(Default)]
struct State {
    over: bool,
    waker: Option<Waker>,
}

/// Comes back after a while.
pub async fn pause(length: Duration) {
    let state = Arc::new(Mutex::new(State::default()));
    let timer = Arc::clone(&state);
    let spawned = std::thread::Builder::new().name("sortkey-pause".to_owned()).spawn(move || {
        std::thread::sleep(length);
        let mut state = timer.lock();
        state.over = true;
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
    });
    if spawned.is_err() {
        // No thread to wait on: better to ask again at once than never.
        return;
    }
    poll_fn(|context| {
        let mut state = state.lock();
        if state.over {
            return Poll::Ready(());
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    })
    .await;
}
