//! Reads: what a query or scan reads from, the pages it answers, what it costs, and the expressions of a request.

pub(crate) mod capacity;
pub(crate) mod consumed;
pub(crate) mod expressions;
pub(crate) mod legacy;
pub(crate) mod page;
pub(crate) mod selection;
pub(crate) mod source;
pub(crate) mod starting_key;
