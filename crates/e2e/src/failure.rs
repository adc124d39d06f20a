//! Errors as a client sees them: a type, a text, and nothing of the SDK's wrapping.

use std::fmt::Debug;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};

/// The exception of a refused request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The bare name of the exception.
    pub code: String,
    /// The text that came with it.
    pub message: String,
}

/// The exception in a result that must be one.
///
/// # Panics
/// If the request succeeded, or failed before the service could answer.
#[track_caller]
pub fn failure<T: Debug, E, R>(result: Result<T, SdkError<E, R>>) -> Failure
where
    E: ProvideErrorMetadata + Debug,
    R: Debug,
{
    let error = result.expect_err("the request should have been refused");
    let error = error.as_service_error().expect("the service should have answered");
    Failure {
        code: error.code().unwrap_or_default().to_owned(),
        message: error.message().unwrap_or_default().to_owned(),
    }
}
