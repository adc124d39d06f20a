//! The real origin of a request: a program on this machine, a web page, or a client behind a proxy.
//!
//! The peer address alone is not enough: a web page in a browser on this machine and a client behind a reverse proxy on
//! it also connect from loopback. A page of another site is recognised by `Origin` and `Sec-Fetch-Site`, a page that
//! points its own name at 127.0.0.1 (DNS rebinding) by the host it asks for, and a proxy by the headers it adds.

use std::net::{IpAddr, SocketAddr};

use hyper::header::HeaderValue;
use hyper::{Method, Uri};

use crate::head::Head;

/// The host that a request addresses; an error gives the reason why there is none that can be trusted.
///
/// An absolute-form target (`GET http://host/ HTTP/1.1`) overrides the `Host` header in some servers and not in others,
/// so a request in which the two differ is rejected.
pub(crate) fn effective_host<'a>(uri: &'a Uri, head: &Head<'a>) -> Result<&'a str, &'static str> {
    let header = match head.host.map(HeaderValue::to_str) {
        None => None,
        Some(Ok(host)) => Some(host),
        Some(Err(_)) => return Err("the Host header contains characters that are not ASCII"),
    };
    let target = uri.authority().map(hyper::http::uri::Authority::as_str);
    match (target, header) {
        (None, None) | (_, Some("")) => Err("the request has no Host header"),
        (Some(target), _) if target.contains('@') => Err("the request target contains user information"),
        (None, Some(host)) | (Some(host), None) => Ok(host),
        (Some(target), Some(host)) if target.eq_ignore_ascii_case(host) => Ok(host),
        (Some(_), Some(_)) => Err("the request target and the Host header name different hosts"),
    }
}

/// Whether the request was made by a web page of another site. Browsers set `Sec-Fetch-Site` themselves, on HTTPS and on
/// loopback; where it is missing, the `Origin` is compared with the host.
///
/// A link that the user follows is not counted: it only reads, and the page that contains the link cannot see the answer.
pub(crate) fn is_cross_site(method: &Method, host: Option<&str>, head: &Head<'_>) -> bool {
    let is = |header: Option<&HeaderValue>, text: &str| header.is_some_and(|value| value == text);
    let follows_link = matches!(*method, Method::GET | Method::HEAD)
        && is(head.fetch_mode, "navigate")
        && is(head.fetch_dest, "document");
    match (head.fetch_site, head.origin) {
        (Some(_), None) if follows_link => false,
        (Some(site), _) if site != "same-origin" && site != "none" => true,
        (_, None) => false,
        // A proxy that replaces `Host` makes a page of its own site look foreign; the browser's
        // `Sec-Fetch-Site` is reliable.
        (Some(site), Some(_)) if site == "same-origin" => false,
        (_, Some(origin)) => {
            let authority = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
            authority.is_none_or(|(_, authority)| host != Some(authority))
        }
    }
}

/// Whether the peer is a process on this machine, and not a proxy that forwards for a client elsewhere.
pub(crate) fn is_from_this_machine(peer: SocketAddr, head: &Head<'_>) -> bool {
    peer.ip().to_canonical().is_loopback() && !head.is_forwarded
}

/// Whether every client that a forwarding header names is on loopback.
pub(crate) fn are_loopback(clients: &HeaderValue) -> bool {
    let Ok(clients) = clients.to_str() else { return false };
    clients
        .split(',')
        .all(|client| client.trim().parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback()))
}

