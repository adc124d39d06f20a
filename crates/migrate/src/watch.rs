//! The state of a migration as a process that serves sees it: a copy that is never older than a bound.
//!
//! A change of phase waits longer than the bound before anything relies on it. A process that cannot read the state stops
//! writing when its copy is too old; reads go on.

use std::time::Duration;

use parking_lot::Mutex;
use sortkey_api::{ApiError, ErrorKind};

use crate::plan::Plan;
use crate::state::{Home, Phase, State};
use crate::steady::Steady;

/// How old a copy of the state may be, and how long a change of phase waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ages {
    /// A copy that is older is read again before a write.
    pub fresh: Duration,
    /// Without a younger copy nothing is written.
    pub longest: Duration,
    /// How long a change of phase waits for processes that serve: longer than `longest`, by the time that a request may
    /// take.
    pub wait: Duration,
}

impl Ages {
    /// For processes on several machines.
    pub const SHARED: Ages = Ages {
        fresh: Duration::from_secs(2),
        longest: Duration::from_secs(5),
        wait: Duration::from_secs(12),
    };
    /// For one process that has the database to itself: every write reads the state.
    pub const ALONE: Ages = Ages { fresh: Duration::ZERO, longest: Duration::ZERO, wait: Duration::ZERO };
}

/// A copy of the state.
pub struct Watch {
    backend: Steady,
    home: Home,
    fingerprint: String,
    ages: Ages,
    copy: Mutex<Option<(i64, Option<State>)>>,
}

impl Watch {
    /// Watches the state of a plan; none if no old table has room for it.
    pub fn new(plan: &Plan, backend: Steady, ages: Ages) -> Option<Watch> {
        let home = Home::of(plan)?;
        Some(Watch {
            backend,
            home,
            fingerprint: plan.fingerprint().to_owned(),
            ages,
            copy: Mutex::new(None),
        })
    }

    /// The state, at most as old as the bound.
    pub async fn state(&self) -> Result<Option<State>, ApiError> {
        let now_ms = self.backend.now_ms();
        let age = |at_ms: i64| Duration::from_millis(u64::try_from(now_ms - at_ms).unwrap_or(u64::MAX));
        let known = self.copy.lock().clone();
        if let Some((at_ms, state)) = &known
            && !self.ages.fresh.is_zero()
            && age(*at_ms) < self.ages.fresh
        {
            return self.judged(state.clone());
        }
        match self.home.read(&self.backend).await {
            Ok(state) => {
                // The copy counts from before it was asked for.
                *self.copy.lock() = Some((now_ms, state.clone()));
                self.judged(state)
            }
            Err(error) => match known {
                Some((at_ms, state)) if age(at_ms) < self.ages.longest => self.judged(state),
                _ => Err(error),
            },
        }
    }

    /// The state as it was last read, however long ago.
    pub(crate) fn known(&self) -> Option<State> {
        let known = self.copy.lock().clone();
        known.and_then(|(_, state)| state).filter(|state| state.plan == self.fingerprint)
    }

    fn judged(&self, state: Option<State>) -> Result<Option<State>, ApiError> {
        match state {
            Some(state) if state.plan != self.fingerprint && state.phase == Phase::Finished => Ok(None),
            Some(state) if state.plan != self.fingerprint => Err(ApiError::new(
                ErrorKind::ValidationException,
                "a migration with another plan is under way: this process must not write. Start it again with the design that \
                 the migration was started with",
            )),
            state => Ok(state),
        }
    }
}
