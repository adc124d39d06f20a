//! Guarantees that hold for many clients at once: nothing lost, nothing twice, nothing half done.
//!
//! Each test states an invariant, lets real clients race for it over real connections, and checks it from
//! outside. None depends on how the engine keeps it.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod conditional_puts;
mod counters;
mod index_backfill;
mod parallel_scans;
mod transfers;
