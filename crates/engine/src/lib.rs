//! The database: tables, items, indexes, transactions, streams, expiry. It knows nothing of HTTP, nor of which
//! store is below it.
//!
//! An [`Engine`] has a typed method for every operation, and [`Engine::call`] for JSON. Every operation is one
//! file in `operations/`; what they share lies beside it.
//!
//! Invariants:
//! - Every read uses one snapshot from beginning to end; every write reads under its locks.
//! - An item, its index entries, its stream record, its history and its expiry entry change in one batch (see `change.rs`).
//! - Time, randomness and ids come from the engine, so that a seed and a held clock replay a run.

mod background;
mod backup;
mod capacity;
mod catalog;
mod change;
mod consumed;
mod declaration;
mod describe;
mod encryption;
mod engine;
mod expiry;
mod expressions;
mod faults;
mod history;
mod images;
mod jobs;
mod layout;
mod legacy;
mod mutation;
mod operations;
mod page;
mod past;
mod policy;
mod recovery;
mod reply;
mod resource;
mod restore;
mod scalar;
mod schema;
mod selection;
mod settings;
mod shard;
mod single_write;
mod source;
mod starting_key;
mod statement;
mod stream;
mod streaming;
mod table;
mod tags;
mod text;
mod throughput;
mod token;
mod transaction;
mod transfers;
mod verify;

pub use engine::Engine;
pub use faults::{Fault, FaultKind, Faults};
pub use history::History;
pub use operations::Answer;
pub use reply::Reply;
pub use settings::Settings;
pub use verify::{Problem, Report, TableReport, verify, verify_watched};
