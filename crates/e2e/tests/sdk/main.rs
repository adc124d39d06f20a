//! Every operation, called by the AWS SDK for Rust. A call that passes here passes for an application that was
//! written for AWS, down to the typed errors, waiters and paginators.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod backups;
mod batches;
mod coverage;
mod expiry;
mod indexes;
mod items;
mod limits;
mod policies;
mod queries;
mod refusals;
mod scans;
mod statements;
mod streams;
mod tables;
mod tags;
mod transactions;
mod transfers;
mod updates;
