//! The server's counters, and the page that exposes them to Prometheus.
//!
//! Counting happens on every request and must cost next to nothing; the page is made when asked for.

mod counter;
mod errors;
mod histogram;
mod page;
mod series;

use std::time::Duration;

use sortkey_api::{ErrorKind, OperationId};

use self::counter::Counter;
use self::series::SeriesMap;

pub(crate) use self::page::CONTENT_TYPE;

/// The numbers of one server.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    series: SeriesMap,
    pub(crate) bytes_received: Counter,
    pub(crate) bytes_sent: Counter,
    pub(crate) connections_accepted: Counter,
    /// Connections that the server closed because the client was too slow.
    pub(crate) connections_timed_out: Counter,
    pub(crate) panics: Counter,
    in_flight: Counter,
}

impl Metrics {
    /// Remembers a request that the backend answered.
    pub(crate) fn answered(
        &self,
        operation: OperationId,
        table: Option<&str>,
        error: Option<ErrorKind>,
        took: Duration,
    ) {
        self.series.record(Some(operation), table, error, took);
    }

    /// Remembers a request that never reached the backend.
    pub(crate) fn refused(&self, error: ErrorKind) {
        self.series.record(None, None, Some(error), Duration::ZERO);
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
