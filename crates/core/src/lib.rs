//! A compiled design executed: its patterns and operations, on the engine in process or on any DynamoDB.
//!
//! A [`Runtime`] is a design bound to a [`Backend`]. It is prepared once; a [`Call`] names a pattern or an operation and
//! carries JSON in the design's own types, never DynamoDB's. There is no I/O in this crate, no clock and no randomness of its
//! own: [`Settings`] bring them.

mod anatomy;
mod answer;
mod arguments;
mod ask;
mod call;
mod catalog;
mod condition;
mod core;
mod cursor;
mod declared;
mod drive;
mod effects;
mod evaluate;
mod failure;
mod fence;
#[cfg(test)]
mod fixture;
mod generate;
mod guard;
mod ids;
pub mod internals;
mod interpret;
mod join;
mod keyring;
mod machine;
mod mapped;
mod names;
mod notes;
mod operate;
mod outbox;
mod prepared;
mod proof;
mod read;
mod reply;
mod rewrite;
mod runtime;
mod seal;
mod session;
mod settings;
mod shown;
mod task;
mod template;
mod values;
mod workers;
mod write;

pub use self::core::Core;
pub use arguments::{Arguments, read_json};
pub use ask::{Ask, AskId, Told};
pub use call::{Answer, Call, Caller, Consumed};
pub use declared::declared_errors;
pub use drive::drive;
pub use effects::{Deed, Effects, NoEffects, Outgoing, Performed, Performing};
pub use evaluate::{Computation, Computed, compute, hash_password};
pub use failure::{Failure, FailureKind, Fault};
pub use ids::{Entered, Ids, RECORDED_BYTES};
pub use keyring::{DataKey, KeyError, Keyring};
pub use machine::Machine;
pub use names::{Naming, parameter_values, table_name};
pub use notes::{Note, Notes};
pub use prepared::Problem;
pub use reply::Reply;
pub use runtime::Runtime;
pub use settings::{Aside, Clock, Observer, Settings, Timer};
pub use shown::Shown;
pub use sortkey_api::{Backend, Pending, Requests};
pub use task::{Finished, Step, Task};
pub use workers::{Claim, Due, DuePage, Incoming, LETTERS, NO_NOTES, Ran, Turn, UNCHANGED, Which};
