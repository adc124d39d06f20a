//! The requests that are worth another attempt.
//!
//! Invariant: a request that would act again when it is repeated is repeated only if it surely did not happen: DynamoDB
//! refused it, or it was never sent. A counter that counts one call twice is worse than a call that fails.

use std::error::Error;

use aws_smithy_runtime::client::retries::classifiers::TransientErrorClassifier;
use aws_smithy_runtime_api::client::interceptors::context::InterceptorContext;
use aws_smithy_runtime_api::client::retries::classifiers::{ClassifyRetry, RetryAction};
use hyper_util::client::legacy::Error as ConnectionError;
use sortkey_api::{ApiError, ErrorKind};

/// Repeats what DynamoDB asks to repeat, and what may be repeated without harm.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retryable {
    /// Whether the requests it judges may happen twice.
    pub(crate) harmless: bool,
}

impl ClassifyRetry for Retryable {
    fn classify_retry(&self, context: &InterceptorContext) -> RetryAction {
        let Some(Err(error)) = context.output_or_error() else { return RetryAction::NoActionIndicated };
        if let Some(error) = error.as_operation_error().and_then(|error| error.downcast_ref::<ApiError>()) {
            return action(error.kind, self.harmless);
        }
        let unsent = error.as_connector_error().is_some_and(|error| never_sent(error));
        if self.harmless || unsent {
            TransientErrorClassifier::<ApiError>::new().classify_retry(context)
        } else {
            RetryAction::RetryForbidden
        }
    }

    fn name(&self) -> &'static str {
        "DynamoDB exceptions, and connections that break"
    }
}

/// Whether a request may happen twice: it only reads, carries a token by which DynamoDB recognises it, or writes the same
/// again. `target` is as it is sent: `DynamoDB_20120810.GetItem`.
pub(crate) fn is_harmless(target: &str) -> bool {
    let operation = target.rsplit('.').next().unwrap_or_default();
    !matches!(
        operation,
        "PutItem" | "UpdateItem" | "DeleteItem" | "CreateTable" | "UpdateTable" | "DeleteTable"
    )
}

/// Whether an error means that nothing was sent, because there was no connection.
pub(crate) fn never_sent(error: &(dyn Error + 'static)) -> bool {
    find::<ConnectionError>(error).is_some_and(ConnectionError::is_connect)
}

/// An error of this type among the reasons of another.
pub(crate) fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        match error.downcast_ref::<E>() {
            Some(found) => return Some(found),
            None => next = error.source(),
        }
    }
    None
}

fn action(kind: ErrorKind, harmless: bool) -> RetryAction {
    match kind {
        ErrorKind::ProvisionedThroughputExceededException
        | ErrorKind::RequestLimitExceeded
        | ErrorKind::ThrottlingException
        | ErrorKind::TransactionInProgressException => RetryAction::throttling_error(),
        ErrorKind::InternalServerError | ErrorKind::ServiceUnavailableException if harmless => {
            RetryAction::server_error()
        }
        _ => RetryAction::RetryForbidden,
    }
}
