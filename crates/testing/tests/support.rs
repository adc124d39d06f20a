//! Shared by the tests with made-up designs.

pub(crate) mod answers;
pub(crate) mod conditions;
pub(crate) mod design;
pub(crate) mod mutation;
pub(crate) mod naive;
pub(crate) mod order;
