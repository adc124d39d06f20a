//! The request headers that mean something to the server, found in one pass.
//!
//! A signed request carries a dozen headers and the server asks for most of them; walking the list once
//! is cheaper than hashing each name it looks for. Where a header is repeated, the first one counts.

use hyper::HeaderMap;
use hyper::header::HeaderValue;

/// What the server reads of a request's headers.
#[derive(Debug, Default)]
pub(crate) struct Head<'a> {
    pub(crate) target: Option<&'a HeaderValue>,
    pub(crate) authorization: Option<&'a HeaderValue>,
    /// `X-Amz-Date` or `Date`; signatures need one of them.
    pub(crate) date: Option<&'a HeaderValue>,
    pub(crate) content_type: Option<&'a HeaderValue>,
    pub(crate) content_encoding: Option<&'a HeaderValue>,
    pub(crate) accept_encoding: Option<&'a HeaderValue>,
    pub(crate) fork: Option<&'a HeaderValue>,
    pub(crate) host: Option<&'a HeaderValue>,
    pub(crate) origin: Option<&'a HeaderValue>,
    pub(crate) preflight_headers: Option<&'a HeaderValue>,
    pub(crate) preflight_method: Option<&'a HeaderValue>,
}

impl<'a> Head<'a> {
    /// Reads the headers that matter.
    pub(crate) fn read(headers: &'a HeaderMap) -> Head<'a> {
        let mut head = Head::default();
        for (name, value) in headers {
            let place = match name.as_str() {
                "x-amz-target" => &mut head.target,
                "authorization" => &mut head.authorization,
                "x-amz-date" | "date" => &mut head.date,
                "content-type" => &mut head.content_type,
                "content-encoding" => &mut head.content_encoding,
                "accept-encoding" => &mut head.accept_encoding,
                "x-sortkey-fork" => &mut head.fork,
                "host" => &mut head.host,
                "origin" => &mut head.origin,
                "access-control-request-headers" => &mut head.preflight_headers,
                "access-control-request-method" => &mut head.preflight_method,
                _ => continue,
            };
            place.get_or_insert(value);
        }
        head
    }
}
