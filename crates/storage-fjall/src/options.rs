//! The options of a durable store.

use std::time::Duration;

use sortkey_storage::DataKey;

/// The failures that an acknowledged write survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// A power failure: every commit is fsynced before it is visible.
    #[default]
    Fsync,
    /// A crash of the process, not one of the machine: commits are handed to the operating system.
    Os,
}

/// How a store is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The failures that an acknowledged write survives.
    pub durability: Durability,
    /// Memory for blocks that were read before. Besides it, up to 100 MB hold what is not yet in tables.
    pub cache_bytes: u64,
    /// Space that is set aside once the store is larger than that, so that a full disk can be emptied by deleting.
    pub reserve_bytes: u64,
    /// Within which time every file is read again to find damage; `None` reads none.
    pub scrub_interval: Option<Duration>,
    /// The key that values are encrypted with. A store is encrypted when it is created with a key, and only then.
    pub data_key: Option<DataKey>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            durability: Durability::Fsync,
            cache_bytes: 256 * 1024 * 1024,
            reserve_bytes: 16 * 1024 * 1024,
            scrub_interval: None,
            data_key: None,
        }
    }
}
