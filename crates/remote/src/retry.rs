//! Which answers are worth another attempt. Connections that break and attempts that time out are the SDK's own to judge.

use aws_smithy_runtime_api::client::interceptors::context::InterceptorContext;
use aws_smithy_runtime_api::client::retries::classifiers::{ClassifyRetry, RetryAction};
use sortkey_api::{ApiError, ErrorKind};

/// Repeats what DynamoDB asks to repeat.
#[derive(Debug)]
pub(crate) struct Retryable;

impl ClassifyRetry for Retryable {
    fn classify_retry(&self, context: &InterceptorContext) -> RetryAction {
        let error = context.output_or_error().and_then(Result::err);
        let error = error.and_then(|error| error.as_operation_error()?.downcast_ref::<ApiError>());
        error.map_or(RetryAction::NoActionIndicated, |error| action(error.kind))
    }

    fn name(&self) -> &'static str {
        "DynamoDB exceptions"
    }
}

fn action(kind: ErrorKind) -> RetryAction {
    match kind {
        ErrorKind::ProvisionedThroughputExceededException
        | ErrorKind::RequestLimitExceeded
        | ErrorKind::ThrottlingException
        | ErrorKind::TransactionInProgressException => RetryAction::throttling_error(),
        ErrorKind::InternalServerError | ErrorKind::ServiceUnavailableException => {
            RetryAction::server_error()
        }
        _ => RetryAction::RetryForbidden,
    }
}
