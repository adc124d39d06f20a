//! Cross-origin requests, for SDKs that run in web pages. Only pages of the configured origins get these headers; the
//! guard rejects all others.

use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HeaderValue, VARY,
};
use hyper::{HeaderMap, StatusCode};

use crate::head::Head;
use crate::reply::{self, Answer};

/// Lets scripts of an origin read the response, and the headers that SDKs check.
pub(crate) fn allow(headers: &mut HeaderMap, origin: &HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("x-amzn-requestid,x-amz-crc32"));
    headers.append(VARY, HeaderValue::from_static("origin"));
}

/// The answer to a preflight: whatever the browser asks to send may be sent, for two days.
pub(crate) fn preflight(head: &Head<'_>) -> Answer {
    let mut answer = reply::answer(StatusCode::OK, None, Vec::new());
    let headers = answer.headers_mut();
    if let Some(names) = head.preflight_headers {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
    }
    if let Some(method) = head.preflight_method {
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, method.clone());
    }
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("172800"));
    answer
}
