//! Connections that are kept for the next request to the same place, for some seconds and in bounded numbers.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::exchange::Connection;
use crate::target::Destination;

/// How long a connection is kept.
const IDLE_TIME: Duration = Duration::from_secs(20);

/// How many connections to one place are kept.
const MAX_IDLE_OF_A_PLACE: usize = 64;

/// How many connections are kept in all.
const MAX_IDLE: usize = 512;

/// The end of a connection: the vetted address and the name that it was made for, since certificates and servers go by the name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) is_tls: bool,
    pub(crate) host: Destination,
    pub(crate) address: SocketAddr,
}

/// Idle connections.
#[derive(Default)]
pub(crate) struct Pool {
    idle: Mutex<Idle>,
}

#[derive(Default)]
struct Idle {
    by_place: HashMap<Place, Vec<(Instant, Connection)>>,
    is_swept: bool,
}

impl Idle {
    /// Makes room by dropping the oldest connection,
    /// so that a destination with many does not crowd out the others for long.
    fn drop_oldest(&mut self) {
        let since = |connections: &Vec<(Instant, Connection)>| connections.first().map(|(since, _)| *since);
        let oldest = self.by_place.iter().min_by_key(|(_, connections)| since(connections));
        let Some(place) = oldest.map(|(place, _)| place.clone()) else { return };
        if let Some(connections) = self.by_place.get_mut(&place) {
            connections.remove(0);
            if connections.is_empty() {
                self.by_place.remove(&place);
            }
        }
    }
}

impl Pool {
    /// The connection to a place that was used last.
    pub(crate) fn take(&self, place: &Place) -> Option<Connection> {
        let mut idle = self.idle.lock();
        let connections = idle.by_place.get_mut(place)?;
        let mut found = None;
        while found.is_none() {
            let Some((since, connection)) = connections.pop() else { break };
            found = (since.elapsed() < IDLE_TIME && connection.is_usable()).then_some(connection);
        }
        if connections.is_empty() {
            idle.by_place.remove(place);
        }
        found
    }

    /// Keeps a connection whose answer was read to its end.
    pub(crate) fn put(self: &Arc<Self>, place: Place, connection: Connection) {
        let mut idle = self.idle.lock();
        let count: usize = idle.by_place.values().map(Vec::len).sum();
        if count >= MAX_IDLE {
            idle.drop_oldest();
        }
        let connections = idle.by_place.entry(place).or_default();
        if connections.len() < MAX_IDLE_OF_A_PLACE {
            connections.push((Instant::now(), connection));
        }
        if !idle.is_swept {
            idle.is_swept = true;
            tokio::spawn(sweep(Arc::downgrade(self)));
        }
    }

    /// Closes connections that were kept long enough, or that their servers have closed. Says whether others are left.
    fn prune(&self) -> bool {
        let mut idle = self.idle.lock();
        for connections in idle.by_place.values_mut() {
            connections.retain(|(since, connection)| since.elapsed() < IDLE_TIME && connection.is_usable());
        }
        idle.by_place.retain(|_, connections| !connections.is_empty());
        idle.is_swept = !idle.by_place.is_empty();
        idle.is_swept
    }
}

async fn sweep(pool: Weak<Pool>) {
    loop {
        tokio::time::sleep(IDLE_TIME / 4).await;
        match pool.upgrade() {
            Some(pool) if pool.prune() => {}
            _ => return,
        }
    }
}
