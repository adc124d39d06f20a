//! Every open connection: how many there are, which are overdue, and when the last one has gone.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::progress::{Observation, Order, Progress};
use crate::settings::Settings;

/// The open connections of a server, by number.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    open: Mutex<HashMap<u64, (Arc<Progress>, Observation)>>,
    /// Notified whenever a connection closes.
    closed: Notify,
}

impl Connections {
    /// Enters a new connection; it leaves when the guard is dropped.
    pub(crate) fn enter(self: &Arc<Self>, number: u64, now: Instant) -> Membership {
        let progress = Arc::new(Progress::default());
        self.open.lock().insert(number, (progress.clone(), Observation::new(now)));
        Membership { connections: self.clone(), number, progress }
    }

    /// How many are open.
    pub(crate) fn count(&self) -> usize {
        self.open.lock().len()
    }

    /// Waits until fewer than `limit` connections are open.
    pub(crate) async fn fewer_than(&self, limit: usize) {
        loop {
            // Registered before looking, so that a close between the look and the wait is not missed.
            let mut closed = std::pin::pin!(self.closed.notified());
            closed.as_mut().enable();
            if self.open.lock().len() < limit {
                return;
            }
            closed.await;
        }
    }

    /// Closes every connection whose client has been too slow; returns how many.
    pub(crate) fn close_overdue(&self, now: Instant, settings: &Settings) -> u64 {
        let mut open = self.open.lock();
        let full = open.len() >= settings.max_connections;
        let mut closed = 0;
        for (progress, observation) in open.values_mut() {
            if observation.overdue(progress, now, full, settings) {
                closed += u64::from(progress.give(Order::Close));
            }
        }
        closed
    }

    /// Gives every connection an order.
    pub(crate) fn give_all(&self, order: Order) {
        for (progress, _) in self.open.lock().values() {
            progress.give(order);
        }
    }
}

/// A connection's place among the open ones.
#[derive(Debug)]
pub(crate) struct Membership {
    connections: Arc<Connections>,
    number: u64,
    pub(crate) progress: Arc<Progress>,
}

impl Drop for Membership {
    fn drop(&mut self) {
        self.connections.open.lock().remove(&self.number);
        self.connections.closed.notify_waiters();
    }
}
