//! Every address and notation of the two lists beside this file, and zero connections to a listener inside.

mod support;

use std::net::IpAddr;
use std::time::Duration;

use sortkey_outbound::{Error, Policy, Range, Request, UrlError, special};
use support::{Act, Scripted, Server, client, post};

fn lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once(' ').expect("a verdict and an address"))
}

fn range(name: &str) -> Option<Range> {
    Some(match name {
        "global" => return None,
        "metadata" => Range::Metadata,
        "unspecified" => Range::Unspecified,
        "loopback" => Range::Loopback,
        "private" => Range::Private,
        "link-local" => Range::LinkLocal,
        "carrier-grade" => Range::CarrierGrade,
        "multicast" => Range::Multicast,
        "broadcast" => Range::Broadcast,
        "documentation" => Range::Documentation,
        "benchmarking" => Range::Benchmarking,
        "embedded" => Range::Embedded,
        other => {
            assert_eq!(other, "reserved");
            Range::Reserved
        }
    })
}

#[test]
fn addresses_are_in_their_ranges() {
    let (mut count, mut wrong) = (0, Vec::new());
    for (verdict, text) in lines(include_str!("addresses.txt")) {
        let address: IpAddr = text.parse().expect(text);
        let found = special(address);
        assert_eq!(Policy::public().check(address).err(), found, "{text}");
        if found != range(verdict) {
            wrong.push((verdict, text, found));
        }
        count += 1;
    }
    assert_eq!(wrong, []);
    assert!(count >= 270, "{count}");
}

/// Ranges that are allowed for development never include metadata, in any notation.
#[test]
fn metadata_stays_refused_whatever_is_allowed() {
    let everything = Policy::public().allow_private(&["0.0.0.0/0", "::/0"]).expect("ranges");
    let never = [Range::Metadata, Range::LinkLocal, Range::Multicast, Range::Broadcast, Range::Unspecified];
    for (verdict, text) in lines(include_str!("addresses.txt")) {
        let address: IpAddr = text.parse().expect(text);
        let expected = range(verdict).filter(|range| never.contains(range));
        assert_eq!(everything.check(address).err(), expected, "{text}");
    }
}

#[test]
fn only_the_named_ranges_are_allowed() {
    let policy =
        Policy::public().allow_private(&["10.1.0.0/16", "fd00:1::/32", "127.0.0.1/32"]).expect("ranges");
    let check = |text: &str| policy.check(text.parse().expect("an address"));
    for allowed in ["10.1.0.0", "10.1.255.255", "fd00:1::5", "127.0.0.1", "8.8.8.8"] {
        assert_eq!(check(allowed), Ok(()), "{allowed}");
    }
    for refused in
        ["10.0.255.255", "10.2.0.0", "127.0.0.2", "fd00:2::5", "::1", "::ffff:10.1.0.1", "192.168.0.1"]
    {
        assert!(check(refused).is_err(), "{refused}");
    }
    let own = Policy::public().refuse(&["8.8.8.0/24".parse().expect("a range")]);
    assert_eq!(own.check("8.8.8.8".parse().expect("an address")), Err(Range::Refused));
    assert_eq!(own.check("8.8.4.4".parse().expect("an address")), Ok(()));
    for wrong in ["", "10.0.0.0", "10.0.0.0/33", "localhost/8"] {
        assert!(Policy::public().allow_private(&[wrong]).is_err(), "{wrong}");
    }
}

/// The kind of an outcome, by the names in `urls.txt`.
fn kind(error: &Error) -> &'static str {
    match error {
        Error::Refused { .. } => "refused",
        Error::Resolve { .. } => "resolve",
        Error::Port { .. } => "port",
        Error::Url(UrlError::Scheme) => "scheme",
        Error::Url(UrlError::Userinfo) => "userinfo",
        Error::Url(UrlError::Character) => "character",
        Error::Url(UrlError::Notation) => "notation",
        Error::Url(_) => "malformed",
        _ => "sent",
    }
}

