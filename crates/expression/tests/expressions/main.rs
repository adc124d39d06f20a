//! The crate from outside: text in, answers and DynamoDB's error texts out.

// Helpers of tests may fail as tests may.
#![allow(clippy::unwrap_used, clippy::panic)]

mod condition_errors;
mod condition_evaluation;
mod key_conditions;
mod legacy;
mod placeholders;
mod projections;
mod support;
mod updates;
