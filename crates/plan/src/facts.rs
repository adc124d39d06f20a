//! Small questions about a program that plans ask: what a key is made of, who is in an index, what follows from what.

mod implication;
mod keys;
mod membership;

pub(crate) use implication::Known;
pub(crate) use keys::told;
pub use keys::{TextOrder, settles, slots, text_order};
pub use membership::{Membership, membership};
