//! A resolver with scripted answers, and servers with scripted behaviour.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sortkey_outbound::{Client, Method, Policy, Request, Resolver, Resolving};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, crypto};

/// Answers by name, one after the other; the last one is repeated.
#[derive(Default)]
pub(crate) struct Scripted {
    answers: Mutex<HashMap<String, VecDeque<Vec<IpAddr>>>>,
    asked: AtomicUsize,
}

impl Scripted {
    pub(crate) fn new(script: &[(&str, &[&[&str]])]) -> Arc<Scripted> {
        let addresses = |texts: &[&str]| texts.iter().map(|text| text.parse().expect("an address")).collect();
        let answers = script.iter().map(|(name, answers)| {
            ((*name).to_owned(), answers.iter().map(|answer| addresses(answer)).collect())
        });
        Arc::new(Scripted { answers: Mutex::new(answers.collect()), asked: AtomicUsize::new(0) })
    }

    /// How often it was asked.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Resolver for Scripted {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let mut answers = self.answers.lock().expect("not poisoned");
        let answer = answers.get_mut(name).and_then(|answers| {
            if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() }
        });
        let answer = answer.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such name"));
        Box::pin(async move { answer })
    }
}

/// A server's action on a connection.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Reads a request: its head, and the body that its length announces.
    Read,
    /// Sends some bytes.
    Send(Vec<u8>),
    /// Sends bytes again and again, until nobody reads any more.
    Flood(Vec<u8>),
    /// Sends bytes one at a time, every so many milliseconds.
    Trickle(Vec<u8>, u64),
    /// Does nothing more.
    Hang,
    /// Closes the connection at once, so that the other side gets an error.
    Reset,
}

pub(crate) fn send(text: &str) -> Act {
    Act::Send(text.as_bytes().to_vec())
}

/// A server that counts its connections, and the bytes of each that a client took.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    connections: Arc<AtomicUsize>,
    sent: Arc<AtomicUsize>,
}

impl Server {
    /// A server on loopback that does the same with every connection.
    pub(crate) async fn new(acts: Vec<Act>) -> Server {
        Server::at("127.0.0.1:0", move |stream, sent| perform(stream, acts.clone(), sent)).await
    }

    pub(crate) async fn at<F, R>(address: &str, serve: F) -> Server
    where
        F: Fn(TcpStream, Arc<AtomicUsize>) -> R + Send + Sync + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind(address).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (connections, sent) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let server = Server { address, connections: Arc::clone(&connections), sent: Arc::clone(&sent) };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, Arc::clone(&sent)));
            }
        });
        server
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn sent(&self) -> usize {
        self.sent.load(Ordering::SeqCst)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }
}

async fn perform(mut stream: TcpStream, acts: Vec<Act>, sent: Arc<AtomicUsize>) {
    for act in acts {
        match act {
            Act::Reset => {
                // Closing with unread bytes or without lingering makes the system send a reset.
                let _ = socket_reset(&stream);
                return;
            }
            act => {
                if do_one(&mut stream, act, &sent).await.is_err() {
                    return;
                }
            }
        }
    }
}

fn socket_reset(stream: &TcpStream) -> io::Result<()> {
    stream.set_zero_linger()
}

/// Does one thing on any connection, also a secured one.
pub(crate) async fn do_one(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    act: Act,
    sent: &AtomicUsize,
) -> io::Result<()> {
    match act {
        Act::Read => read_request(stream).await.map(drop),
        Act::Send(bytes) => {
            stream.write_all(&bytes).await?;
            stream.flush().await?;
            sent.fetch_add(bytes.len(), Ordering::SeqCst);
            Ok(())
        }
        Act::Flood(bytes) => {
            let bytes = bytes.repeat((64 * 1024 / bytes.len()).max(1));
            loop {
                stream.write_all(&bytes).await?;
                sent.fetch_add(bytes.len(), Ordering::SeqCst);
            }
        }
        Act::Trickle(bytes, pause_ms) => {
            for byte in bytes {
                stream.write_all(&[byte]).await?;
                stream.flush().await?;
                tokio::time::sleep(Duration::from_millis(pause_ms)).await;
            }
            Ok(())
        }
        Act::Hang | Act::Reset => {
            tokio::time::sleep(Duration::from_secs(3600)).await;
            Ok(())
        }
    }
}

/// The head of a request, read with its body.
pub(crate) async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let length = head
        .to_ascii_lowercase()
        .split("content-length: ")
        .nth(1)
        .map_or(0, |rest| rest.split("\r\n").next().and_then(|digits| digits.parse().ok()).unwrap_or(0));
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(head)
}

/// A policy under which 127.0.0.1 is outside and 127.0.0.2 stays inside.
pub(crate) fn loopback() -> Policy {
    Policy::public().allow_private(&["127.0.0.1/32"]).expect("a range")
}

pub(crate) fn client(policy: Policy, resolver: Arc<Scripted>) -> Client {
    Client::with_resolver(policy, resolver).expect("a client")
}

pub(crate) fn post(url: &str) -> Request {
    Request {
        method: Method::POST,
        url: url.to_owned(),
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: "{}".into(),
        timeout: Duration::from_secs(60),
    }
}

/// The server side of TLS, with the certificate of `tls.example`.
pub(crate) fn acceptor() -> TlsAcceptor {
    let certificate = CertificateDer::from(include_bytes!("../tls/server.der").to_vec());
    let key = PrivateKeyDer::try_from(include_bytes!("../tls/server-key.der").to_vec()).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("a certificate");
    TlsAcceptor::from(Arc::new(config))
}
