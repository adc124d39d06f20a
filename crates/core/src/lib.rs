//! A compiled design executed: its patterns and operations, on the engine in process or on any DynamoDB.
//!
//! A [`Runtime`] is a design bound to a [`Backend`]. It is prepared once; a [`Call`] names a pattern or an operation and
//! carries JSON in the design's own types, never DynamoDB's. There is no I/O in this crate, no clock and no randomness of its
//! own: [`Settings`] bring them.

mod anatomy;
mod answer;
mod arguments;
mod call;
mod catalog;
mod condition;
mod cursor;
mod evaluate;
mod failure;
#[cfg(test)]
mod fixture;
mod generate;
mod guard;
mod ids;
pub mod internals;
mod interpret;
mod keyring;
mod names;
mod operate;
mod proof;
mod read;
mod reply;
mod rewrite;
mod runtime;
mod seal;
mod session;
mod settings;
mod signature;
mod template;
mod values;
mod write;

pub use arguments::{Arguments, read_json};
pub use call::{Answer, Call, Caller, Consumed};
pub use failure::{Failure, FailureKind};
pub use ids::Ids;
pub use keyring::{DataKey, KeyError, Keyring};
pub use names::{Naming, parameter_values, table_name};
pub use reply::Reply;
pub use runtime::{Problem, Runtime};
pub use settings::{Aside, Clock, Settings, Timer};
pub use signature::{Kind, Parameter, Signature, Yields};
pub use sortkey_api::{Backend, Pending, Requests};
