//! A request and its answer.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use http_body_util::Full;

use crate::Error;
use crate::target::Target;

/// How much of an answer is read.
pub const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// How many headers a request may have.
const MAX_HEADERS: usize = 64;

/// How large the headers of a request may be, names and values together.
const MAX_HEADER_BYTES: usize = 32 * 1024;

/// Headers that the connection sets. A request that set them could contradict its own length and smuggle a second request.
const RESERVED: [&str; 11] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// `POST`; everything but `CONNECT` and `TRACE`.
    pub method: Method,
    /// The destination.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
    /// How long it may take from the lookup of the name to the last byte of the answer.
    pub timeout: Duration,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status. Redirects are answers like any other.
    pub status: u16,
    /// Names, in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// At most 64 KB of the body, as it came: compressed bodies stay compressed.
    pub body: Vec<u8>,
    /// Whether there was more, which was not read.
    pub is_truncated: bool,
    /// How long it took.
    pub latency: Duration,
}

/// The message for a connection, unless the request is not one.
pub(crate) fn message(
    method: Method,
    target: &Target,
    headers: &[(String, String)],
    body: Bytes,
) -> Result<http::Request<Full<Bytes>>, Error> {
    if matches!(method, Method::CONNECT | Method::TRACE) {
        return Err(Error::Request("CONNECT and TRACE are not allowed"));
    }
    let mut message = http::Request::new(Full::new(body));
    *message.method_mut() = method;
    *message.uri_mut() = target.path.clone().into();
    let map = message.headers_mut();
    let host = HeaderValue::from_str(&target.authority)
        .map_err(|_| Error::Request("the host is not a header value"))?;
    map.insert(http::header::HOST, host);
    fill(map, headers)?;
    map.entry(http::header::USER_AGENT).or_insert(HeaderValue::from_static("sortkey"));
    Ok(message)
}

fn fill(map: &mut HeaderMap, headers: &[(String, String)]) -> Result<(), Error> {
    let size: usize = headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    if headers.len() > MAX_HEADERS || size > MAX_HEADER_BYTES {
        return Err(Error::Request("too many or too large headers"));
    }
    for (name, value) in headers {
        let name = HeaderName::try_from(name.as_str())
            .map_err(|_| Error::Request("a header's name is not valid"))?;
        if RESERVED.contains(&name.as_str()) {
            return Err(Error::Request("a header is set by the connection"));
        }
        // A line's end would begin another header, and servers disagree about bytes beyond ASCII.
        let is_plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'));
        let value = HeaderValue::from_str(value).ok().filter(|_| is_plain);
        let value = value.ok_or(Error::Request("a header's value is not visible ASCII"))?;
        map.append(name, value);
    }
    Ok(())
}
