//! The errors that the wire itself answers, before the backend is asked: one function each.
//!
//! Types and texts are AWS's, except where AWS has no such condition.

use sortkey_api::{ApiError, ErrorKind};

/// The body is not JSON, or missing. AWS sends no message.
pub(crate) fn serialization() -> ApiError {
    ApiError::serialization("")
}

/// Nothing signed the request.
pub(crate) fn missing_authentication() -> ApiError {
    let message = "Request is missing Authentication Token";
    ApiError::new(ErrorKind::MissingAuthenticationTokenException, message)
}

/// The signature lacks parts; the message lists them.
pub(crate) fn incomplete_signature(message: String) -> ApiError {
    ApiError::new(ErrorKind::IncompleteSignatureException, message)
}

/// The request is signed in its header and in its query.
pub(crate) fn signed_twice() -> ApiError {
    let message = "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.";
    ApiError::new(ErrorKind::InvalidSignatureException, message)
}

/// The body is longer than DynamoDB takes.
pub(crate) fn too_large(limit_bytes: usize) -> ApiError {
    let message = format!("Request body exceeds the limit of {limit_bytes} bytes");
    ApiError::new(ErrorKind::RequestEntityTooLargeException, message)
}

/// The body is compressed in a way the server cannot undo.
pub(crate) fn unsupported_encoding(encoding: &str) -> ApiError {
    let message = format!("Content-Encoding {encoding:?} is not supported; send gzip, deflate or identity");
    ApiError::new(ErrorKind::InternalServerError, message)
}

/// The body is not compressed in the way its header names. AWS answers this, and every unsupported encoding, as an
/// internal failure.
pub(crate) fn broken_encoding(encoding: &str) -> ApiError {
    let message = format!("The request body is not valid {encoding}, which its Content-Encoding names");
    ApiError::new(ErrorKind::InternalServerError, message)
}

/// The headers, or the address, are longer than DynamoDB takes.
pub(crate) fn head_too_large(limit_bytes: usize) -> ApiError {
    ApiError::validation(format!("The headers and the URL of a request must not exceed {limit_bytes} bytes"))
}

/// The fork header is not a name.
pub(crate) fn invalid_fork_name() -> ApiError {
    ApiError::validation("Header x-sortkey-fork must be 1 to 128 letters, digits, '_', '-' or '.'")
}

/// Too many large requests are being received at once. SDKs try again.
pub(crate) fn overloaded() -> ApiError {
    let message = "Too many large requests at once. Please try again shortly";
    ApiError::new(ErrorKind::ServiceUnavailableException, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_what_aws_sends() {
        for (error, crc32) in [
            (serialization(), 3_948_637_019),
            (ApiError::unknown_operation(), 1_368_724_161),
            (missing_authentication(), 2_088_342_776),
            (signed_twice(), 2_139_606_068),
        ] {
            let mut body = Vec::new();
            error.write_json(&mut body);
            assert_eq!(crc32fast::hash(&body), crc32, "{error:?}");
        }
    }
}
