//! A compiled design executed: its patterns and operations, on the engine in process or on any DynamoDB.
//!
//! A [`Runtime`] is a design bound to a [`Backend`]. It is prepared once; a [`Call`] names a pattern or an operation and
//! carries JSON in the design's own types, never DynamoDB's. The runtime knows nothing of HTTP, nor of how the backend
//! is reached.

mod anatomy;
mod answer;
mod arguments;
mod backend;
mod call;
mod catalog;
mod condition;
mod cursor;
pub mod deploy;
mod embedded;
mod evaluate;
mod failure;
mod generate;
mod guard;
mod interpret;
mod keyring;
pub mod measure;
mod operate;
mod pause;
mod proof;
mod read;
mod reply;
mod runtime;
mod seal;
pub mod seeding;
mod session;
mod settings;
mod template;
pub mod testing;
mod values;
mod write;

pub use arguments::{Arguments, read_json};
pub use backend::{Backend, Pending};
pub use call::{Answer, Call, Caller, Consumed};
pub use embedded::Embedded;
pub use failure::{Failure, FailureKind};
pub use keyring::{DataKey, KeyError, KeyFile, Keyring};
pub use reply::Reply;
pub use runtime::{Problem, Runtime};
pub use settings::{Aside, Ids, Settings};
