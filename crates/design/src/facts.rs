//! Facts about a design that many lints use: the sources of a key, the items in an index, the actions of an
//! operation, the attributes that determine an item's key.

mod actions;
mod conditions;
mod given;
mod implication;
mod keys;
mod membership;
mod names;
pub mod used;

pub use actions::{ActionSite, Bound, actions, calls, settable};
pub use conditions::{Condition, condition};
pub use given::{can_be_given, is_made, is_made_for, must_be_given};
pub use implication::Known;
pub use keys::{Source, determined, key_attributes, known_key, settles, source, unknown_key};
pub use membership::{Membership, membership};
pub use names::is_time_name;
