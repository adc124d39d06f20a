//! What the server counts, and the page that shows it to Prometheus.
//!
//! Counting happens on every request and must cost next to nothing; the page is made when asked for.

mod counter;
mod errors;
mod histogram;
mod page;
mod series;

use std::sync::Arc;
use std::time::Duration;

use self::counter::Counter;
use self::series::SeriesMap;
use crate::backend::Operation;

pub(crate) use self::page::CONTENT_TYPE;

/// The numbers of one server.
#[derive(Debug)]
pub(crate) struct Metrics {
    /// Names of the operations, and last the empty name of requests that name none.
    names: Box<[&'static str]>,
    series: SeriesMap,
    pub(crate) bytes_received: Counter,
    pub(crate) bytes_sent: Counter,
    pub(crate) connections_accepted: Counter,
    pub(crate) connections_open: Counter,
    /// Connections that the server closed because the client was too slow.
    pub(crate) connections_timed_out: Counter,
    pub(crate) panics: Counter,
    in_flight: Counter,
}

impl Metrics {
    /// Zeros for a backend with these operations.
    pub(crate) fn new(operations: &[Operation]) -> Metrics {
        let names: Box<[_]> = operations.iter().map(|operation| operation.name).chain([""]).collect();
        Metrics {
            series: SeriesMap::new(names.len()),
            names,
            bytes_received: Counter::default(),
            bytes_sent: Counter::default(),
            connections_accepted: Counter::default(),
            connections_open: Counter::default(),
            connections_timed_out: Counter::default(),
            panics: Counter::default(),
            in_flight: Counter::default(),
        }
    }

    /// Remembers a request that the backend answered.
    pub(crate) fn answered(
        &self,
        operation: usize,
        table: Option<&Arc<str>>,
        error: Option<&'static str>,
        took: Duration,
    ) {
        self.series.record(operation, table, error, took);
    }

    /// Remembers a request that never reached the backend.
    pub(crate) fn refused(&self, error: &'static str) {
        self.series.record(self.names.len() - 1, None, Some(error), Duration::ZERO);
    }

    /// Counts a request as in flight for as long as the guard lives.
    pub(crate) fn enter(&self) -> InFlight<'_> {
        self.in_flight.add(1);
        InFlight(self)
    }
}

/// A request in flight.
#[derive(Debug)]
pub(crate) struct InFlight<'a>(&'a Metrics);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.in_flight.subtract(1);
    }
}
