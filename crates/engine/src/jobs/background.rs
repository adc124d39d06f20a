//! The threads that do what nobody waits for: one for the small jobs, one for what moves whole tables. Each is started
//! by the first thing that there is to do, and ends with its database.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use sortkey_api::ApiError;

use crate::engine::Shared;

/// The work of a background thread whenever it is woken.
pub(crate) type Work = fn(&Arc<Shared>) -> Result<(), ApiError>;

/// How long a job that failed waits before it is tried again, at first and at most: the store may heal.
const RETRY: Duration = Duration::from_secs(1);
const LONGEST_RETRY: Duration = Duration::from_secs(60);

/// Controls a background thread of one database.
pub(crate) struct Background {
    name: &'static str,
    work: Work,
    signal: Arc<Signal>,
    interval: Option<Duration>,
}

struct Signal {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    thread: Option<JoinHandle<()>>,
    stopped: bool,
    woken: bool,
}

impl Background {
    pub(crate) fn new(name: &'static str, work: Work, interval: Option<Duration>) -> Background {
        let signal = Signal { state: Mutex::default(), changed: Condvar::new() };
        Background { name, work, signal: Arc::new(signal), interval }
    }

    /// Starts the thread, unless it runs already. It holds the database only while it works.
    pub(crate) fn start(&self, shared: &Arc<Shared>) {
        let mut state = self.signal.state.lock();
        if state.thread.is_some() || state.stopped {
            return;
        }
        let (database, signal, interval) = (Arc::downgrade(shared), Arc::clone(&self.signal), self.interval);
        let work = self.work;
        let thread = std::thread::Builder::new().name(self.name.into());
        match thread.spawn(move || run(&database, &signal, work, interval)) {
            Ok(thread) => state.thread = Some(thread),
            Err(error) => tracing::error!(%error, "no background thread: its work waits"),
        }
    }

    /// Lets the thread look for work now.
    pub(crate) fn wake(&self) {
        self.signal.state.lock().woken = true;
        self.signal.changed.notify_one();
    }

    /// Lets the thread end after what it is doing, and never start again.
    pub(crate) fn stop(&self) {
        self.signal.state.lock().stopped = true;
        self.signal.changed.notify_one();
    }

    /// Waits for the end of the thread, unless this is the thread itself.
    pub(crate) fn join(&self) {
        let thread = self.signal.state.lock().thread.take();
        let here = std::thread::current().id();
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != here) {
            // A panic there was reported when it happened.
            let _ = thread.join();
        }
    }
}

fn run(database: &Weak<Shared>, signal: &Signal, work: Work, interval: Option<Duration>) {
    let mut retry = None;
    while signal.wait(retry.or(interval)) {
        let Some(shared) = database.upgrade() else { return };
        // A panic is a failure like any other: without its thread, no job would ever end again.
        let failure = match catch_unwind(AssertUnwindSafe(|| work(&shared))) {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some("it panicked".to_owned()),
        };
        if failure.is_some() && signal.state.lock().stopped {
            return;
        }
        retry = failure.map(|error| {
            tracing::error!(error, "a background job failed and will be tried again");
            retry.map_or(RETRY, |before: Duration| (before * 2).min(LONGEST_RETRY))
        });
    }
}

impl Signal {
    /// Waits until there may be work; `false` on shutdown.
    fn wait(&self, longest: Option<Duration>) -> bool {
        let mut state = self.state.lock();
        while !state.woken && !state.stopped {
            match longest {
                Some(longest) if self.changed.wait_for(&mut state, longest).timed_out() => break,
                Some(_) => {}
                None => self.changed.wait(&mut state),
            }
        }
        state.woken = false;
        !state.stopped
    }
}
