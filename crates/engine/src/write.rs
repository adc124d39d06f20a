//! Writes: one item at a time or in transactions, with everything that changes along with an item.

pub(crate) mod change;
pub(crate) mod images;
pub(crate) mod mutation;
pub(crate) mod scalar;
pub(crate) mod single_write;
pub(crate) mod statement;
pub(crate) mod token;
pub(crate) mod transaction;
