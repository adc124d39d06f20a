//! A slot to wait on for a result: as a future, or by blocking the caller's thread.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use parking_lot::{Condvar, Mutex};

/// The end that waits.
pub struct Ticket<T> {
    shared: Arc<Shared<T>>,
}

/// The end that answers.
pub struct Promise<T> {
    shared: Arc<Shared<T>>,
}

struct Shared<T> {
    state: Mutex<State<T>>,
    answered: Condvar,
}

struct State<T> {
    answer: Option<T>,
    waker: Option<Waker>,
}

/// A connected pair.
pub fn promise<T>() -> (Promise<T>, Ticket<T>) {
    let state = Mutex::new(State { answer: None, waker: None });
    let shared = Arc::new(Shared { state, answered: Condvar::new() });
    (Promise { shared: Arc::clone(&shared) }, Ticket { shared })
}

impl<T> Promise<T> {
    /// Gives the answer.
    pub fn keep(self, answer: T) {
        let waker = {
            let mut state = self.shared.state.lock();
            state.answer = Some(answer);
            state.waker.take()
        };
        self.shared.answered.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Ticket<T> {
    /// Blocks this thread until the answer is there.
    pub fn wait(self) -> T {
        let mut state = self.shared.state.lock();
        loop {
            if let Some(answer) = state.answer.take() {
                return answer;
            }
            self.shared.answered.wait(&mut state);
        }
    }
}

impl<T> Future for Ticket<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let mut state = self.shared.state.lock();
        match state.answer.take() {
            Some(answer) => Poll::Ready(answer),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
