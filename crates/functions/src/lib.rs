//! Functions of webhooks, schedules and sign-ins. Every function is pure: the time, random numbers and secrets are arguments.
//!
//! The crate has no I/O, no clock and no threads, and it compiles for browsers (`wasm32-unknown-unknown`), where the same filter or
//! schedule can be tried before it is saved.
//!
//! - [`signature`] verifies incoming webhooks and signs outgoing ones; [`hmac`] is what both are made of.
//! - [`cron`] finds the next time of a schedule in a time zone.
//! - [`repeat`] finds the next time of what happens daily, weekly, monthly.
//! - [`totp`] and [`password`] check what people sign in with.
//! - [`filter`] decides whether a webhook is wanted, [`transform`] rewrites it.
//! - [`retry`] computes the time of the next attempt of a failed delivery.
//!
//! Invariants:
//! - Secrets and codes are compared in constant time, and no error contains the expected value.
//! - Work and memory are bounded by limits that are checked before anything is allocated or computed.
//! - Whatever outsiders send is an answer or a typed error, never a panic.

pub mod cron;
pub mod csv;
pub mod encoding;
pub mod filter;
pub mod hmac;
pub mod password;
pub mod pointer;
pub mod repeat;
pub mod retry;
pub mod signature;
pub mod totp;
pub mod transform;

mod config;
mod headers;
mod json;

pub use config::Place;
pub use headers::Headers;
