//! The crate from outside: statements in, trees, plans and DynamoDB's error texts out.

// Helpers of tests may fail as tests may.
#![allow(clippy::unwrap_used, clippy::panic)]

mod conditions;
mod errors;
mod plans;
mod properties;
mod statements;
mod support;
