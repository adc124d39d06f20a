//! The durable store: ordered bytes in a directory, on fjall. No other crate depends on fjall or reads its files.
//!
//! [`FjallStore`] keeps what [`sortkey_storage::Store`] promises: a commit is one atomic batch that is on the
//! device before it is visible. On top of fjall it has four parts:
//!
//! - the directory (`directory.rs`, `format.rs`, `lock.rs`): one process at a time, and never an empty start where
//!   data was before;
//! - the commit record (`record.rs`), part of every batch, and its copy beside the journal (`progress.rs`), so that
//!   a journal which lost its end is noticed;
//! - a reading of fjall's own files before fjall opens them (`journal.rs`, `manifest.rs`), since fjall cuts a damaged
//!   journal and removes tables that a damaged manifest forgot;
//! - a checksum over every key and value (`seal.rs`), or encryption bound to the key (`vault.rs`, `key_file.rs`).
//!
//! The byte layout and our findings about fjall are in `docs/design/durable-store.md`.
//!
//! Invariants:
//! - After a commit failed, every later commit fails, until the store is closed and opened again (`gate.rs`, `probe.rs`).
//! - Bytes that are not what was written are an error, never a value.
//! - Every snapshot was taken right after a commit, while no other was under way: fjall's own may see half a batch.

mod directory;
mod error;
mod flow;
mod format;
mod gate;
mod journal;
mod key_file;
mod lock;
mod manifest;
mod opening;
mod options;
mod private;
mod probe;
mod progress;
mod reclaim;
mod record;
mod reserve;
mod restore;
mod scrub;
mod seal;
mod session;
mod shadow;
mod slow;
mod snapshot;
mod store;
mod vault;

pub use error::OpenError;
pub use options::{Durability, Options};
pub use restore::{RestoreError, Restoring};
pub use scrub::{Damage, scrub};
pub use store::FjallStore;
