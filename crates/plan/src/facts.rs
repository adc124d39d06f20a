//! Small questions about a program: the sources of a key, the items in an index, and implications between conditions.

mod implication;
mod keys;
mod membership;

pub(crate) use implication::Known;
pub use keys::{TextOrder, settles, slots, tells_tenant, text_order, told};
pub use membership::{Membership, membership};
