//! A backend whose requests are repeated until their outcome is known, or for as long as is reasonable.
//!
//! Reads, and transactions with a token, mean the same when they are sent again. Nothing else is sent through here.

use std::sync::Arc;
use std::time::Duration;

use sortkey_api::operations::Exchanged;
use sortkey_api::{Again, ApiError, Backend};
use sortkey_core::Settings;

/// How often a request is sent, the first time included.
const ATTEMPTS: u32 = 8;
/// The longest first pause; every further one may be twice as long.
const FIRST_PAUSE_MS: u64 = 20;

/// A backend, and how to wait for it.
#[derive(Clone)]
pub struct Steady {
    backend: Arc<dyn Backend>,
    settings: Settings,
}

impl Steady {
    /// A backend with the timer and the randomness of some settings.
    pub fn new(backend: Arc<dyn Backend>, settings: Settings) -> Steady {
        Steady { backend, settings }
    }

    /// The backend itself.
    pub(crate) fn inner(&self) -> &dyn Backend {
        &*self.backend
    }

    /// Milliseconds since 1970.
    pub(crate) fn now_ms(&self) -> i64 {
        i64::try_from(self.settings.clock.now_ms()).unwrap_or(i64::MAX)
    }

    /// 128 random bits as text.
    pub(crate) fn token(&self) -> Result<String, ApiError> {
        let ids = &self.settings.ids;
        match (ids.next(), ids.next()) {
            (Ok(high), Ok(low)) => Ok(format!("{high:016x}{low:016x}")),
            _ => Err(ApiError::internal()),
        }
    }

    /// Sends a request that may be repeated.
    pub(crate) async fn ask<O: Exchanged>(&self, input: O::Input) -> Result<O::Output, ApiError>
    where
        O::Input: Clone + Sync,
    {
        self.ask_made::<O>(&|| input.clone()).await
    }

    /// Sends a request that is made again whenever it is repeated: a large one costs less to make than to keep a copy of.
    pub(crate) async fn ask_made<O: Exchanged>(
        &self,
        input: &(dyn Fn() -> O::Input + Sync),
    ) -> Result<O::Output, ApiError> {
        let mut longest_ms = FIRST_PAUSE_MS;
        for attempt in 1.. {
            match self.backend.send(O::request(input())).await {
                Err(error) if attempt < ATTEMPTS && error.again() != Again::Never => {
                    self.wait(longest_ms).await;
                    longest_ms *= 2;
                }
                Err(error) => return Err(error),
                Ok(response) => {
                    return O::output(response).map(|output| *output).ok_or_else(ApiError::internal);
                }
            }
        }
        Err(ApiError::internal())
    }

    /// A random number below `sides`.
    pub(crate) fn dice(&self, sides: u64) -> u64 {
        self.settings.ids.next().unwrap_or(0) % sides.max(1)
    }

    /// Waits for a short random time.
    pub(crate) async fn rest(&self) {
        self.wait(FIRST_PAUSE_MS).await;
    }

    /// Waits for a random time.
    pub(crate) async fn wait(&self, longest_ms: u64) {
        let length = self.settings.ids.next().unwrap_or(0) % longest_ms.max(1) + 1;
        self.settings.timer.pause(Duration::from_millis(length)).await;
    }

    /// Waits for a time.
    pub(crate) async fn pause(&self, length: Duration) {
        self.settings.timer.pause(length).await;
    }
}
