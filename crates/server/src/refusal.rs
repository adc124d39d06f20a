//! The errors that the wire itself answers, before or instead of the backend.
//!
//! Types and texts are AWS's; a message that AWS does not send is left out rather than invented, except
//! where AWS has no such condition.

use std::borrow::Cow;

use hyper::StatusCode;
use hyper::header::HeaderValue;
use serde::Serialize;

use crate::reply::{self, Answer};

/// Namespace of the errors that AWS's service framework raises before DynamoDB sees a request.
const CORAL: &str = "com.amazon.coral.service#";
/// Namespace of DynamoDB's own errors.
const DYNAMODB: &str = "com.amazonaws.dynamodb.v20120810#";

/// A request that was not handed to the backend, or whose backend failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The HTTP status.
    status: StatusCode,
    /// The bare name of the exception; also the metrics label.
    pub(crate) error: &'static str,
    namespace: &'static str,
    message: Option<Cow<'static, str>>,
}

impl Refusal {
    /// The body is not JSON, or missing.
    pub(crate) fn serialization() -> Refusal {
        Refusal::coral(StatusCode::BAD_REQUEST, "SerializationException", None)
    }

    /// No such operation.
    pub(crate) fn unknown_operation() -> Refusal {
        Refusal::coral(StatusCode::BAD_REQUEST, "UnknownOperationException", None)
    }

    /// Nothing signed the request.
    pub(crate) fn missing_authentication() -> Refusal {
        let message = "Request is missing Authentication Token";
        Refusal::coral(StatusCode::BAD_REQUEST, "MissingAuthenticationTokenException", Some(message.into()))
    }

    /// The signature lacks parts; the message lists them.
    pub(crate) fn incomplete_signature(message: String) -> Refusal {
        Refusal::coral(StatusCode::BAD_REQUEST, "IncompleteSignatureException", Some(message.into()))
    }

    /// The request is signed twice.
    pub(crate) fn signed_twice() -> Refusal {
        let message =
            "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.";
        Refusal::coral(StatusCode::BAD_REQUEST, "InvalidSignatureException", Some(message.into()))
    }

    /// The body is longer than DynamoDB takes.
    pub(crate) fn too_large(limit_bytes: usize) -> Refusal {
        let message = format!("Request body exceeds the limit of {limit_bytes} bytes");
        Refusal::coral(StatusCode::PAYLOAD_TOO_LARGE, "RequestEntityTooLargeException", Some(message.into()))
    }

    /// The body is compressed in a way the server cannot undo.
    pub(crate) fn unsupported_encoding(encoding: &str) -> Refusal {
        let message = format!("Content-Encoding {encoding:?} is not supported; send gzip or identity");
        Refusal::coral(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "UnsupportedMediaTypeException",
            Some(message.into()),
        )
    }

    /// The fork header is not a name.
    pub(crate) fn invalid_fork_name() -> Refusal {
        let message = "Header x-sortkey-fork must be 1 to 128 letters, digits, '_', '-' or '.'";
        Refusal {
            status: StatusCode::BAD_REQUEST,
            error: "ValidationException",
            namespace: "com.amazon.coral.validate#",
            message: Some(message.into()),
        }
    }

    /// Too many large requests are being received at once. SDKs try again.
    pub(crate) fn overloaded() -> Refusal {
        let message = "Too many large requests at once. Please try again shortly";
        Refusal::coral(StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailableException", Some(message.into()))
    }

    /// A route that is for programs on this machine was asked for from elsewhere.
    pub(crate) fn not_from_here() -> Refusal {
        let message = "Administration answers programs on this machine only; start the server with \
                       --admin-from-anywhere to open it";
        Refusal::coral(StatusCode::FORBIDDEN, "AccessDeniedException", Some(message.into()))
    }

    /// The backend failed. SDKs try again.
    pub(crate) fn internal() -> Refusal {
        let message = Some("Internal server error".into());
        Refusal {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            error: "InternalServerError",
            namespace: DYNAMODB,
            message,
        }
    }

    /// The response that says so.
    pub(crate) fn answer(&self, content_type: HeaderValue) -> Answer {
        reply::answer(self.status, Some(content_type), self.body())
    }

    pub(crate) fn body(&self) -> Vec<u8> {
        #[derive(Serialize)]
        struct Body<'a> {
            __type: String,
            #[serde(skip_serializing_if = "Option::is_none")]
            message: Option<&'a str>,
        }
        let body =
            Body { __type: format!("{}{}", self.namespace, self.error), message: self.message.as_deref() };
        serde_json::to_vec(&body).expect("two strings always serialize")
    }

    fn coral(status: StatusCode, error: &'static str, message: Option<Cow<'static, str>>) -> Refusal {
        Refusal { status, error, namespace: CORAL, message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_what_aws_sends() {
        for (refusal, crc32) in [
            (Refusal::serialization(), 3_948_637_019),
            (Refusal::unknown_operation(), 1_368_724_161),
            (Refusal::missing_authentication(), 2_088_342_776),
            (Refusal::signed_twice(), 2_139_606_068),
        ] {
            assert_eq!(crc32fast::hash(&refusal.body()), crc32, "{refusal:?}");
        }
    }
}
