//! The request headers that mean something to the server, found in one pass.
//!
//! A signed request carries a dozen headers and the server asks for most of them; walking the list once
//! is cheaper than hashing each name it looks for. A header that decides who the client is or what it may do must not be
//! repeated: a proxy and this server could each act on a different one.

use hyper::HeaderMap;
use hyper::header::HeaderValue;

use crate::locality;

/// The headers of a request that the server uses.
#[derive(Debug, Default)]
pub(crate) struct Head<'a> {
    pub(crate) target: Option<&'a HeaderValue>,
    pub(crate) authorization: Option<&'a HeaderValue>,
    /// `X-Amz-Date`; a signature needs it, or `Date`.
    pub(crate) date: Option<&'a HeaderValue>,
    pub(crate) http_date: Option<&'a HeaderValue>,
    pub(crate) session_token: Option<&'a HeaderValue>,
    pub(crate) content_sha256: Option<&'a HeaderValue>,
    pub(crate) caller: Option<&'a HeaderValue>,
    pub(crate) content_type: Option<&'a HeaderValue>,
    pub(crate) content_encoding: Option<&'a HeaderValue>,
    pub(crate) accept_encoding: Option<&'a HeaderValue>,
    pub(crate) fork: Option<&'a HeaderValue>,
    pub(crate) host: Option<&'a HeaderValue>,
    pub(crate) origin: Option<&'a HeaderValue>,
    /// `Sec-Fetch-Site`, `Sec-Fetch-Mode` and `Sec-Fetch-Dest`: set by browsers, out of reach of the scripts in them.
    pub(crate) fetch_site: Option<&'a HeaderValue>,
    pub(crate) fetch_mode: Option<&'a HeaderValue>,
    pub(crate) fetch_dest: Option<&'a HeaderValue>,
    /// Whether any `X-Forwarded-For`, `Forwarded` or `X-Real-IP` header names a client on another machine. A proxy may set
    /// one of them and pass on another that its client made up, so all of them count.
    pub(crate) is_forwarded: bool,
    pub(crate) preflight_headers: Option<&'a HeaderValue>,
    pub(crate) preflight_method: Option<&'a HeaderValue>,
    /// The name of a security header that the request repeats.
    pub(crate) repeated: Option<&'a str>,
}

impl<'a> Head<'a> {
    /// Reads the headers that matter.
    pub(crate) fn read(headers: &'a HeaderMap) -> Head<'a> {
        let mut head = Head::default();
        // Values of one name follow one another.
        let mut before = "";
        for (name, value) in headers {
            let is_repeated = name.as_str() == std::mem::replace(&mut before, name.as_str());
            let (place, once) = match name.as_str() {
                "x-amz-target" => (&mut head.target, Some("X-Amz-Target")),
                "authorization" => (&mut head.authorization, Some("Authorization")),
                "x-amz-date" => (&mut head.date, Some("X-Amz-Date")),
                "date" => (&mut head.http_date, Some("Date")),
                "x-amz-security-token" => (&mut head.session_token, Some("X-Amz-Security-Token")),
                "x-amz-content-sha256" => (&mut head.content_sha256, Some("X-Amz-Content-Sha256")),
                "sortkey-caller" => (&mut head.caller, Some("Sortkey-Caller")),
                "content-type" => (&mut head.content_type, Some("Content-Type")),
                "content-encoding" => (&mut head.content_encoding, Some("Content-Encoding")),
                "accept-encoding" => (&mut head.accept_encoding, None),
                "x-sortkey-fork" => (&mut head.fork, Some("X-Sortkey-Fork")),
                "host" => (&mut head.host, Some("Host")),
                "origin" => (&mut head.origin, Some("Origin")),
                "sec-fetch-site" => (&mut head.fetch_site, Some("Sec-Fetch-Site")),
                "sec-fetch-mode" => (&mut head.fetch_mode, Some("Sec-Fetch-Mode")),
                "sec-fetch-dest" => (&mut head.fetch_dest, Some("Sec-Fetch-Dest")),
                "x-forwarded-for" | "forwarded" | "x-real-ip" => {
                    head.is_forwarded |= !locality::are_loopback(value);
                    continue;
                }
                "access-control-request-headers" => (&mut head.preflight_headers, None),
                "access-control-request-method" => {
                    (&mut head.preflight_method, Some("Access-Control-Request-Method"))
                }
                name if is_repeated && decides(name) => {
                    head.repeated = head.repeated.or(Some(name));
                    continue;
                }
                _ => continue,
            };
            match place {
                Some(_) => head.repeated = head.repeated.or(once),
                None => *place = Some(value),
            }
        }
        head
    }
}

/// Whether a header that the server keeps no place for decides something: other code reads the first of its values, or the
/// signature covers it.
fn decides(name: &str) -> bool {
    let is_listed = ["user-agent", "if-match", "idempotency-key", "last-event-id"].contains(&name);
    is_listed || name.starts_with("x-amz-") || name.starts_with("x-sortkey-")
}

#[cfg(test)]
mod tests {
    use super::*;

