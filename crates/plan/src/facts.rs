//! Small questions about a program: the sources of a key, the items in an index, and implications between conditions.

mod implication;
mod keys;
mod membership;

pub(crate) use implication::Known;
pub(crate) use keys::told;
pub use keys::{TextOrder, settles, slots, text_order};
pub use membership::{Membership, membership};
