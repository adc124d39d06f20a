//! The reasons why no answer arrived, each with what to look at.

use std::error::Error;

use aws_credential_types::provider::error::CredentialsError;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::{ConnectorError, SdkError};
use sortkey_api::{ApiError, ErrorDetails, ErrorKind};

use crate::retry::{find, is_harmless, never_sent};

/// As much of an answer as helps to recognise who gave it.
const EXCERPT: usize = 80;

/// The error of a request: DynamoDB's own, or why there is none.
pub(crate) fn explain(endpoint: &str, target: &str, error: SdkError<ApiError, HttpResponse>) -> ApiError {
    let unsent = match &error {
        SdkError::DispatchFailure(failure) => {
            failure.as_connector_error().is_some_and(|error| never_sent(error))
        }
        SdkError::ConstructionFailure(_) => true,
        SdkError::ServiceError(answered) => is_refusal(answered.err().kind),
        _ => false,
    };
    let is_answered = matches!(error, SdkError::ServiceError(_));
    let mut error = reason(endpoint, error);
    if !is_answered && error.kind == ErrorKind::ServiceUnavailableException {
        let may_have_happened = !unsent && is_write(target);
        error = error.with_details(ErrorDetails::NoAnswer { may_have_happened });
    }
    if !unsent && error.kind != ErrorKind::UnrecognizedClientException {
        doubt(target, &mut error);
    }
    error
}

/// Whether a request changes something, if it is carried out.
fn is_write(target: &str) -> bool {
    let operation = target.rsplit('.').next().unwrap_or_default();
    let reads = ["Get", "BatchGet", "TransactGet", "Query", "Scan", "Describe", "List"];
    !reads.iter().any(|read| operation.starts_with(read))
}

/// Adds that a write may have been carried out.
fn doubt(target: &str, error: &mut ApiError) {
    if !is_harmless(target) {
        error.message.push_str("; whether it was done is not known");
    }
}

/// The error for an answer that is not DynamoDB's.
pub(crate) fn not_understood(endpoint: &str, target: &str, body: &[u8]) -> ApiError {
    let text = String::from_utf8_lossy(body);
    let excerpt: String = text.chars().filter(|letter| !letter.is_control()).take(EXCERPT).collect();
    let what = format!("{endpoint} does not answer as DynamoDB does: {excerpt}");
    let mut error = ApiError::new(ErrorKind::ServiceUnavailableException, what);
    doubt(target, &mut error);
    error
}

/// Whether an error means that DynamoDB changed nothing.
fn is_refusal(kind: ErrorKind) -> bool {
    !matches!(kind, ErrorKind::InternalServerError | ErrorKind::ServiceUnavailableException)
}

fn reason(endpoint: &str, error: SdkError<ApiError, HttpResponse>) -> ApiError {
    let unavailable = |what: String| ApiError::new(ErrorKind::ServiceUnavailableException, what);
    match error {
        SdkError::ServiceError(answered) => answered.into_err(),
        SdkError::TimeoutError(_) => unavailable(format!("{endpoint} did not answer in time")),
        SdkError::DispatchFailure(failure) if failure.is_timeout() => {
            unavailable(format!("{endpoint} did not answer in time"))
        }
        SdkError::DispatchFailure(failure) => match failure.as_connector_error() {
            Some(error) if find::<CredentialsError>(error).is_some() => nobody_signs(endpoint, error),
            Some(error) => unreachable(endpoint, error, failure.is_user()),
            None => unavailable(format!("cannot reach {endpoint}")),
        },
        SdkError::ResponseError(_) => unavailable(format!("{endpoint} broke off its answer")),
        // The request was never sent, usually for lack of credentials.
        other => {
            let source = other.into_source();
            let why = source.map_or_else(|error| error.to_string(), |source| root(&*source));
            let what = format!("the request to {endpoint} cannot be made: {why}");
            ApiError::new(ErrorKind::UnrecognizedClientException, what)
        }
    }
}

fn nobody_signs(endpoint: &str, error: &ConnectorError) -> ApiError {
    let what = format!("no AWS credentials are found to sign the request to {endpoint}: {}", root(error));
    ApiError::new(ErrorKind::UnrecognizedClientException, what)
}

fn unreachable(endpoint: &str, error: &ConnectorError, ours: bool) -> ApiError {
    let kind = if ours { ErrorKind::ValidationException } else { ErrorKind::ServiceUnavailableException };
    let what = match never_sent(error) {
        true => format!("cannot reach {endpoint}: {}", root(error)),
        false => format!("the connection to {endpoint} broke: {}", root(error)),
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
