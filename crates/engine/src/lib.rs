//! The database: tables, items, indexes, transactions, streams, expiry. It is independent of HTTP and of the
//! store below it.
//!
//! An [`Engine`] has a typed method for every operation, and [`Engine::call`] for JSON. Every operation is one file in
//! `operations/`. Shared code is grouped by concern: `catalog`, `read`, `write`, `stream`, `history`, `jobs`.
//!
//! Invariants:
//! - Every read uses one snapshot from beginning to end; every write reads under its locks.
//! - An item, its index entries, its stream record, its history and its expiry entry change in one batch (see `write/change.rs`).
//! - Time, randomness and ids come from the engine, so that a seed and a held clock replay a run.

mod access;
mod catalog;
mod engine;
mod faults;
mod history;
mod jobs;
mod layout;
mod operations;
mod read;
mod reply;
mod settings;
mod stream;
mod text;
mod verify;
mod write;

pub use access::TableAccess;
pub use engine::Engine;
pub use faults::{Fault, FaultKind, Faults};
pub use history::History;
pub use operations::JsonReply;
pub use reply::Reply;
pub use settings::Settings;
pub use verify::{Problem, Report, TableReport, verify, verify_watched};
