//! The environment of a runtime: clock, timer, randomness, keys and names.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::Ids;
use crate::effects::{Effects, NoEffects};
use crate::keyring::{DataKey, KeyError, Keyring};
use crate::names::Naming;
use crate::values::Fields;
use sortkey_design::program::PatternId;

/// Carries out a piece of work before it returns, wherever that disturbs least.
pub type Aside = Arc<dyn Fn(&mut dyn FnMut()) + Send + Sync>;

/// The clock.
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
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Waits before a request is sent again.
    pub timer: Arc<dyn Timer>,
    /// The source of ids, tokens and random numbers.
    pub ids: Arc<Ids>,
    /// Keeps the keys of encrypted attributes.
    pub keyring: Arc<dyn Keyring>,
    /// Carries out what a design does outside of the database.
    pub effects: Arc<dyn Effects>,
    /// Seals cursors; runtimes that serve the same clients share it.
    pub cursor_key: [u8; 32],
    /// The prefix of the deployed name of every table.
    pub table_prefix: Option<String>,
    /// The values of the design's parameters.
    pub parameters: BTreeMap<String, String>,
    /// How expensive `bcrypt` is: the logarithm of its rounds.
    pub bcrypt_cost: u32,
    /// Runs CPU-heavy work to completion, such as a `bcrypt`. If calls share the threads of an async runtime, it moves
    /// the work off them, so that other calls go on meanwhile.
    pub aside: Aside,
    /// Called for every pattern that is called; none if answers are not compared.
    pub observer: Option<Arc<dyn Observer>>,
}

/// Somebody who watches what is read: a migration that compares answers.
pub trait Observer: Send + Sync {
    /// A pattern is called, with these values for attributes of its first entity.
    fn reads(&self, pattern: PatternId, known: Fields);
}

impl Settings {
    /// Settings of a core whose calls are tasks: the host of a task is asked for keys, pauses and hashes, and passes the
    /// time. The seed decides every id and token.
    pub fn asking(seed: [u8; 32], cursor_key: [u8; 32]) -> Settings {
        Settings {
            clock: Arc::new(Nobody),
            timer: Arc::new(Nobody),
            ids: Arc::new(Ids::from_seed(seed)),
            keyring: Arc::new(Nobody),
            effects: Arc::new(NoEffects),
            cursor_key,
            table_prefix: None,
            parameters: BTreeMap::new(),
            bcrypt_cost: 12,
            aside: Arc::new(|_| ()),
            observer: None,
        }
    }

    /// How tables are called.
    pub fn naming(&self) -> Naming {
        Naming { prefix: self.table_prefix.clone(), parameters: self.parameters.clone() }
    }
}

/// Stands for the host where only tasks run, which have another way to ask it.
struct Nobody;

impl Clock for Nobody {
    fn now_ms(&self) -> u64 {
        0
    }
}

impl Timer for Nobody {
    fn pause(&self, _: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }
}

impl Keyring for Nobody {
    fn new_data_key(&self, _: &str) -> Result<DataKey, KeyError> {
        Err(KeyError("keys are asked for by tasks".to_owned()))
    }

    fn unwrap(&self, _: &str, _: &[u8]) -> Result<[u8; 32], KeyError> {
        Err(KeyError("keys are asked for by tasks".to_owned()))
    }
}
