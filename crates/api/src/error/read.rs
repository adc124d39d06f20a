//! An error as another DynamoDB sent it.

#![allow(unreachable_pub, reason = "`shape!` declares public structures, and these are nobody else's")]

use sortkey_value::Item;

use super::{ApiError, CancellationReason, ErrorDetails, ErrorKind, ThrottlingReason};
use crate::shape::{decode_output, shape};

shape! {
    /// The members of all errors together; each has a few of them.
    struct ErrorBody {
        type_name: Option<String> = "__type";
        message: Option<String> = "message";
        /// Some exceptions spell it so.
        capital_message: Option<String> = "Message";
        item: Option<Item> = "Item";
        cancellation_reasons: Option<Vec<ReasonBody>> = "CancellationReasons";
        throttling_reasons: Option<Vec<ThrottlingBody>> = "ThrottlingReasons";
        /// Some exceptions spell it so.
        lower_throttling_reasons: Option<Vec<ThrottlingBody>> = "throttlingReasons";
    }
}

shape! {
    /// Why one request let a transaction be cancelled.
    struct ReasonBody {
        code: Option<String> = "Code";
        message: Option<String> = "Message";
        item: Option<Item> = "Item";
    }
}

shape! {
    /// A limit that throttled a request.
    struct ThrottlingBody {
        reason: Option<String> = "reason";
        resource: Option<String> = "resource";
    }
}

impl ApiError {
    /// Reads the answer to a request that failed. A body that is not DynamoDB's, as a proxy may send it, and an unknown
    /// exception become the nearest kind, with the original text in the message.
    pub fn read(status: u16, body: &[u8]) -> ApiError {
        let Ok(body) = decode_output::<ErrorBody>(body) else {
            let said = String::from_utf8_lossy(body.get(..200).unwrap_or(body)).into_owned();
            return ApiError::new(nearest(status, ""), format!("HTTP status {status}: {said}"));
        };
        let type_name = body.type_name.unwrap_or_default();
        let name = type_name.rsplit('#').next().unwrap_or_default();
        let message = body.message.or(body.capital_message).unwrap_or_default();
        let throttling = body.throttling_reasons.or(body.lower_throttling_reasons);
        let details = match (body.item, body.cancellation_reasons, throttling) {
            (Some(item), ..) => Some(ErrorDetails::Item(item)),
            (None, Some(reasons), _) => {
                Some(ErrorDetails::CancellationReasons(reasons.into_iter().map(Into::into).collect()))
            }
            (None, None, Some(reasons)) => {
                Some(ErrorDetails::ThrottlingReasons(reasons.into_iter().map(Into::into).collect()))
            }
            (None, None, None) => None,
        };
        let known = ErrorKind::ALL.iter().find(|kind| kind.name() == name).copied();
        let error = match known {
            Some(kind) => ApiError::new(kind, message),
            None => ApiError::new(nearest(status, name), format!("{name}: {message}")),
        };
        ApiError { details: details.map(Box::new), ..error }
    }
}

/// The kind that is nearest to an unknown exception.
fn nearest(status: u16, name: &str) -> ErrorKind {
    let speaks_of = |words: &[&str]| words.iter().any(|word| name.contains(word));
    match status {
        429 => ErrorKind::ThrottlingException,
        _ if speaks_of(&["Throttl", "SlowDown", "TooManyRequests"]) => ErrorKind::ThrottlingException,
        502..=504 => ErrorKind::ServiceUnavailableException,
        500.. => ErrorKind::InternalServerError,
        401 | 403 => ErrorKind::AccessDeniedException,
        _ if speaks_of(&["Token", "Signature", "Credential", "Auth"]) => ErrorKind::AccessDeniedException,
        _ => ErrorKind::ValidationException,
    }
}

impl From<ReasonBody> for CancellationReason {
    fn from(body: ReasonBody) -> CancellationReason {
        CancellationReason { code: body.code.unwrap_or_default(), message: body.message, item: body.item }
    }
}

impl From<ThrottlingBody> for ThrottlingReason {
    fn from(body: ThrottlingBody) -> ThrottlingReason {
        ThrottlingReason {
            reason: body.reason.unwrap_or_default(),
            resource: body.resource.unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_we_write_we_read() {
        let item = Item::from([("pk", "a")]);
        let failed = CancellationReason {
            item: Some(item.clone()),
            ..CancellationReason::new("ConditionalCheckFailed", "The conditional request failed")
        };
        let reasons = ErrorDetails::CancellationReasons(vec![CancellationReason::none(), failed]);
        let limits = || {
            let reason = "TableReadProvisionedThroughputExceeded".to_owned();
            ErrorDetails::ThrottlingReasons(vec![ThrottlingReason { reason, resource: "arn".to_owned() }])
        };
        for error in [
            ApiError::validation("a \"quoted\" text"),
            ApiError::conditional_check_failed(Some(item)),
            ApiError::new(ErrorKind::TransactionCanceledException, "cancelled").with_details(reasons),
            ApiError::new(ErrorKind::ThrottlingException, "slow").with_details(limits()),
            ApiError::new(ErrorKind::RequestLimitExceeded, "slow").with_details(limits()),
        ] {
            let mut body = Vec::new();
            error.write_json(&mut body);
            assert_eq!(ApiError::read(error.status(), &body), error);
        }
    }

    #[test]
    fn strange_answers_become_the_nearest_kind() {
        for (status, body, kind, message) in [
            (
                400,
                r#"{"__type":"x#StaleTokenException","message":"old"}"#,
                ErrorKind::AccessDeniedException,
                "StaleTokenException: old",
            ),
            (
                503,
                "<html>busy</html>",
                ErrorKind::ServiceUnavailableException,
                "HTTP status 503: <html>busy</html>",
            ),
            (500, "", ErrorKind::InternalServerError, "HTTP status 500: "),
            (400, "{}", ErrorKind::ValidationException, ": "),
        ] {
            let error = ApiError::read(status, body.as_bytes());
            assert_eq!((error.kind, error.message.as_str()), (kind, message), "{body}");
        }
    }
}
