//! Translates errors of a backend to failures of a call.

use sortkey_api::{ApiError, ErrorKind, Fault};

use crate::{Failure, FailureKind};

/// The failure for a fault of a request.
pub(crate) fn faulty(fault: Fault, message: &str) -> Failure {
    match fault {
        Fault::TooDeep => {
            Failure::new(FailureKind::Invalid, "a value nests deeper than DynamoDB's 32 levels")
        }
        Fault::EmptyKey(None) => Failure::new(FailureKind::Invalid, "a part of a key cannot be empty"),
        Fault::EmptyKey(Some(name)) => {
            let message = format!("`{name}` is part of a key and cannot be empty");
            Failure::invalid(name, message)
        }
        Fault::TooLarge => Failure::new(FailureKind::TooLarge, message),
        Fault::NoParent => Failure::internal(message),
    }
}

/// The failure for a backend's error.
pub(crate) fn failure(error: ApiError) -> Failure {
    if let Some(fault) = error.fault() {
        return faulty(fault, &error.message);
    }
    let kind = match error.kind {
        ErrorKind::ProvisionedThroughputExceededException
        | ErrorKind::RequestLimitExceeded
        | ErrorKind::ThrottlingException => FailureKind::Throttled,
        ErrorKind::TransactionConflictException
        | ErrorKind::TransactionInProgressException
        | ErrorKind::TransactionCanceledException => FailureKind::Conflict,
        ErrorKind::InternalServerError | ErrorKind::ServiceUnavailableException => FailureKind::Unavailable,
        ErrorKind::ResourceNotFoundException => {
            return Failure::internal(
                "a table or index of the design does not exist: deploy the design first",
            );
        }
        _ => FailureKind::Internal,
    };
    Failure::new(kind, error.message)
}
