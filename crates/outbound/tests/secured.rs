//! TLS: the certificate must be valid for the name, and a handshake is part of the deadline.

mod support;

use std::sync::Arc;
use std::time::Duration;

use sortkey_outbound::{Error, Phase, Policy, Request};
use support::{Act, Scripted, Server, acceptor, client, loopback, post, send};

async fn server() -> Server {
    let acceptor = acceptor();
    Server::at("127.0.0.1:0", move |stream, sent| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(mut stream) = acceptor.accept(stream).await else { return };
            let name = stream.get_ref().1.server_name().unwrap_or("nobody").to_owned();
            let answer = send(&format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{name}", name.len()));
            while support::do_one(&mut stream, Act::Read, &sent).await.is_ok() {
                if support::do_one(&mut stream, answer.clone(), &sent).await.is_err() {
                    return;
                }
            }
        }
    })
    .await
}

fn trusting() -> Policy {
    loopback().trust(include_bytes!("tls/authority.der").to_vec())
}

fn names() -> Arc<Scripted> {
    Scripted::new(&[("tls.example", &[&["127.0.0.1"]]), ("other.example", &[&["127.0.0.1"]])])
}

#[tokio::test]
async fn the_name_is_sent_and_its_certificate_verified() {
    let server = server().await;
    let port = server.address.port();
    let client = client(trusting(), names());
    for _ in 0..3 {
        let response = client.send(post(&format!("https://tls.example:{port}/"))).await.expect("an answer");
        assert_eq!((response.status, response.body.as_slice()), (200, &b"tls.example"[..]));
    }
    assert_eq!(server.connections(), 1);
    for wrong in [format!("https://other.example:{port}/"), format!("https://127.0.0.1:{port}/")] {
        let outcome = client.send(post(&wrong)).await;
        assert!(matches!(outcome, Err(Error::Tls { .. })), "{wrong}: {outcome:?}");
    }
    // A connection that was secured for one name is not used for another, nor for plain HTTP.
    let plain = client.send(post(&format!("http://tls.example:{port}/"))).await;
    assert!(plain.is_err(), "{plain:?}");
}

#[tokio::test]
async fn unknown_authorities_are_not_trusted() {
    let server = server().await;
    let client = client(loopback(), names());
    let outcome = client.send(post(&format!("https://tls.example:{}/", server.address.port()))).await;
    assert!(matches!(outcome, Err(Error::Tls { .. })), "{outcome:?}");
}

#[tokio::test]
async fn servers_without_tls_are_not_talked_to() {
    let client = client(trusting(), names());
    let plain = Server::new(vec![send("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"), Act::Hang]).await;
    let outcome = client.send(post(&format!("https://tls.example:{}/", plain.address.port()))).await;
    assert!(matches!(outcome, Err(Error::Tls { .. })), "{outcome:?}");
    let closing = Server::new(vec![Act::Reset]).await;
    let outcome = client.send(post(&format!("https://tls.example:{}/", closing.address.port()))).await;
    assert!(matches!(outcome, Err(Error::Tls { .. })), "{outcome:?}");
    let silent = Server::new(vec![Act::Hang]).await;
    let silent = post(&format!("https://tls.example:{}/", silent.address.port()));
    let outcome = client.send(Request { timeout: Duration::from_secs(2), ..silent }).await;
    assert_eq!(outcome, Err(Error::Timeout { during: Phase::Securing, status: None }));
}

#[test]
fn a_certificate_that_is_none_is_noticed_when_the_client_is_made() {
    let outcome = sortkey_outbound::Client::new(Policy::public().trust(vec![1, 2, 3]));
    assert!(matches!(outcome.err(), Some(Error::Setup(_))));
}
