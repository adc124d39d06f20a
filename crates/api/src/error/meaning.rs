//! The meaning of an error to a program, as a type: the one place where AWS's texts are parsed rather than
//! written.
//!
//! DynamoDB distinguishes some faults by their texts alone. Code that acts on them uses these types, and never reads a
//! message.

use super::{ApiError, CancellationReason, ErrorDetails, ErrorKind, Refused};
use crate::text::value::TOO_DEEP;

/// The fault for which a request was refused, if its sender can act on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A value nests deeper than DynamoDB stores.
    TooDeep,
    /// A part of a key is empty: the attribute, where it is named.
    EmptyKey(Option<String>),
    /// The item or the request is larger than DynamoDB takes.
    TooLarge,
    /// Something was to be changed inside an object that is not there.
    NoParent,
    /// A layer above DynamoDB refuses it.
    Refused(Refused),
}

/// Why a part of a transaction led to its cancellation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It did not.
    None,
    /// Its condition does not hold.
    Condition,
    /// Another request is at work on the item.
    Conflict,
    /// There is too much to do at the moment.
    Throttled,
    /// It cannot be carried out.
    Fault(Option<Fault>),
}

/// Whether the same request may be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// It was not carried out, and may be a moment later.
    Refused,
    /// Whether it was carried out is not known.
    Unknown,
    /// It would be answered the same.
    Never,
}

impl ApiError {
    /// The fault for which the request was refused; `None` if its sender cannot act on it.
    pub fn fault(&self) -> Option<Fault> {
        if let Some(ErrorDetails::Refused(refused)) = self.details.as_deref() {
            return Some(Fault::Refused(*refused));
        }
        match self.kind {
            ErrorKind::ItemCollectionSizeLimitExceededException => Some(Fault::TooLarge),
            ErrorKind::ValidationException => fault(&self.message),
            _ => None,
        }
    }

    /// Whether the request may be sent again. An unknown error counts as unsafe to repeat.
    pub fn again(&self) -> Again {
        match self.kind {
            ErrorKind::TransactionConflictException
            | ErrorKind::TransactionInProgressException
            | ErrorKind::ProvisionedThroughputExceededException
            | ErrorKind::RequestLimitExceeded
            | ErrorKind::ThrottlingException => Again::Refused,
            ErrorKind::TransactionCanceledException if self.is_hasty() => Again::Refused,
            ErrorKind::InternalServerError | ErrorKind::ServiceUnavailableException => Again::Unknown,
            _ => Again::Never,
        }
    }

    /// Whether the sender is to slow down.
    pub fn is_throttled(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::ProvisionedThroughputExceededException
                | ErrorKind::RequestLimitExceeded
                | ErrorKind::ThrottlingException
        )
    }

    /// Whether every cancellation reason is transient.
    fn is_hasty(&self) -> bool {
        let hasty = |cause| matches!(cause, Cause::None | Cause::Conflict | Cause::Throttled);
        self.reasons().is_some_and(|reasons| reasons.iter().all(|reason| hasty(reason.cause())))
    }

    /// Why a transaction was cancelled, part by part.
    pub fn reasons(&self) -> Option<&[CancellationReason]> {
        match self.details.as_deref() {
            Some(ErrorDetails::CancellationReasons(reasons)) => Some(reasons),
            _ => None,
        }
    }
}

impl ApiError {
    /// Whether nothing answered: the request was not sent, or its answer was lost.
    pub fn is_unanswered(&self) -> bool {
        matches!(self.details.as_deref(), Some(ErrorDetails::NoAnswer { .. }))
    }
}

impl CancellationReason {
    /// Whether this part is not well formed, so that it would be refused by itself as well.
    pub fn is_invalid(&self) -> bool {
        self.code == "ValidationError"
    }

    /// Why this part led to the cancellation of its transaction.
    pub fn cause(&self) -> Cause {
        match self.code.as_str() {
            "None" => Cause::None,
            "ConditionalCheckFailed" => Cause::Condition,
            "TransactionConflict" => Cause::Conflict,
            "ThrottlingError" | "ProvisionedThroughputExceeded" => Cause::Throttled,
            "ItemCollectionSizeLimitExceeded" => Cause::Fault(Some(Fault::TooLarge)),
            _ => Cause::Fault(self.message.as_deref().and_then(fault)),
        }
    }
}

/// The fault that a validation error describes.
fn fault(message: &str) -> Option<Fault> {
    if message.contains(TOO_DEEP) {
        return Some(Fault::TooDeep);
    }
    if message.contains("empty string value") {
        // The error about an update expression does not name the attribute.
        let named = message.rsplit_once("Key: ").map(|(_, name)| name.trim().to_owned());
        return Some(Fault::EmptyKey(named));
    }
    if message.contains("document path provided in the update expression is invalid") {
        return Some(Fault::NoParent);
    }
    (message.contains("size") && message.contains("exceeded")).then_some(Fault::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_validation_errors_have_a_meaning() {
        for (message, expected) in [
            (TOO_DEEP, Some(Fault::TooDeep)),
            (
                "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: PK",
                Some(Fault::EmptyKey(Some("PK".to_owned()))),
            ),
            (
                "The AttributeValue for a key attribute cannot contain an empty string value.",
                Some(Fault::EmptyKey(None)),
            ),
            ("Item size has exceeded the maximum allowed size", Some(Fault::TooLarge)),
            (
                "The document path provided in the update expression is invalid for update",
                Some(Fault::NoParent),
            ),
            ("The provided key element does not match the schema", None),
        ] {
            assert_eq!(ApiError::validation(message).fault(), expected, "{message}");
            let reason = CancellationReason::new("ValidationError", message);
            assert_eq!(reason.cause(), Cause::Fault(expected), "{message}");
        }
        assert_eq!(ApiError::new(ErrorKind::LimitExceededException, "size exceeded").fault(), None);
    }

    #[test]
    fn only_what_is_known_to_be_safe_is_sent_again() {
        let safe: Vec<&str> = ErrorKind::ALL
            .iter()
            .filter(|kind| ApiError::new(**kind, "").again() != Again::Never)
            .map(|kind| kind.name())
            .collect();
        assert_eq!(safe.len(), 7, "{safe:?}");
        let cancelled = |codes: &[&str]| {
            let reasons = codes.iter().map(|code| CancellationReason::new(*code, "")).collect();
            ApiError::new(ErrorKind::TransactionCanceledException, "")
                .with_details(ErrorDetails::CancellationReasons(reasons))
                .again()
        };
        assert_eq!(cancelled(&["None", "TransactionConflict", "ThrottlingError"]), Again::Refused);
        assert_eq!(cancelled(&["TransactionConflict", "ConditionalCheckFailed"]), Again::Never);
        assert_eq!(cancelled(&["SomethingNew"]), Again::Never);
    }
}
