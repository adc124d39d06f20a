//! The crate from outside: text in, answers and DynamoDB's error texts out.

// Helpers of tests may fail as tests may.
#![allow(clippy::unwrap_used, clippy::panic)]

mod condition_errors;
mod condition_evaluation;
mod placeholders;
mod projections;
mod support;
