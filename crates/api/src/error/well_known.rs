//! The errors that have one message, or one message with a hole: a constructor each.

use super::{ApiError, CancellationReason, ErrorDetails, ErrorKind, ThrottlingReason};
use crate::json::Malformed;
use crate::text;
use sortkey_value::Item;

impl ApiError {
    /// The input breaks the rule that `message` states.
    pub fn validation(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::ValidationException, message)
    }

    /// `One or more parameter values were invalid: ` and what exactly.
    pub fn invalid_parameter(what: impl std::fmt::Display) -> Self {
        Self::validation(text::invalid_parameter(what))
    }

    /// The body has the wrong type somewhere. AWS sends no message at all when it is not JSON.
    pub fn serialization(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::SerializationException, message)
    }

    /// The target header names no operation. AWS sends no message.
    pub fn unknown_operation() -> Self {
        Self::new(ErrorKind::UnknownOperationException, "")
    }

    /// The error of data operations, which does not name the missing resource.
    pub fn resource_not_found() -> Self {
        Self::new(ErrorKind::ResourceNotFoundException, text::RESOURCE_NOT_FOUND)
    }

    /// Control operations name the table that is missing.
    pub fn table_not_found(table: &str) -> Self {
        Self::new(ErrorKind::ResourceNotFoundException, text::table_not_found(table))
    }

    /// A table of this name exists already.
    pub fn table_exists(table: &str) -> Self {
        Self::new(ErrorKind::ResourceInUseException, text::table_exists(table))
    }

    /// The table is being created, updated or deleted.
    pub fn resource_in_use(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::ResourceInUseException, message)
    }

    /// A condition was false; `item` is what was found, when asked for.
    pub fn conditional_check_failed(item: Option<Item>) -> Self {
        let error = Self::new(ErrorKind::ConditionalCheckFailedException, text::CONDITION_FAILED);
        match item {
            Some(item) => error.with_details(ErrorDetails::Item(item)),
            None => error,
        }
    }

    /// A transaction was cancelled; the message lists the codes in order.
    pub fn transaction_canceled(reasons: Vec<CancellationReason>) -> Self {
        let codes = reasons.iter().map(|reason| reason.code.as_str()).collect::<Vec<_>>().join(", ");
        Self::new(ErrorKind::TransactionCanceledException, text::transaction_canceled(&codes))
            .with_details(ErrorDetails::CancellationReasons(reasons))
    }

    /// A transaction holds the item that a single write wanted.
    pub fn transaction_conflict() -> Self {
        Self::new(ErrorKind::TransactionConflictException, text::TRANSACTION_CONFLICT)
    }

    /// A client request token came back with other parameters.
    pub fn idempotent_parameter_mismatch() -> Self {
        Self::new(ErrorKind::IdempotentParameterMismatchException, text::TOKEN_MISMATCH)
    }

    /// A PartiQL INSERT met an item with the same key.
    pub fn duplicate_item() -> Self {
        Self::new(ErrorKind::DuplicateItemException, text::DUPLICATE_ITEM)
    }

    /// Too many control plane operations, or too many of a kind of resource.
    pub fn limit_exceeded(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::LimitExceededException, message)
    }

    /// No throughput left, for these reasons.
    pub fn throughput_exceeded(reasons: Vec<ThrottlingReason>) -> Self {
        Self::new(ErrorKind::ProvisionedThroughputExceededException, text::THROUGHPUT_EXCEEDED)
            .with_details(ErrorDetails::ThrottlingReasons(reasons))
    }

    /// An internal failure. Its cause goes to the log, never to the client.
    pub fn internal() -> Self {
        Self::new(ErrorKind::InternalServerError, text::INTERNAL)
    }
}

impl From<Malformed> for ApiError {
    fn from(_: Malformed) -> Self {
        Self::serialization("")
    }
}