    // F-66: of a repeated Authorization, Sortkey-Caller or Host header the first one was used.
    #[test]
    fn repeated_security_headers_are_noticed() {
        for (names, expected) in [
            (&["host", "authorization", "date", "x-amz-date"][..], None),
            (&["accept-encoding", "accept-encoding"], None),
            (&["host", "host"], Some("Host")),
            (&["authorization", "host", "authorization"], Some("Authorization")),
            (&["sortkey-caller", "sortkey-caller"], Some("Sortkey-Caller")),
            (&["x-amz-security-token", "x-amz-security-token"], Some("X-Amz-Security-Token")),
            (&["x-amz-date", "x-amz-date", "host", "host"], Some("X-Amz-Date")),
            // The documents promised X-Amz-*, and only four of those names were checked.
            (&["x-amz-anything", "host", "x-amz-anything"], Some("x-amz-anything")),
            (&["x-amz-one", "x-amz-other"], None),
            (&["x-sortkey-anything", "x-sortkey-anything"], Some("x-sortkey-anything")),
            (&["if-match", "if-match"], Some("if-match")),
            (&["idempotency-key", "idempotency-key"], Some("idempotency-key")),
            (&["user-agent", "user-agent"], Some("user-agent")),
            (&["x-forwarded-for", "x-forwarded-for", "accept", "accept"], None),
        ] {
            let mut headers = HeaderMap::new();
            for name in names {
                headers.append(*name, HeaderValue::from_static("a"));
            }
            assert_eq!(Head::read(&headers).repeated, expected, "{names:?}");
        }
    }

    // Of the three headers only the first was looked at: a client behind a proxy that sets X-Real-IP was taken for a program
    // on this machine if it sent `X-Forwarded-For: 127.0.0.1` itself.
    #[test]
    fn every_forwarding_header_counts() {
        for (given, expected) in [
            (&[][..], false),
            (&[("x-forwarded-for", "127.0.0.1")], false),
            (&[("x-forwarded-for", "::1, 127.0.0.1"), ("x-real-ip", "127.0.0.1")], false),
            (&[("x-forwarded-for", "127.0.0.1, 203.0.113.7")], true),
            (&[("x-real-ip", "203.0.113.7")], true),
            (&[("forwarded", "for=203.0.113.7")], true),
            (&[("x-real-ip", "unknown")], true),
            (&[("x-forwarded-for", "127.0.0.1"), ("x-real-ip", "203.0.113.7")], true),
            (&[("x-real-ip", "127.0.0.1"), ("x-forwarded-for", "203.0.113.7")], true),
            (&[("x-forwarded-for", "127.0.0.1"), ("x-forwarded-for", "203.0.113.7")], true),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in given {
                headers.append(*name, HeaderValue::from_static(value));
            }
            assert_eq!(Head::read(&headers).is_forwarded, expected, "{given:?}");
        }
    }
}
