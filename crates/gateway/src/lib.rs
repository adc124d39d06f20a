//! The operations API: every pattern and operation of a design as an HTTP route, in the design's own types.
//!
//! `POST /api/<name>` and `POST /api/<module>/<function>` take a JSON object of arguments; patterns answer `GET` too, with
//! query parameters. Answers are plain JSON, pages are `{"items": [...], "cursor": ...}`, errors are
//! `application/problem+json`. `/openapi.json` describes all of it to programs and `/docs` to people.
//!
//! The crate deals with HTTP and the runtime, and neither with tables nor with DynamoDB. A [`Gateway`] plugs into
//! `sortkey-server` as [`Mount`](sortkey_server::Mount)s beside the DynamoDB API.
//!
//! Invariant: nobody but an administrator, or a program on this machine where the API is open, chooses its own caller
//! or reaches a `system` declaration.

mod admission;
mod answer;
mod arguments;
mod endpoints;
mod example;
mod gateway;
mod keys;
mod limits;
mod live;
mod openapi;
mod page;
mod problem;
mod query;
mod routes;

pub use admission::Admission;
pub use example::call as example_call;
pub use gateway::{Forks, Gateway};
pub use keys::{ApiKeys, Holder, KeysError, NewKey};
pub use live::{Full, Live};
pub use openapi::document;
