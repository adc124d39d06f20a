//! Why a step of a migration is not taken.

use std::fmt;

use sortkey_api::ApiError;
use sortkey_core::Failure;

/// Reasons not to go on. Nothing of the step has happened, or it can be taken again.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The reasons, each a sentence that names the next step.
    pub reasons: Vec<String>,
}

impl Refusal {
    pub(crate) fn new(reason: impl Into<String>) -> Refusal {
        Refusal { reasons: vec![reason.into()] }
    }

    pub(crate) fn all(reasons: impl IntoIterator<Item = String>) -> Refusal {
        Refusal { reasons: reasons.into_iter().collect() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reasons.join("\n"))
    }
}

impl std::error::Error for Refusal {}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        Refusal::new(failure.message)
    }
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Refusal {
        Refusal::new(error.to_string())
    }
}