/// Whether a host can only mean this machine.
pub(crate) fn names_this_machine(host: &str) -> bool {
    if let Ok(address) = host.parse::<SocketAddr>() {
        return address.ip().to_canonical().is_loopback();
    }
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    match bare.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => {
            let name = name.to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> HeaderValue {
        HeaderValue::from_str(text).expect("a header")
    }

    #[test]
    fn only_loopback_names_mean_this_machine() {
        for (host, expected) in [
            ("localhost:8000", true),
            ("LOCALHOST", true),
            ("127.0.0.1:8000", true),
            ("127.1.2.3", true),
            ("db.localhost:8000", true),
            ("[::1]:8000", true),
            ("[::1]", true),
            ("[::ffff:127.0.0.1]:80", true),
            ("evil.example:8000", false),
            ("localhost.evil.example", false),
            ("127.0.0.1.nip.io:8000", false),
            ("evillocalhost", false),
            ("192.168.1.2:8000", false),
            ("0.0.0.0:8000", false),
            ("localhost:8000:evil", false),
            ("", false),
        ] {
            assert_eq!(names_this_machine(host), expected, "{host}");
        }
    }

    // F-61: a request without Host (HTTP/1.0) and an absolute-form target with `Host: localhost` were let in.
    #[test]
    fn the_host_is_that_of_the_target_and_the_header() {
        for (target, header, expected) in [
            ("/", Some("localhost:8000"), Ok("localhost:8000")),
            ("/", None, Err(())),
            ("/", Some(""), Err(())),
            ("http://localhost:8000/", None, Ok("localhost:8000")),
            ("http://LOCALHOST:8000/", Some("localhost:8000"), Ok("localhost:8000")),
            ("http://evil.example/", Some("localhost"), Err(())),
            ("http://localhost/", Some("evil.example"), Err(())),
            ("http://localhost@evil.example/", Some("localhost@evil.example"), Err(())),
        ] {
            let uri: Uri = target.parse().expect("a target");
            let host = header.map(value);
            let head = Head { host: host.as_ref(), ..Head::default() };
            assert_eq!(effective_host(&uri, &head).map_err(drop), expected, "{target} {header:?}");
        }
    }

    #[test]
    fn pages_of_other_sites_are_recognised() {
        for (method, host, origin, site, navigates, expected) in [
            ("POST", "localhost:8000", None, None, false, false),
            ("POST", "localhost:8000", Some("http://localhost:8000"), Some("same-origin"), false, false),
            ("POST", "localhost:8000", Some("http://localhost:8000"), None, false, false),
            ("POST", "localhost:8000", Some("http://evil.example"), None, false, true),
            ("POST", "localhost:8000", Some("http://localhost:3000"), None, false, true),
            ("POST", "localhost:8000", Some("null"), None, false, true),
            ("POST", "localhost:8000", Some("http://evil.example"), Some("cross-site"), false, true),
            ("POST", "localhost:8000", Some("http://localhost:3000"), Some("same-site"), false, true),
            ("POST", "localhost:8000", None, Some("cross-site"), true, true),
            ("GET", "localhost:8000", None, Some("cross-site"), false, true),
            ("GET", "localhost:8000", None, Some("cross-site"), true, false),
            ("GET", "localhost:8000", None, Some("none"), true, false),
            ("GET", "127.0.0.1:8000", Some("https://app.example"), Some("same-origin"), false, false),
            ("GET", "127.0.0.1:8000", Some("https://app.example"), Some("none"), false, true),
        ] {
            let (origin_value, site_value) = (origin.map(value), site.map(value));
            let (mode, dest) = (value("navigate"), value("document"));
            let head = Head {
                origin: origin_value.as_ref(),
                fetch_site: site_value.as_ref(),
                fetch_mode: navigates.then_some(&mode),
                fetch_dest: navigates.then_some(&dest),
                ..Head::default()
            };
            let method: Method = method.parse().expect("a method");
            let cross = is_cross_site(&method, Some(host), &head);
            assert_eq!(cross, expected, "{method} {host} {origin:?} {site:?} {navigates}");
        }
    }

    #[test]
    fn a_proxy_that_names_its_client_is_not_this_machine() {
        for (peer, is_forwarded, expected) in [
            ("127.0.0.1", false, true),
            ("::1", false, true),
            ("::ffff:127.0.0.1", false, true),
            ("127.0.0.1", true, false),
            ("192.168.1.7", false, false),
        ] {
            let head = Head { is_forwarded, ..Head::default() };
            let peer_address = SocketAddr::new(peer.parse().expect("an address"), 1234);
            assert_eq!(is_from_this_machine(peer_address, &head), expected, "{peer} {is_forwarded}");
        }
    }
}
