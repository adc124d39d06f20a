//! Settings of a runtime on this machine.

use std::collections::BTreeMap;
use std::sync::Arc;

use sortkey_core::{Clock, KeyError, NoEffects, Settings};

use crate::pause::Threads;
use crate::{KeyFile, random, random_ids};

/// The machine's own clock.
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        sortkey_storage::Clock::now_ms(&sortkey_storage::SystemClock)
    }
}

/// Settings with the machine's clock, and with keys that end with the process.
pub fn ephemeral() -> Result<Settings, KeyError> {
    Ok(Settings {
        clock: Arc::new(SystemClock),
        timer: Arc::new(Threads),
        ids: Arc::new(random_ids()?),
        keyring: Arc::new(KeyFile::ephemeral()?),
        effects: Arc::new(NoEffects),
        cursor_key: random()?,
        table_prefix: None,
        parameters: BTreeMap::new(),
        bcrypt_cost: 12,
        aside: Arc::new(|work| work()),
        observer: None,
    })
}
