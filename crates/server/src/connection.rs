//! One connection, from accept to close. Its failures do not affect other connections.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;

use hyper::header::HeaderValue;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::backend::Backend;
use crate::connections::Membership;
use crate::framing::{Framing, UnclearLength};
use crate::meter::Meter;
use crate::progress::{Order, Progress};
use crate::request_id::RequestIds;
use crate::routes;
use crate::shared::Shared;
use crate::tls::Tls;

/// Largest request head. Reads of bodies are smaller, since every connection keeps its buffer; see `meter.rs`.
const BUFFER_BYTES: usize = 64 << 10;

/// The state that the requests of one connection share.
#[derive(Debug)]
pub(crate) struct Connection<B> {
    pub(crate) server: Arc<Shared<B>>,
    pub(crate) peer: SocketAddr,
    pub(crate) is_encrypted: bool,
    pub(crate) progress: Arc<Progress>,
    unclear_length: Arc<UnclearLength>,
    ids: RequestIds,
    requests: AtomicU64,
}

impl<B> Connection<B> {
    /// Whether the length of the request that is being answered now can be read in several ways.
    pub(crate) fn has_unclear_length(&self) -> bool {
        self.unclear_length.is(self.requests.load(Ordering::Relaxed))
    }

    /// The id of the request that is being answered now.
    pub(crate) fn next_request_id(&self) -> HeaderValue {
        // Requests of one connection follow one another, so nothing races for this number.
        self.ids.id(self.requests.fetch_add(1, Ordering::Relaxed))
    }
}

/// Serves a connection until either side closes it.
pub(crate) async fn serve<B: Backend>(
    server: Arc<Shared<B>>,
    stream: TcpStream,
    peer: SocketAddr,
    number: u64,
    membership: Membership,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%peer, %error, "connection closed before it began");
        return;
    }
    server.metrics.connections_accepted.add(1);
    let served = match server.settings.tls.as_ref().map(Tls::acceptor) {
        None => speak(server, stream, peer, false, number, &membership).await.map_err(io::Error::other),
        Some(acceptor) => match handshake(&acceptor, stream, &membership.progress).await {
            Ok(Some(stream)) => {
                speak(server, stream, peer, true, number, &membership).await.map_err(io::Error::other)
            }
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        },
    };
    if let Err(error) = served {
        tracing::debug!(%peer, %error, "connection failed");
    }
}

/// Waits for the client's side of a TLS handshake; `None` if the server is closing the connection.
async fn handshake(
    acceptor: &TlsAcceptor,
    stream: TcpStream,
    progress: &Progress,
) -> io::Result<Option<TlsStream<TcpStream>>> {
    progress.handshake_began();
    let mut accepting = pin!(accept(acceptor, stream));
    let accepted = std::future::poll_fn(|cx| match progress.order(cx.waker()) {
        Order::Serve => accepting.as_mut().poll(cx).map(Some),
        Order::Drain | Order::Close => Poll::Ready(None),
    });
    let accepted = accepted.await.transpose()?;
    progress.handshake_ended();
    Ok(accepted)
}

/// Every TLS connection begins with a record of this type.
const HANDSHAKE_RECORD: u8 = 0x16;

async fn accept(acceptor: &TlsAcceptor, mut stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
    let mut first = [0];
    let is_tls = stream.peek(&mut first).await? == 0 || first == [HANDSHAKE_RECORD];
    if !is_tls {
        // The received bytes must be read, or closing the connection would discard the answer.
        let _ = stream.try_read(&mut [0; 4096]);
        stream.write_all(PLAIN_ANSWER).await?;
        return Err(io::Error::new(io::ErrorKind::InvalidData, "plain HTTP where TLS was expected"));
    }
    acceptor.accept(stream).await
}

/// The answer to plain HTTP where TLS was expected.
const PLAIN_ANSWER: &[u8] = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\n\
    Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nContent-Length: 58\r\n\r\nThis server is reached by https://, and this was http://.\n";

/// Answers the requests that come on a stream.
async fn speak<B: Backend, S: AsyncRead + AsyncWrite + Unpin>(
    server: Arc<Shared<B>>,
    stream: S,
    peer: SocketAddr,
    is_encrypted: bool,
    number: u64,
    membership: &Membership,
) -> Result<(), hyper::Error> {
    let unclear_length = Arc::<UnclearLength>::default();
    let io = Meter {
        stream,
        progress: membership.progress.clone(),
        metrics: server.metrics.clone(),
        framing: Framing::default(),
        unclear_length: Arc::clone(&unclear_length),
    };
    let connection = Arc::new(Connection {
        peer,
        is_encrypted,
        progress: membership.progress.clone(),
        unclear_length,
        ids: RequestIds::new(server.settings.request_id_seed, number),
        requests: AtomicU64::new(0),
        server,
    });
    let service = service_fn(move |request| {
        let connection = connection.clone();
        async move { routes::answer(&connection, request).await }
    });
    let http = http1::Builder::new()
        .half_close(true)
        .max_buf_size(BUFFER_BYTES)
        .serve_connection(TokioIo::new(io), service);
    obey(http, &membership.progress).await
}

/// Drives a connection until it ends or gets an order to.
async fn obey<I, S, E>(
    http: http1::Connection<TokioIo<Meter<I>>, S>,
    progress: &Progress,
) -> Result<(), hyper::Error>
where
    I: AsyncRead + AsyncWrite + Unpin,
    S: hyper::service::HttpService<hyper::body::Incoming, ResBody = crate::reply::ReplyBody, Error = E>,
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let mut http = pin!(http);
    let mut draining = false;
    std::future::poll_fn(|cx| {
        match progress.order(cx.waker()) {
            Order::Serve => {}
            Order::Drain if draining => {}
            Order::Drain => {
                draining = true;
                http.as_mut().graceful_shutdown();
            }
            Order::Close => return Poll::Ready(Ok(())),
        }
        http.as_mut().poll(cx)
    })
    .await
}
