//! The progress of a connection, recorded by the connection and checked by the server.
//!
//! A timer per request would cost more than reading the request. So a connection only keeps a few
//! relaxed numbers, and the server checks them periodically: a connection without progress for too long is
//! closed. The price is precision, which a timeout does not need.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, fence};
use std::task::Waker;
use std::time::{Duration, Instant};

use crate::settings::Settings;

/// The phase of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Between requests.
    Idle,
    /// Some bytes of a request have come, not all.
    Receiving,
    /// The backend has the request.
    Working,
    /// The client has not finished its TLS handshake.
    Handshaking,
}

/// The server's order to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Go on.
    Serve,
    /// Finish the request in flight, then close.
    Drain,
    /// Close now.
    Close,
}

/// The state of one connection. Only the connection writes the numbers, only the server the order.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// Requests answered, times four, plus the phase: one number, so that a glance is consistent.
    step: AtomicU64,
    bytes_written: AtomicU64,
    /// The last write found the client's window full.
    write_blocked: AtomicBool,
    order: AtomicU8,
    waker: OnceLock<Waker>,
}

impl Progress {
    /// A TLS handshake begins, before anything else.
    pub(crate) fn handshake_began(&self) {
        self.step.store(Phase::Handshaking as u64, Relaxed);
    }

    /// The handshake is done; the first request may come.
    pub(crate) fn handshake_ended(&self) {
        self.answered();
    }

    /// Some bytes came in: if it rested, a request has begun.
    pub(crate) fn bytes_arrived(&self) {
        let step = self.step.load(Relaxed);
        if phase_of(step) == Phase::Idle {
            self.step.store(step | Phase::Receiving as u64, Relaxed);
        }
    }

    /// The request is complete and goes to the backend.
    pub(crate) fn received(&self) {
        let step = self.step.load(Relaxed);
        self.step.store((step & !3) | Phase::Working as u64, Relaxed);
    }

    /// The request is answered; the next one may come.
    pub(crate) fn answered(&self) {
        let step = self.step.load(Relaxed);
        self.step.store((step & !3) + 4, Relaxed);
    }

    /// Some bytes were taken by the client's side of the connection, or none for now.
    pub(crate) fn wrote(&self, bytes: Option<usize>) {
        if let Some(bytes) = bytes {
            self.bytes_written.store(self.bytes_written.load(Relaxed) + bytes as u64, Relaxed);
        }
        if self.write_blocked.load(Relaxed) != bytes.is_none() {
            self.write_blocked.store(bytes.is_none(), Relaxed);
        }
    }

    /// The current order; read at every wake-up, and leaves the waker to use for a new order.
    pub(crate) fn order(&self, waker: &Waker) -> Order {
        // A task keeps one waker for life, so remembering the first is enough. The fences here and in `give` see to
        // it that an order given at this very moment is either read below or finds the waker.
        if self.waker.get().is_none() {
            self.waker.get_or_init(|| waker.clone());
            fence(SeqCst);
        }
        match self.order.load(Relaxed) {
            0 => Order::Serve,
            1 => Order::Drain,
            _ => Order::Close,
        }
    }

    /// Gives an order; returns whether it is new. Orders only get stricter.
    pub(crate) fn give(&self, order: Order) -> bool {
        let before = self.order.fetch_max(order as u8, Relaxed);
        fence(SeqCst);
        if let Some(waker) = self.waker.get() {
            waker.wake_by_ref();
        }
        before < order as u8
    }
}

fn phase_of(step: u64) -> Phase {
    match step & 3 {
        0 => Phase::Idle,
        1 => Phase::Receiving,
        2 => Phase::Working,
        _ => Phase::Handshaking,
    }
}

/// The last observed state of a connection, and since when it has not changed.
#[derive(Debug)]
pub(crate) struct Observation {
    step: u64,
    step_since: Instant,
    bytes_written: u64,
    written_since: Instant,
}

impl Observation {
    /// A connection seen for the first time.
    pub(crate) fn new(now: Instant) -> Observation {
        Observation { step: 0, step_since: now, bytes_written: 0, written_since: now }
    }

    /// Observes the connection again; returns whether the client has been too slow. `full` means that all
    /// places are taken.
    pub(crate) fn overdue(
        &mut self,
        progress: &Progress,
        now: Instant,
        full: bool,
        settings: &Settings,
    ) -> bool {
        let step = progress.step.load(Relaxed);
        if step != self.step {
            (self.step, self.step_since) = (step, now);
        }
        let bytes_written = progress.bytes_written.load(Relaxed);
        if bytes_written != self.bytes_written || !progress.write_blocked.load(Relaxed) {
            (self.bytes_written, self.written_since) = (bytes_written, now);
        }
        let step_limit = match phase_of(step) {
            Phase::Idle if full => settings.idle_timeout_when_full,
            Phase::Idle => settings.idle_timeout,
            Phase::Receiving => settings.receive_timeout,
            Phase::Working => Duration::MAX,
            Phase::Handshaking if full => settings.handshake_timeout.min(settings.idle_timeout_when_full),
            Phase::Handshaking => settings.handshake_timeout,
        };
        now - self.step_since >= step_limit || now - self.written_since >= settings.send_timeout
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten seconds to receive, twenty to send, thirty idle, two idle when full.
    fn settings() -> Settings {
        Settings {
            receive_timeout: Duration::from_secs(10),
            send_timeout: Duration::from_secs(20),
            idle_timeout: Duration::from_secs(30),
            idle_timeout_when_full: Duration::from_secs(2),
            ..Settings::default()
        }
    }

    /// Looks once a second while `act` moves the connection; the second at which it is overdue, if ever.
    fn overdue_at(full: bool, act: impl Fn(u64, &Progress)) -> Option<u64> {
        let (progress, start) = (Progress::default(), Instant::now());
        let mut observation = Observation::new(start);
        (1..=100).find(|second| {
            act(*second, &progress);
            observation.overdue(&progress, start + Duration::from_secs(*second), full, &settings())
        })
    }

    #[test]
    fn a_silent_connection_is_idle() {
        assert_eq!(overdue_at(false, |_, _| {}), Some(30));
        assert_eq!(overdue_at(true, |_, _| {}), Some(2));
    }

    #[test]
    fn a_request_must_arrive_in_time_however_it_trickles() {
        assert_eq!(overdue_at(false, |_, progress| progress.bytes_arrived()), Some(11));
    }

    #[test]
    fn the_backend_may_take_as_long_as_it_takes() {
        assert_eq!(overdue_at(true, |_, progress| progress.received()), None);
    }

    #[test]
    fn each_request_gets_its_own_time() {
        let busy = |_: u64, progress: &Progress| {
            progress.bytes_arrived();
            progress.answered();
        };
        assert_eq!(overdue_at(true, busy), None);
    }

    #[test]
    fn a_client_that_reads_nothing_is_overdue_and_one_that_reads_slowly_is_not() {
        let stuck = |_: u64, progress: &Progress| {
            progress.received();
            progress.wrote(None);
        };
        assert_eq!(overdue_at(false, stuck), Some(20));
        let slow = |second: u64, progress: &Progress| {
            progress.received();
            progress.wrote(second.is_multiple_of(15).then_some(1));
            progress.wrote(None);
        };
        assert_eq!(overdue_at(false, slow), None);
    }

    #[test]
    fn orders_only_get_stricter() {
        let (progress, waker) = (Progress::default(), Waker::noop());
        assert_eq!(progress.order(waker), Order::Serve);
        assert!(progress.give(Order::Close));
        assert!(!progress.give(Order::Drain));
        assert_eq!(progress.order(waker), Order::Close);
    }
}
