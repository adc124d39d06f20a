//! A remote DynamoDB, as a [`Backend`](sortkey_api::Backend): AWS, ScyllaDB Alternator, DynamoDB Local, another
//! `sortkey serve`.
//!
//! The AWS SDK for Rust provides credentials and region as every AWS tool finds them, signatures, connections, TLS,
//! timeouts, retries with backoff and jitter. The messages are our own shapes from `sortkey-api`, encoded and
//! decoded by it, so that nothing is converted twice and no digit of a number is lost.
//!
//! [`Kms`] reaches AWS KMS the same way, for keyrings whose key it keeps.
//!
//! Invariant: an answer is DynamoDB's, or a [`ServiceUnavailableException`](sortkey_api::ErrorKind) with the reason why
//! there is none; a request waits no longer than [`Settings::patience`] in all.

mod backend;
mod client;
mod identity;
mod kms;
mod retry;
mod settings;
mod trouble;
mod wire;

pub use client::Remote;
pub use kms::Kms;
pub use settings::{BadEndpoint, Credentials, Settings};
