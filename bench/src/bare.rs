//! The ceiling: a hyper server that reads a request to its end and answers prepared bytes without looking at it.

use std::convert::Infallible;
use std::io;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// Serves an answer, given as the bytes of an HTTP response, until the process ends.
pub fn serve(answer: &[u8]) -> io::Result<()> {
    let response = parse(answer)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("listening on http://{}", listener.local_addr()?);
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let response = response.clone();
            tokio::spawn(async move {
                let service = service_fn(|request: Request<Incoming>| {
                    let response = response.clone();
                    async {
                        // A body that cannot be read ends the connection, which hyper does by itself.
                        let _ = request.into_body().collect().await;
                        Ok::<_, Infallible>(response)
                    }
                });
                let _ = hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            });
        }
    })
}

/// The response in bytes that a server once sent, without the headers that hyper adds itself.
fn parse(answer: &[u8]) -> io::Result<Response<Full<Bytes>>> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").ok_or(io::ErrorKind::InvalidData)?;
    let head = std::str::from_utf8(&answer[..end]).map_err(io::Error::other)?;
    let mut headers = HeaderMap::new();
    for (name, value) in head.lines().skip(1).filter_map(|line| line.split_once(':')) {
        if name.eq_ignore_ascii_case("content-length") || name.eq_ignore_ascii_case("date") {
            continue;
        }
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(io::Error::other)?;
        headers.insert(name, HeaderValue::from_str(value.trim()).map_err(io::Error::other)?);
    }
    let mut response = Response::new(Full::new(Bytes::copy_from_slice(&answer[end + 4..])));
    *response.headers_mut() = headers;
    Ok(response)
}
