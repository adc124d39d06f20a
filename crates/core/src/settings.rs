//! What a runtime borrows from the world: clock, timer, dice, keys and names.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::Ids;
use crate::effects::Effects;
use crate::keyring::Keyring;
use crate::names::Naming;

/// Carries out a piece of work before it returns, wherever that disturbs least.
pub type Aside = Arc<dyn Fn(&mut dyn FnMut()) + Send + Sync>;

/// Where time comes from.
pub trait Clock: Send + Sync + 'static {
    /// Milliseconds since the epoch.
    fn now_ms(&self) -> u64;
}

/// Waits between attempts.
pub trait Timer: Send + Sync + 'static {
    /// Comes back after a while.
    fn pause(&self, length: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

/// Settings of a runtime.
#[derive(Clone)]
pub struct Settings {
    /// Where time comes from.
    pub clock: Arc<dyn Clock>,
    /// Waits before a request is sent again.
    pub timer: Arc<dyn Timer>,
    /// Where ids, tokens and random numbers come from.
    pub ids: Arc<Ids>,
    /// Who keeps the keys of encrypted attributes.
    pub keyring: Arc<dyn Keyring>,
    /// Carries out what a design does outside of the database.
    pub effects: Arc<dyn Effects>,
    /// Seals cursors; runtimes that serve the same clients share it.
    pub cursor_key: [u8; 32],
    /// Stands before the deployed name of every table.
    pub table_prefix: Option<String>,
    /// The values of the design's parameters.
    pub parameters: BTreeMap<String, String>,
    /// How expensive `bcrypt` is: the logarithm of its rounds.
    pub bcrypt_cost: u32,
    /// Carries out what keeps a processor busy for long, a `bcrypt`. Where calls share the threads of an async runtime,
    /// it tells the runtime, so that other calls go on meanwhile.
    pub aside: Aside,
}

impl Settings {
    /// How tables are called.
    pub fn naming(&self) -> Naming {
        Naming { prefix: self.table_prefix.clone(), parameters: self.parameters.clone() }
    }
}
