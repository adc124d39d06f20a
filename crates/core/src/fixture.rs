//! Settings for this crate's own tests: nothing in them depends on the machine.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::{Clock, DataKey, Ids, KeyError, Keyring, NoEffects, Settings, Timer};

/// 2026-01-01T00:00:00Z.
pub(crate) const NOW_MS: u64 = 1_767_225_600_000;

struct Still;

impl Clock for Still {
    fn now_ms(&self) -> u64 {
        NOW_MS
    }
}

impl Timer for Still {
    fn pause(&self, _: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }
}

/// A keyring that wraps nothing.
struct Plain;

impl Keyring for Plain {
    fn new_data_key(&self, _: &str) -> Result<DataKey, KeyError> {
        Ok(DataKey { plain: [7; 32], wrapped: vec![7; 32] })
    }

    fn unwrap(&self, _: &str, wrapped: &[u8]) -> Result<[u8; 32], KeyError> {
        wrapped.try_into().map_err(|_| KeyError("a key has 32 bytes".to_owned()))
    }
}

/// Settings that replay.
pub(crate) fn settings() -> Settings {
    Settings {
        clock: Arc::new(Still),
        timer: Arc::new(Still),
        ids: Arc::new(Ids::seeded(7)),
        keyring: Arc::new(Plain),
        cursor_key: [7; 32],
        table_prefix: None,
        parameters: BTreeMap::new(),
        bcrypt_cost: 4,
        aside: Arc::new(|work| work()),
        observer: None,
        effects: Arc::new(NoEffects),
    }
}