#[tokio::test]
async fn no_notation_reaches_a_listener_inside() {
    let inside = Server::new(vec![Act::Read]).await;
    let crowd: Vec<String> = (0..65).map(|last| format!("8.8.8.{last}")).collect();
    let crowd: Vec<&str> = crowd.iter().map(String::as_str).collect();
    let resolver = Scripted::new(&[
        ("public.example", &[&["8.8.8.8"]]),
        ("localhost", &[&["::1", "127.0.0.1"]]),
        ("loop.example", &[&["127.0.0.1"]]),
        ("mixed.example", &[&["8.8.8.8", "127.0.0.1"]]),
        ("private.example", &[&["10.0.0.1"]]),
        ("metadata.example", &[&["169.254.169.254"]]),
        ("mapped.example", &[&["::ffff:127.0.0.1"]]),
        ("six.example", &[&["fd00::1"]]),
        ("nat64.example", &[&["64:ff9b::7f00:1"]]),
        ("zero.example", &[&["0.0.0.0"]]),
        ("none.example", &[&[]]),
        ("crowd.example", &[&crowd]),
    ]);
    let client = client(Policy::public(), resolver);
    let (mut count, mut wrong) = (0, Vec::new());
    let addresses = lines(include_str!("addresses.txt")).filter(|(verdict, _)| *verdict != "global");
    let as_urls = addresses.map(|(_, text)| match text.contains(':') {
        true => ("refused", format!("http://[{text}]:{{port}}/")),
        false => ("refused", format!("http://{text}:{{port}}/")),
    });
    let urls = lines(include_str!("urls.txt")).map(|(expected, url)| (expected, url.to_owned()));
    for (expected, url) in urls.chain(as_urls) {
        let url = url.replace("{port}", &inside.address.port().to_string());
        let outcome = client.send(post(&url)).await;
        let kind = outcome.as_ref().map_or_else(kind, |_| "sent");
        if kind != expected {
            wrong.push((expected, url, kind));
        }
        count += 1;
    }
    assert_eq!(wrong, []);
    assert!(count >= 300, "{count}");
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(inside.connections(), 0);
}

/// A refusal is shown to the person who chose the destination: without the address that an internal name has.
#[tokio::test]
async fn errors_do_not_show_what_internal_names_lead_to() {
    let resolver = Scripted::new(&[("db.internal", &[&["10.4.5.6"]])]);
    let error =
        client(Policy::public(), resolver).send(post("http://db.internal/")).await.expect_err("refused");
    assert_eq!(error.to_string(), "`db.internal` leads to a private address, which is not allowed");
    let Error::Refused { address, .. } = error else { unreachable!("{error}") };
    assert_eq!(address.to_string(), "10.4.5.6");
}

#[tokio::test]
async fn requests_that_could_smuggle_another_one_are_not_sent() {
    let server = Server::new(vec![Act::Read]).await;
    let client = client(support::loopback(), Scripted::new(&[]));
    let with = |name: &str, value: &str| Request {
        headers: vec![(name.to_owned(), value.to_owned())],
        ..post(&server.url())
    };
    for request in [
        with("Content-Length", "0"),
        with("transfer-encoding", "chunked"),
        with("Host", "other.example"),
        with("Connection", "upgrade"),
        with("Upgrade", "h2c"),
        with("Expect", "100-continue"),
        with("a b", "c"),
        with("a\r\nb", "c"),
        with("", "c"),
        with("a", "b\r\nc: d"),
        with("a", "b\0"),
        with("a", "ü"),
        with("a", &"x".repeat(33 * 1024)),
        Request { headers: vec![("a".to_owned(), "b".to_owned()); 65], ..post(&server.url()) },
        Request { method: sortkey_outbound::Method::CONNECT, ..post(&server.url()) },
        Request { method: sortkey_outbound::Method::TRACE, ..post(&server.url()) },
    ] {
        let shown = format!("{} {:?}", request.method, request.headers.first());
        let outcome = client.send(request).await;
        assert!(matches!(outcome, Err(Error::Request(_))), "{shown}: {outcome:?}");
    }
    assert_eq!(server.connections(), 0);
}
