//! One request to a server of ours, and its answer.

use std::pin::Pin;

use hyper::body::{Body, Incoming};
use hyper::header::{CONNECTION, HOST, HeaderName, HeaderValue};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;

use crate::failure::Failure;

/// The most of an answer that is read: more than any page holds.
const MAX_ANSWER_BYTES: usize = 64 << 20;

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

/// Sends a request to `http://host:port` and waits for the whole answer.
pub(crate) async fn send(
    endpoint: &str,
    method: Method,
    path: &str,
    headers: &[(HeaderName, String)],
    body: String,
) -> Result<Answer, Failure> {
    let authority = authority(endpoint)?;
    let unreachable = |why: String| {
        Failure::new(format_args!("cannot reach {endpoint}: {why}"))
            .hint("start a design with `sortkey up PATH`, or name where it runs with --endpoint")
    };
    let stream =
        tokio::net::TcpStream::connect(&authority).await.map_err(|error| unreachable(error.to_string()))?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| unreachable(error.to_string()))?;
    // The connection ends with its one answer; what goes wrong on it, the request tells as well.
    tokio::spawn(connection);
    let mut request = Request::builder().method(method).uri(path).header(HOST, &authority);
    request = request.header(CONNECTION, "close");
    for (name, value) in headers {
        let value = HeaderValue::from_bytes(value.as_bytes())
            .map_err(|_| Failure::new(format_args!("{value:?} cannot be sent as the header {name}")))?;
        request = request.header(name, value);
    }
    let request = request.body(body).map_err(Failure::new)?;
    let answer = sender.send_request(request).await.map_err(|error| unreachable(error.to_string()))?;
    let status = answer.status().as_u16();
    let body = receive(answer.into_body()).await.map_err(|error| unreachable(error.to_string()))?;
    Ok(Answer { status, body })
}

async fn receive(mut incoming: Incoming) -> Result<Vec<u8>, hyper::Error> {
    let mut body = Vec::new();
    while let Some(frame) = std::future::poll_fn(|context| Pin::new(&mut incoming).poll_frame(context)).await
    {
        if let Ok(data) = frame?.into_data() {
            body.extend_from_slice(&data);
        }
        if body.len() > MAX_ANSWER_BYTES {
            break;
        }
    }
    Ok(body)
}

/// `host:port` of an endpoint.
fn authority(endpoint: &str) -> Result<String, Failure> {
    let bad = |hint: &str| Failure::new(format_args!("{endpoint:?} is no endpoint")).hint(hint);
    if endpoint.starts_with("https://") {
        return Err(bad("this command speaks http:// only; use curl where TLS stands before the server"));
    }
    let authority = endpoint.strip_prefix("http://").unwrap_or(endpoint).trim_end_matches('/');
    if authority.is_empty() || authority.contains('/') {
        return Err(bad("write it like http://127.0.0.1:8000"));
    }
    let has_port =
        authority.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    Ok(if has_port { authority.to_owned() } else { format!("{authority}:80") })
}
