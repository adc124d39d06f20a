//! The client.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};

use crate::Error;
use crate::dial::Dialer;
use crate::exchange::{Connection, Failed, Reading};
use crate::policy::Policy;
use crate::pool::{Place, Pool};
use crate::progress::Progress;
use crate::request::{Request, Response, message};
use crate::resolve::{Resolver, SystemResolver};
use crate::stream::Stream;
use crate::target::Target;

/// Sends requests to destinations that strangers choose. Cloning it shares its connections.
#[derive(Clone)]
pub struct Client {
    pub(crate) dialer: Arc<Dialer>,
    pool: Arc<Pool>,
}

impl Client {
    /// A client with the resolver of the operating system.
    pub fn new(policy: Policy) -> Result<Client, Error> {
        Client::with_resolver(policy, Arc::new(SystemResolver::default()))
    }

    /// A client with a resolver of its own.
    pub fn with_resolver(policy: Policy, resolver: Arc<dyn Resolver>) -> Result<Client, Error> {
        Ok(Client { dialer: Arc::new(Dialer::new(policy, resolver)?), pool: Arc::default() })
    }

    /// Sends a request once and reads the answer. Must be called on a Tokio runtime with I/O and time.
    pub async fn send(&self, request: Request) -> Result<Response, Error> {
        self.send_with(request, &mut Reading::whole()).await
    }

    /// Like [`Client::send`], but passes the body on as it arrives, up to so many bytes. The response has no body.
    pub async fn stream(
        &self,
        request: Request,
        max_bytes: usize,
        part: &mut (dyn FnMut(&[u8]) + Send),
    ) -> Result<Response, Error> {
        self.send_with(request, &mut Reading::in_parts(max_bytes, part)).await
    }

    async fn send_with(&self, request: Request, reading: &mut Reading<'_>) -> Result<Response, Error> {
        let begin = Instant::now();
        let deadline = begin + request.timeout.min(self.dialer.policy.max_timeout);
        let progress = Progress::default();
        // When the time is up, the attempt is dropped with its connection.
        match timeout_at(deadline, self.attempt(request, deadline, &progress, reading)).await {
            Ok(outcome) => outcome.map(|response| Response { latency: begin.elapsed(), ..response }),
            Err(_) => Err(Error::Timeout { during: progress.phase(), status: progress.status() }),
        }
    }

    async fn attempt(
        &self,
        request: Request,
        deadline: Instant,
        progress: &Progress,
        reading: &mut Reading<'_>,
    ) -> Result<Response, Error> {
        let target = Target::parse(&request.url)?;
        if !self.dialer.policy.allows_port(target.port) {
            return Err(Error::Port { port: target.port });
        }
        let mut message = message(request.method, &target, &request.headers, request.body)?;
        let addresses = self.dialer.addresses(&target.host, progress).await?;
        let place = |address| Place { is_tls: target.is_tls, host: target.host.clone(), address };
        for address in addresses.iter() {
            let place = place(SocketAddr::new(*address, target.port));
            while let Some(mut connection) = self.pool.take(&place) {
                match connection.send(message, reading.max_bytes, progress).await {
                    Ok(answer) => return self.finish(place, connection, answer, reading).await,
                    // The server closed it while it was idle: not an attempt yet.
                    Err(Failed::Unsent(unsent)) => message = *unsent,
                    Err(Failed::Sent(error)) => return Err(error),
                }
            }
        }

        let (stream, address) = self.dialer.connect(&addresses, target.port, deadline, progress).await?;
        let stream = if target.is_tls {
            Stream::Tls(Box::new(self.dialer.secure(stream, &target.host, progress).await?))
        } else {
            Stream::Plain(stream)
        };
        let mut connection = Connection::open(stream).await?;
        match connection.send(message, reading.max_bytes, progress).await {
            Ok(answer) => self.finish(place(address), connection, answer, reading).await,
            Err(Failed::Unsent(_)) => Err(Error::Reset { status: None }),
            Err(Failed::Sent(error)) => Err(error),
        }
    }

    /// Reads the answer, and keeps the connection if the answer was read to its end.
    async fn finish(
        &self,
        place: Place,
        connection: Connection,
        answer: http::Response<Incoming>,
        reading: &mut Reading<'_>,
    ) -> Result<Response, Error> {
        let (head, mut body) = answer.into_parts();
        let status = head.status.as_u16();
        let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = head.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value)));
        let headers = headers.collect();
        let is_truncated = connection.read(&mut body, status, reading).await?;
        let body = std::mem::take(&mut reading.body);
        // After 101 the connection is switched to another protocol.
        if !is_truncated && status != 101 {
            self.pool.put(place, connection);
        }
        Ok(Response { status, headers, body, is_truncated, latency: Duration::ZERO })
    }
}
