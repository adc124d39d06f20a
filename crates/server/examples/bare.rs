//! The yardstick: a hyper server that answers the bytes of a GetItem without looking at the request.
//!
//! `cargo run --release -p sortkey-server --example bare` listens on port 8001; docs/design/server.md describes how to
//! compare.

use std::convert::Infallible;
use std::pin::Pin;

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

const BODY: &[u8] =
    br#"{"Item":{"pk":{"S":"user#1"},"sk":{"S":"profile"},"name":{"S":"somebody"},"age":{"N":"42"}}}"#;

/// A body in one piece.
struct Whole(Option<Bytes>);

impl Body for Whole {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        std::task::Poll::Ready(self.0.take().map(|data| Ok(Frame::data(data))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.as_ref().map_or(0, Bytes::len) as u64)
    }
}

async fn answer(request: Request<Incoming>) -> Result<Response<Whole>, Infallible> {
    let mut body = request.into_body();
    while let Some(Ok(_)) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {}
    let mut response = Response::new(Whole(Some(Bytes::from_static(BODY))));
    let id = "UM8OD8T0PVTQCVQHSPSKCTQL2VVV4KQNSO5AEMVJF66Q9ASUAAJG";
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-amz-json-1.0"));
    headers.insert(HeaderName::from_static("x-amzn-requestid"), HeaderValue::from_static(id));
    headers.insert(HeaderName::from_static("x-amz-crc32"), HeaderValue::from_static("2745614147"));
    Ok(response)
}

fn main() -> std::io::Result<()> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:8001").await?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(answer)));
        }
    })
}
