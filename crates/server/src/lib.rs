//! DynamoDB's wire: an HTTP server that any AWS SDK takes for the real one.
//!
//! The crate implements HTTP, signatures, compression, checksums, limits and timeouts. It dispatches operations by
//! name, and leaves their execution to the [`Backend`] it is given. One port serves both APIs at `POST /`, health at
//! `GET /`, `/ready`, `/metrics`, the administration routes of an [`Admin`], and any other [`Mount`].
//!
//! Invariants:
//! - A client can cost the server one connection's memory and time, never more: sizes are bounded before
//!   they are allocated, and slow clients are disconnected.
//! - A panic below is a 500 for one request.
//! - Answering a request spawns no task, starts no timer and takes no lock.

mod admin;
mod audit;
mod authorization;
mod backend;
mod body;
mod connection;
mod connections;
mod contain;
mod cors;
mod database;
mod dynamodb;
mod encoding;
pub mod form;
mod framing;
mod guard;
mod head;
mod iam;
mod locality;
mod meter;
mod metrics;
mod mount;
mod progress;
mod refusal;
mod reply;
mod request_id;
mod routes;
mod server;
mod settings;
mod shared;
mod signed;
mod stage;
mod status;
mod sts;
mod target;
mod tls;

pub use crate::admin::{
    Admin, AdminError, Backup, Clock, ClockChange, Expired, Fault, Fork, NewFork, Recorded, Tuning,
    TuningChange, Verified, admin_mount,
};
pub use crate::audit::Audit;
pub use crate::backend::{Backend, Call, ForkName, Readiness, ResourcePolicy};
pub use crate::database::Database;
pub use crate::guard::{AccessMode, Administrators, Guard};
pub use crate::iam::Iam;
pub use crate::mount::{Access, Content, Handler, Mount, Peer};
pub use crate::server::Server;
pub use crate::settings::{MoreMetrics, Settings};
pub use crate::stage::{Ending, Stage};
pub use crate::tls::{Tls, TlsError};

/// The HTTP vocabulary of a [`Handler`].
pub use hyper::{self, body::Bytes};
