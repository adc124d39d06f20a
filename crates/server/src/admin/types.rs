//! The types of the administration routes. The JSON form of each type is its fields in camelCase; an unknown
//! field is refused, so that a misspelt one is not silently ignored.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::backend::ForkName;

/// The database's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Clock {
    /// Milliseconds since 1970.
    pub now_ms: u64,
}

/// A request to move the clock. Exactly one field is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ClockChange {
    /// To this many milliseconds since 1970, from where it runs on.
    SetMs(u64),
    /// By this many milliseconds; negative ones lead back.
    AdvanceMs(i64),
    /// To this many milliseconds since 1970, where it stops.
    StopMs(u64),
}

/// The result of an expiry run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Expired {
    /// Items deleted.
    pub deleted: u64,
}

/// The contents of a database, and their inconsistencies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verified {
    /// Whether everything fits.
    pub sound: bool,
    /// One line per table.
    pub tables: Vec<String>,
    /// The first problems, each with its place.
    pub problems: Vec<String>,
}

/// A fork that exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fork {
    /// Its name.
    pub name: ForkName,
    /// The fork it was made from; none for the main database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<ForkName>,
}

/// A fork to be made.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewFork {
    /// Its name; must be new.
    pub name: ForkName,
    /// The fork to copy; the main database if none.
    #[serde(default)]
    pub from: Option<ForkName>,
    /// Whether its requests are recorded.
    #[serde(default)]
    pub record: bool,
}

/// A request that was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recorded {
    /// The operation.
    pub operation: &'static str,
    /// The body as it came.
    pub body: String,
}

/// Failures to come, for requests that match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Fault {
    /// So many requests are throttled.
    pub throttle: u32,
    /// So many batch requests come back with all but their first entry unprocessed.
    pub unprocessed: u32,
    /// So many transactions are cancelled for a conflict.
    pub conflict: u32,
    /// Only requests of this operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Only requests that concern this table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
}

/// Deviations from an ideal database that AWS shows too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tuning {
    /// How long a write takes to reach the global secondary indexes.
    pub gsi_delay_ms: u64,
}

/// A request to change some of the tuning; omitted settings stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TuningChange {
    /// How long a write takes to reach the global secondary indexes.
    pub gsi_delay_ms: Option<u64>,
}

/// Why an act of administration failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AdminError {
    /// The request is invalid, for this reason.
    #[error("{0}")]
    Invalid(String),
    /// There is no such thing.
    #[error("{0}")]
    NotFound(String),
    /// There is such a thing already.
    #[error("{0}")]
    Exists(String),
    /// The database could not do it.
    #[error("{0}")]
    Failed(String),
}
