//! Tools for a design besides running it: its tests, the races in them, mutants of it, measurements of its calls
//! compared with its plan, and generated data.
//!
//! Tests run on the engine in this process, or on tables of their own in a remote DynamoDB.

pub mod measure;
pub mod recording;
pub mod seeding;
mod suite;

pub use suite::{Mutant, Outcome, Suite, Survey, invariants, mutants, survey};
