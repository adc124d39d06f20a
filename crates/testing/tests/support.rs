//! What the tests with made-up designs share.

pub(crate) mod answers;
pub(crate) mod conditions;
pub(crate) mod design;
pub(crate) mod kinds;
pub(crate) mod model;
pub(crate) mod mutation;
pub(crate) mod naive;
pub(crate) mod operations;
pub(crate) mod order;
pub(crate) mod questions;
