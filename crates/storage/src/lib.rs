//! The narrow waist between the database and its stores: ordered bytes and one way to write them.
//!
//! A [`Store`] handles bytes only: [`get`](Snapshot::get) and [`range`](Snapshot::range) on a snapshot, and an
//! atomic [`commit`](Store::commit). It has no notion of tables, items or locks. Everything that makes
//! concurrent writers safe is implemented here, once for all stores: the [`Committer`] takes a write's locks,
//! lets it read under them, merges the batches of waiting writes into one commit and publishes the new
//! snapshot.
//!
//! Invariants:
//! - What a snapshot shows is durable in the store's own sense, and a snapshot never changes.
//! - Batches become visible whole, in the order of their versions; times never go back.
//! - A lock is held from before a write reads until after its batch is visible.
//! - No thread waits for another: waiting is a [`Ticket`].

pub mod backup;
mod batch;
mod clock;
mod committer;
pub mod contract;
mod encrypted_file;
mod encryption;
mod error;
mod locks;
mod memory;
mod store;
mod ticket;

pub use batch::{Batch, Counts, Stamp};
pub use clock::{Clock, SystemClock};
pub use committer::{Committer, Conflict, Published, Visible, Write};
pub use encrypted_file::{
    EncryptedFileError, EncryptedReader, EncryptedWriter, LockedFile, is_encrypted_file,
};
pub use encryption::{Cipher, DataKey, KeySealer, TAG_BYTES, random};
pub use error::StorageError;
pub use locks::{Lock, Mode};
pub use memory::MemoryStore;
pub use store::{Change, Commit, Entry, Key, Order, Snapshot, Store, Value};
pub use ticket::{Promise, Ticket, promise};
