//! Shared parts of this crate's tests: a server on a real socket, SDK clients that point at it, and short
//! words for tables and values.
//!
//! Set `SORTKEY_E2E_ENDPOINT` to run the same tests against another DynamoDB, such as AWS's own or the binary
//! of a release; otherwise the server runs inside the test process.
#![allow(clippy::expect_used, reason = "a failed expectation is a failed test")]

mod clients;
mod failure;
mod table;
mod target;
mod values;

pub use crate::clients::{dynamodb, streams};
pub use crate::failure::{Failure, failure};
pub use crate::table::{Table, definition, key_element, unique_name};
pub use crate::target::{endpoint, export_dir};
pub use crate::values::{Item, b, item, n, s};
