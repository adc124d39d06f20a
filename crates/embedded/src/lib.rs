//! A design at work on this machine: the engine in process as a backend, the machine's clock and randomness, keys in files.
//!
//! Nothing of this is in `sortkey-core`, which runs designs, nor in `sortkey-remote`, which reaches a DynamoDB elsewhere.

mod backend;
mod block_on;
mod keys;
mod pause;
mod random;
mod settings;

pub use backend::Embedded;
pub use block_on::block_on;
pub use keys::KeyFile;
pub use pause::{Threads, pause};
pub use random::{random, random_ids};
pub use settings::{SystemClock, ephemeral};
