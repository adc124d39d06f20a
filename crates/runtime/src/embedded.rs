//! The engine in this process as a backend.

use sortkey_engine::Engine;
use sortkey_storage::Clock;

/// A DynamoDB in this process.
#[derive(Clone)]
pub struct Embedded(Engine);

impl Embedded {
    /// A backend over an engine; clones of the engine see the same database.
    pub fn new(engine: Engine) -> Embedded {
        Embedded(engine)
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.0
    }
}

/// The database's own clock, which tests can move: a design that runs on it agrees with it about what has expired.
impl Clock for Embedded {
    fn now_ms(&self) -> u64 {
        self.0.now_ms()
    }
}
