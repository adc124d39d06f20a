//! A design at work on this machine: the engine in process as a backend, the machine's clock and randomness, keys in files.
//!
//! Nothing of this is in `sortkey-core`, which runs designs, nor in `sortkey-remote`, which reaches a DynamoDB elsewhere.

mod backend;
mod keys;
mod pause;
mod random;
mod settings;

pub use backend::Embedded;
pub use keys::KeyFile;
pub use pause::{Threads, pause};
/// Waits for an answer on this thread. The engine answers by itself, whatever else this thread would do.
pub use pollster::block_on;
pub use random::{random, random_ids};
pub use settings::{SystemClock, ephemeral};
