//! The thread that does what nobody waits for. It is started by the first database that has something to do,
//! and ends with it.

use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::engine::Shared;
use crate::jobs;

/// Controls the background thread of one database.
pub(crate) struct Background {
    signal: Arc<Signal>,
    interval: Option<Duration>,
}

struct Signal {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    started: bool,
    stopped: bool,
    woken: bool,
}

impl Background {
    pub(crate) fn new(interval: Option<Duration>) -> Background {
        let signal = Signal { state: Mutex::default(), changed: Condvar::new() };
        Background { signal: Arc::new(signal), interval }
    }

    /// Starts the thread, unless it runs already. It holds the database only while it works.
    pub(crate) fn start(&self, shared: &Arc<Shared>) {
        let mut state = self.signal.state.lock();
        if state.started {
            return;
        }
        let (database, signal, interval) = (Arc::downgrade(shared), Arc::clone(&self.signal), self.interval);
        let thread = std::thread::Builder::new().name("background".into());
        match thread.spawn(move || run(&database, &signal, interval)) {
            Ok(_) => state.started = true,
            Err(error) => tracing::error!(%error, "no background thread: expiry and backfills wait"),
        }
    }

    /// Lets the thread look for work now.
    pub(crate) fn wake(&self) {
        self.signal.state.lock().woken = true;
        self.signal.changed.notify_one();
    }

    pub(crate) fn stop(&self) {
        self.signal.state.lock().stopped = true;
        self.signal.changed.notify_one();
    }
}

fn run(database: &Weak<Shared>, signal: &Signal, interval: Option<Duration>) {
    loop {
        {
            let mut state = signal.state.lock();
            while !state.woken && !state.stopped {
                match interval {
                    Some(interval) if signal.changed.wait_for(&mut state, interval).timed_out() => break,
                    Some(_) => {}
                    None => signal.changed.wait(&mut state),
                }
            }
            state.woken = false;
            if state.stopped {
                return;
            }
        }
        let Some(shared) = database.upgrade() else { return };
        if let Err(error) = jobs::run(&shared) {
            tracing::error!(%error, "a background job failed and will be tried again");
        }
    }
}
