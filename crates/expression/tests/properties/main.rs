//! Properties that hold for all trees: texts lead back to their trees, and answers equal those of a naive model
//! that works on trees of values.

// Helpers of tests may fail as tests may.
#![allow(clippy::unwrap_used, clippy::panic)]

mod conditions;
mod generate;
mod model;
mod texts;
mod updates;
