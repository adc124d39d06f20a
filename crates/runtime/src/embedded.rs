//! The engine in this process as a backend.

use sortkey_engine::Engine;

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
