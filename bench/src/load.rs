//! The load: connections that each send their next request when the last was answered.
//!
//! It shares two cores with the server that it measures, so it does as little as it can: one thread, prepared bytes,
//! no look at a body.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::http::Connection;

/// The requests of one connection, in turn.
pub type Requests = Arc<[Vec<u8>]>;

/// The figures of one run.
#[derive(Clone, Debug, Default)]
pub struct Observation {
    /// How long it took.
    pub elapsed: Duration,
    /// Nanoseconds of each answered request, sorted.
    pub latencies_ns: Vec<u32>,
}

impl Observation {
    /// Requests per second.
    pub fn throughput(&self) -> f64 {
        self.latencies_ns.len() as f64 / self.elapsed.as_secs_f64()
    }

    /// The latency that a share of the requests stays below, in microseconds.
    pub fn percentile_us(&self, share: f64) -> f64 {
        let last = self.latencies_ns.len().saturating_sub(1);
        let position = (last as f64 * share) as usize;
        self.latencies_ns.get(position).map_or(0.0, |ns| f64::from(*ns) / 1000.0)
    }
}

/// Sends every connection's requests in turn, again and again, for a time.
pub fn run_for(address: SocketAddr, duration: Duration, connections: &[Requests]) -> io::Result<Observation> {
    let end = Instant::now() + duration;
    drive(address, connections, move |_, now| now < end)
}

/// Sends every connection's requests once.
pub fn run_once(address: SocketAddr, connections: &[Requests]) -> io::Result<Observation> {
    drive(address, connections, |left, _| left > 0)
}

/// Deals requests out to connections, for [`run_once`].
pub fn deal(requests: Vec<Vec<u8>>, connections: usize) -> Vec<Requests> {
    let share = requests.len().div_ceil(connections).max(1);
    requests.chunks(share).map(Arc::from).collect()
}

/// Sends as long as `more` agrees, given the rest of the connection's first round and the time.
fn drive<M>(address: SocketAddr, connections: &[Requests], more: M) -> io::Result<Observation>
where
    M: Fn(usize, Instant) -> bool + Copy + Send + 'static,
{
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let mut opened = Vec::new();
        for requests in connections {
            opened.push((Connection::open(address).await?, Arc::clone(requests)));
        }
        let start = Instant::now();
        let tasks: Vec<_> = opened
            .into_iter()
            .map(|(connection, requests)| tokio::spawn(send(connection, requests, more)))
            .collect();
        let mut latencies_ns = Vec::new();
        for task in tasks {
            latencies_ns.extend(task.await.map_err(io::Error::other)??);
        }
        let elapsed = start.elapsed();
        latencies_ns.sort_unstable();
        Ok(Observation { elapsed, latencies_ns })
    })
}

/// The latencies of one connection's requests. An answer that is not a success ends the run: a server that refuses is
/// not fast.
async fn send(
    mut connection: Connection,
    requests: Requests,
    more: impl Fn(usize, Instant) -> bool,
) -> io::Result<Vec<u32>> {
    let mut latencies_ns = Vec::with_capacity(1 << 14);
    let mut before = Instant::now();
    for (sent, request) in requests.iter().cycle().enumerate() {
        if !more(requests.len().saturating_sub(sent), before) {
            break;
        }
        let answer = connection.ask(request).await?;
        if !answer.is_success() {
            let body = String::from_utf8_lossy(answer.body);
            return Err(io::Error::other(format!("{}{body}", answer.head)));
        }
        let after = Instant::now();
        latencies_ns.push(u32::try_from((after - before).as_nanos()).unwrap_or(u32::MAX));
        before = after;
    }
    Ok(latencies_ns)
}
