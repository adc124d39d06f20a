//! The parts of the clients of `sortkey generate rust`.
//!
//! A generated client describes a design in types. This module opens its compiled program over a backend, a [`Database`](crate::Database)
//! or a DynamoDB elsewhere, runs its calls there, and turns answers and failures into those types.
//!
//! ```ignore
//! mod links; // sortkey generate rust links.sk --out src/links
//!
//! let db = links::Links::open(Options::remote("https://dynamodb.eu-west-1.amazonaws.com").await?)?;
//! let ada = db.acting_as(&Caller::new("ada"));
//! let link = ada.links().create(NewLink::new("https://example.com")).await?;
//! ```

mod calls;
mod changes;
mod errors;
mod externs;
mod given;
mod open;
mod paged;
mod tables;
mod values;
#[cfg(test)]
mod versions;
mod watch;

pub use calls::{Call, Versioned};
pub use changes::{ChangeKind, Changed, RawChange, read_change};
pub use errors::{CommonError, DesignError, Lost, OpenError, Refused};
pub use externs::{Externs, Handling};
pub use given::Given;
pub use open::{Client, Options};
pub use paged::{Page, Paged, Pages};
pub use serde;
pub use serde_json::Value as Json;
pub use sortkey_api::{ErrorDetails, Request, Response};
pub use sortkey_core::{
    Backend, Clock, DataKey, Deed, Effects, KeyError, Keyring, Outgoing, Pending, Performed, Performing,
};
pub use sortkey_embedded::KeyFile;
pub use tables::Table;
pub use values::{AnyTime, Bytes, Decimal, Edit, NotADecimal};
pub use watch::Sent;
