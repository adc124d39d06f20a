//! One request to a server of ours, and its answer.

use std::io;
use std::net::TcpStream;
use std::pin::Pin;

use hyper::body::{Body, Incoming};
use hyper::header::{CONNECTION, HOST, HeaderName, HeaderValue};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::failure::Failure;
use crate::tls::{self, Trust};

/// The most of an answer that is read: more than any page holds.
const MAX_ANSWER_BYTES: usize = 64 << 20;

/// A response.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

/// The address of a server, and the certificates to trust for it.
#[derive(Debug)]
pub(crate) struct Endpoint {
    text: String,
    /// `host:port`.
    pub(crate) authority: String,
    is_encrypted: bool,
    trust: Trust,
}

/// A connection that blocks.
pub(crate) trait Blocking: io::Read + io::Write {}

impl<S: io::Read + io::Write> Blocking for S {}

/// A connection that does not.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

impl Endpoint {
    /// Reads `http://host:port` or `https://host:port`.
    pub(crate) fn new(text: &str, trust: &Trust) -> Result<Endpoint, Failure> {
        let (rest, is_encrypted) = match text.strip_prefix("https://") {
            Some(rest) => (rest, true),
            None => (text.strip_prefix("http://").unwrap_or(text), false),
        };
        let authority = rest.trim_end_matches('/');
        // A bare word is more likely a slip of the keyboard than the name of a machine.
        let is_bare = authority == text && !authority.contains([':', '.']) && authority != "localhost";
        if authority.is_empty() || authority.contains('/') || is_bare {
            let failure = Failure::new(format_args!("{text:?} is not an endpoint"));
            return Err(failure.hint("write it like http://127.0.0.1:8000"));
        }
        let has_port = authority
            .rsplit_once(':')
            .is_some_and(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
        let authority = match has_port {
            true => authority.to_owned(),
            false => format!("{authority}:{}", if is_encrypted { 443 } else { 80 }),
        };
        Ok(Endpoint { text: text.to_owned(), authority, is_encrypted, trust: trust.clone() })
    }

    /// Connects, for work that may block.
    pub(crate) fn connect_blocking(&self) -> Result<Box<dyn Blocking>, Failure> {
        let stream = TcpStream::connect(&self.authority).map_err(|error| self.unreachable(&error))?;
        if !self.is_encrypted {
            return Ok(Box::new(stream));
        }
        let session =
            rustls::ClientConnection::new(tls::config(&self.trust)?, tls::server_name(&self.authority)?);
        let mut session = session.map_err(|error| self.unreachable(&error))?;
        let mut stream = stream;
        while session.is_handshaking() {
            session.complete_io(&mut stream).map_err(|error| self.unreachable(&error))?;
        }
        Ok(Box::new(rustls::StreamOwned::new(session, stream)))
    }

    async fn connect(&self) -> Result<Box<dyn Stream>, Failure> {
        let stream = tokio::net::TcpStream::connect(&self.authority).await;
        let stream = stream.map_err(|error| self.unreachable(&error))?;
        if !self.is_encrypted {
            return Ok(Box::new(stream));
        }
        let connector = tokio_rustls::TlsConnector::from(tls::config(&self.trust)?);
        let connected = connector.connect(tls::server_name(&self.authority)?, stream).await;
        Ok(Box::new(connected.map_err(|error| self.unreachable(&error))?))
    }

    fn unreachable(&self, why: &dyn std::fmt::Display) -> Failure {
        let failure = Failure::new(format_args!("cannot reach {}: {why}", self.text));
        match self.is_encrypted {
            true => {
                failure.hint("--ca FILE trusts the certificates in a file; --endpoint names another server")
            }
            false => failure.hint(
                "start a server with `sortkey up` or `sortkey serve`, or name where it runs with --endpoint",
            ),
        }
    }

    /// Sends a request and waits for the whole answer.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(HeaderName, String)],
        body: String,
    ) -> Result<Answer, Failure> {
        let stream = self.connect().await?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|error| self.unreachable(&error))?;
        // The connection ends with its one answer; its errors are reported by the request as well.
        tokio::spawn(connection);
        let mut request = Request::builder().method(method).uri(path).header(HOST, &self.authority);
        request = request.header(CONNECTION, "close");
        for (name, value) in headers {
            let value = HeaderValue::from_bytes(value.as_bytes())
                .map_err(|_| Failure::new(format_args!("{value:?} cannot be sent as the header {name}")))?;
            request = request.header(name, value);
        }
        let request = request.body(body).map_err(Failure::new)?;
        let answer = sender.send_request(request).await.map_err(|error| self.unreachable(&error))?;
        let status = answer.status().as_u16();
        let body = receive(answer.into_body()).await.map_err(|error| self.unreachable(&error))?;
        Ok(Answer { status, body })
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_have_a_port_and_no_path() {
        for (text, expected) in [
            ("http://127.0.0.1:8000", Some(("127.0.0.1:8000", false))),
            ("127.0.0.1:8000/", Some(("127.0.0.1:8000", false))),
            ("http://db.example", Some(("db.example:80", false))),
            ("https://db.example", Some(("db.example:443", true))),
            ("https://[::1]:8443/", Some(("[::1]:8443", true))),
            ("https://", None),
            ("nonsense", None),
            ("http://db.example/path", None),
        ] {
            let endpoint = Endpoint::new(text, &Trust::default()).ok();
            let found = endpoint.as_ref().map(|endpoint| (&*endpoint.authority, endpoint.is_encrypted));
            assert_eq!(found, expected, "{text}");
        }
    }
}
