//! What keeps an answer from arriving, in words that say what to look at.

use std::error::Error;

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use sortkey_api::{ApiError, ErrorKind};

/// The error of a request: DynamoDB's own, or why there is none.
pub(crate) fn explain(endpoint: &str, error: SdkError<ApiError, HttpResponse>) -> ApiError {
    let (kind, what) = match error {
        SdkError::ServiceError(answered) => return answered.into_err(),
        SdkError::TimeoutError(_) => {
            (ErrorKind::ServiceUnavailableException, format!("{endpoint} did not answer in time"))
        }
        SdkError::DispatchFailure(failure) if failure.is_timeout() => {
            (ErrorKind::ServiceUnavailableException, format!("{endpoint} did not answer in time"))
        }
        SdkError::DispatchFailure(failure) => {
            let why = failure.as_connector_error().map(|error| root(error)).unwrap_or_default();
            let kind = match failure.is_user() {
                true => ErrorKind::ValidationException,
                false => ErrorKind::ServiceUnavailableException,
            };
            (kind, format!("cannot reach {endpoint}: {why}"))
        }
        SdkError::ResponseError(_) => {
            (ErrorKind::ServiceUnavailableException, format!("{endpoint} broke off its answer"))
        }
        // The request was never sent: the usual reason is that nobody is there to sign it.
        other => {
            let why = other.into_source().map_or_else(|error| error.to_string(), |source| root(&*source));
            (
                ErrorKind::UnrecognizedClientException,
                format!("the request to {endpoint} cannot be made: {why}"),
            )
        }
    };
    ApiError::new(kind, what)
}

/// The innermost reason, which is the one a person can act on.
fn root(error: &(dyn Error + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
