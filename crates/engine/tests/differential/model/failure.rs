//! Errors that the model expects.

use sortkey_api::{ApiError, ErrorDetails, ErrorKind};
use sortkey_value::{Item, Map};

/// The error of a refused request.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// A ValidationException with one of these messages.
    Invalid(Vec<String>),
    /// The condition does not hold; with the item, if it was asked for.
    Condition(Option<Map>),
    /// A cancelled transaction; a reason per part.
    Canceled(Vec<Reason>),
    /// Any message will do.
    Kind(ErrorKind),
}

/// Why a part of a transaction let it be cancelled.
#[derive(Clone, Debug)]
pub(crate) enum Reason {
    Fine,
    Invalid(Vec<String>),
    Condition(Option<Map>),
}

impl Failure {
    pub(crate) fn is(&self, error: &ApiError) -> bool {
        match self {
            Failure::Invalid(messages) => {
                error.kind == ErrorKind::ValidationException && messages.contains(&error.message)
            }
            Failure::Condition(item) => {
                *error == ApiError::conditional_check_failed(item.as_ref().map(Item::from_map))
            }
            Failure::Kind(kind) => error.kind == *kind,
            Failure::Canceled(expected) => match error.details.as_deref() {
                Some(ErrorDetails::CancellationReasons(reasons)) => {
                    error.kind == ErrorKind::TransactionCanceledException
                        && reasons.len() == expected.len()
                        && expected.iter().zip(reasons).all(|(expected, reason)| expected.is(reason))
                }
                _ => false,
            },
        }
    }
}

impl Reason {
    fn is(&self, reason: &sortkey_api::CancellationReason) -> bool {
        let message = reason.message.clone().unwrap_or_default();
        match self {
            Reason::Fine => reason.code == "None" && reason.message.is_none() && reason.item.is_none(),
            Reason::Invalid(messages) => reason.code == "ValidationError" && messages.contains(&message),
            Reason::Condition(item) => {
                reason.code == "ConditionalCheckFailed"
                    && message == "The conditional request failed"
                    && reason.item == item.as_ref().map(Item::from_map)
            }
        }
    }
}
