//! The progress of a request, for the error when its time is up.

use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU16, Ordering};

/// The phase that a request is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Its name is being resolved.
    Resolving,
    /// Its connection is being made.
    Connecting,
    /// Its connection is being secured.
    Securing,
    /// It was sent, and its answer has not begun.
    Waiting,
    /// Its answer is being read.
    Reading,
}

const PHASES: [Phase; 5] =
    [Phase::Resolving, Phase::Connecting, Phase::Securing, Phase::Waiting, Phase::Reading];

impl fmt::Display for Phase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Phase::Resolving => "resolving the name",
            Phase::Connecting => "connecting",
            Phase::Securing => "securing the connection",
            Phase::Waiting => "waiting for the answer",
            Phase::Reading => "reading the answer",
        })
    }
}

/// The present phase and the status, readable after the future that sets them was dropped.
#[derive(Default)]
pub(crate) struct Progress {
    phase: AtomicU8,
    status: AtomicU16,
}

impl Progress {
    pub(crate) fn enter(&self, phase: Phase) {
        let number = PHASES.iter().position(|each| *each == phase).unwrap_or(0);
        self.phase.store(u8::try_from(number).unwrap_or(0), Ordering::Relaxed);
    }

    pub(crate) fn phase(&self) -> Phase {
        let number = usize::from(self.phase.load(Ordering::Relaxed));
        PHASES.get(number).copied().unwrap_or(Phase::Resolving)
    }

    pub(crate) fn set_status(&self, status: u16) {
        self.status.store(status, Ordering::Relaxed);
    }

    pub(crate) fn status(&self) -> Option<u16> {
        Some(self.status.load(Ordering::Relaxed)).filter(|status| *status != 0)
    }
}
