//! One connection, from accept to close. Whatever happens on it, happens to it alone.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;

use hyper::header::HeaderValue;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::backend::Backend;
use crate::connections::Membership;
use crate::meter::Meter;
use crate::progress::{Order, Progress};
use crate::request_id::RequestIds;
use crate::routes;
use crate::shared::Shared;

/// Largest request head, and the size of one read of a body: more would be paid by every connection.
const BUFFER_BYTES: usize = 64 << 10;

/// What the requests of one connection have in common.
#[derive(Debug)]
pub(crate) struct Connection<B> {
    pub(crate) server: Arc<Shared<B>>,
    pub(crate) peer: SocketAddr,
    pub(crate) progress: Arc<Progress>,
    ids: RequestIds,
    requests: AtomicU64,
}

impl<B> Connection<B> {
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
    let metrics = server.metrics.clone();
    metrics.connections_accepted.add(1);
    let io = Meter { stream, progress: membership.progress.clone(), metrics };
    let connection = Arc::new(Connection {
        peer,
        progress: membership.progress.clone(),
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
    if let Err(error) = obey(http, &membership.progress).await {
        tracing::debug!(%peer, %error, "connection failed");
    }
}

/// Drives a connection until it ends or is told to.
async fn obey<S, E>(
    http: http1::Connection<TokioIo<Meter>, S>,
    progress: &Progress,
) -> Result<(), hyper::Error>
where
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
