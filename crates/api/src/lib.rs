//! DynamoDB's surface, and nothing behind it: every operation's input and output, their JSON form, their
//! constraints as data, error kinds and texts. No tables, no storage, no HTTP.
//!
//! The one list of operations is in [`operations`]; the shapes of their members are in [`shapes`]. An
//! operation is decoded with [`decode`], which reports malformed JSON, wrong types and violated constraints
//! in AWS's words, and its output is written with [`encode`]. DynamoDB's JSON names appear only in this
//! crate.

pub mod attributes;
mod backend;
pub mod error;
mod exchange;
pub mod json;
pub mod operations;
pub mod shape;
pub mod shapes;
mod text;
mod wording;

pub use attributes::{SuppliedItem, SuppliedValue, ValueFault};
pub use backend::{Backend, Pending, Requests};
pub use error::{
    Again, ApiError, CancellationReason, Cause, ErrorDetails, ErrorKind, Fault, Refused, ThrottlingReason,
};
pub use operations::{Exchanged, Operation, OperationId, Request, Response, Service};
pub use shape::{StringMap, TableName, Timestamp, check, decode, decode_output, encode};
pub use wording::Wording;
