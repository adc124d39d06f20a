//! Whether a request comes from a program on this machine that acts on its own behalf.
//!
//! The address alone does not say so: a web page in a browser on this machine also comes from
//! loopback. A page of another site betrays itself by its `Origin`, and one that points its own name
//! at 127.0.0.1 by the `Host` it asks for.

use std::net::{IpAddr, SocketAddr};

use hyper::header::HeaderValue;

use crate::head::Head;

/// Whether the request is local in every respect.
pub(crate) fn is_local(peer: SocketAddr, head: &Head<'_>) -> bool {
    let text =
        |header: Option<&HeaderValue>| header.map(|value| value.to_str().unwrap_or_default().to_owned());
    let host = text(head.host);
    let from_this_machine = peer.ip().to_canonical().is_loopback();
    let asks_for_this_machine = host.as_deref().is_none_or(names_this_machine);
    let own_page = text(head.origin).is_none_or(|origin| {
        let authority = origin.split_once("://").map(|(_, authority)| authority);
        authority.is_some() && authority == host.as_deref()
    });
    from_this_machine && asks_for_this_machine && own_page
}

/// Whether a `Host` header can only mean this machine.
fn names_this_machine(host: &str) -> bool {
    if let Ok(address) = host.parse::<SocketAddr>() {
        return address.ip().to_canonical().is_loopback();
    }
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => name == "localhost" || name.ends_with(".localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(peer: &str, host: &'static str, origin: Option<&'static str>) -> bool {
        let host = HeaderValue::from_static(host);
        let origin = origin.map(HeaderValue::from_static);
        let head = Head { host: Some(&host), origin: origin.as_ref(), ..Head::default() };
        is_local(SocketAddr::new(peer.parse().expect("an address"), 1234), &head)
    }

    #[test]
    fn only_programs_and_own_pages_on_this_machine_are_local() {
        for (peer, host, origin, expected) in [
            ("127.0.0.1", "localhost:8000", None, true),
            ("127.0.0.1", "127.0.0.1:8000", None, true),
            ("127.0.0.1", "db.localhost:8000", None, true),
            ("::1", "[::1]:8000", None, true),
            ("::ffff:127.0.0.1", "localhost", None, true),
            ("127.0.0.1", "localhost:8000", Some("http://localhost:8000"), true),
            ("127.0.0.1", "localhost:8000", Some("http://evil.example"), false),
            ("127.0.0.1", "localhost:8000", Some("http://localhost:3000"), false),
            ("127.0.0.1", "localhost:8000", Some("null"), false),
            ("127.0.0.1", "evil.example:8000", Some("http://evil.example:8000"), false),
            ("127.0.0.1", "evil.example", None, false),
            ("192.168.1.7", "localhost:8000", None, false),
            ("192.168.1.7", "192.168.1.2:8000", None, false),
        ] {
            assert_eq!(local(peer, host, origin), expected, "{peer} {host} {origin:?}");
        }
    }
}
