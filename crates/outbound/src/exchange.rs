//! One connection: a request goes out, an answer comes back, within limits.

use std::error::Error as _;
use std::io;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::task::JoinHandle;

use crate::Error;
use crate::metered::{Meter, Metered};
use crate::progress::{Phase, Progress};
use crate::request::MAX_RESPONSE_BYTES;
use crate::stream::Stream;

/// How large the head of an answer may be.
const MAX_HEAD_BYTES: usize = 32 * 1024;

/// How many headers an answer may have.
const MAX_HEADERS: usize = 100;

/// How many bytes are read for each byte of a body that may be kept: interim answers and the sizes of chunks count too.
const WIRE_FACTOR: usize = 4;

/// Called with every part of a body as it arrives.
type Part<'a> = &'a mut (dyn FnMut(&[u8]) + Send);

/// The way in which the body of an answer is read.
pub(crate) struct Reading<'a> {
    /// The part that is kept.
    pub(crate) body: Vec<u8>,
    /// The largest number of bytes that are read.
    pub(crate) max_bytes: usize,
    part: Option<Part<'a>>,
    read_bytes: usize,
}

impl<'a> Reading<'a> {
    /// The body is kept.
    pub(crate) fn whole() -> Reading<'a> {
        Reading { body: Vec::new(), max_bytes: MAX_RESPONSE_BYTES, part: None, read_bytes: 0 }
    }

    /// The body is passed on as it arrives.
    pub(crate) fn in_parts(max_bytes: usize, part: &'a mut (dyn FnMut(&[u8]) + Send)) -> Reading<'a> {
        Reading { body: Vec::new(), max_bytes, part: Some(part), read_bytes: 0 }
    }

    /// Takes what arrived; whether it was more than may be read.
    fn take(&mut self, data: &[u8]) -> bool {
        let room = self.max_bytes - self.read_bytes;
        let taken = &data[..data.len().min(room)];
        self.read_bytes += taken.len();
        match &mut self.part {
            Some(part) => part(taken),
            None => self.body.extend_from_slice(taken),
        }
        data.len() > room
    }
}

/// A connection on which one request at a time is sent. It is closed when it is dropped.
pub(crate) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    meter: Meter,
    driver: Driver,
}

/// The task that reads and writes.
struct Driver(JoinHandle<()>);

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Why there is no answer.
pub(crate) enum Failed {
    /// The connection was closed before anything was sent, so that the request may be sent on another one.
    Unsent(Box<Request<Full<Bytes>>>),
    /// Anything else.
    Sent(Error),
}

impl Connection {
    pub(crate) async fn open(stream: Stream) -> Result<Connection, Error> {
        let meter = Meter::new(WIRE_FACTOR * MAX_RESPONSE_BYTES);
        let stream = TokioIo::new(Metered::new(stream, meter.clone()));
        let (sender, connection) = http1::Builder::new()
            .max_buf_size(MAX_HEAD_BYTES)
            .max_headers(MAX_HEADERS)
            .handshake(stream)
            .await
            .map_err(|error| Error::Connect { reason: error.to_string() })?;
        // The task ends with an error when the connection breaks; the request gets that error as well.
        let driver = Driver(tokio::spawn(async move { drop(connection.await) }));
        Ok(Connection { sender, meter, driver })
    }

    /// Whether another request can be sent.
    pub(crate) fn is_usable(&self) -> bool {
        !self.sender.is_closed() && !self.driver.0.is_finished()
    }

    /// Sends a request and waits for the head of the answer.
    pub(crate) async fn send(
        &mut self,
        message: Request<Full<Bytes>>,
        max_bytes: usize,
        progress: &Progress,
    ) -> Result<Response<Incoming>, Failed> {
        progress.enter(Phase::Waiting);
        self.meter.reset(WIRE_FACTOR.saturating_mul(max_bytes));
        if let Err(error) = self.sender.ready().await {
            return Err(if error.is_closed() || error.is_canceled() {
                Failed::Unsent(Box::new(message))
            } else {
                Failed::Sent(self.error(&error, None))
            });
        }
        match self.sender.try_send_request(message).await {
            Ok(answer) => {
                progress.enter(Phase::Reading);
                progress.set_status(answer.status().as_u16());
                Ok(answer)
            }
            Err(mut failed) => Err(match failed.take_message() {
                Some(message) => Failed::Unsent(Box::new(message)),
                None => Failed::Sent(self.error(failed.error(), None)),
            }),
        }
    }

    /// Reads the body of an answer, up to the limit; whether there was more.
    pub(crate) async fn read(
        &self,
        body: &mut Incoming,
        status: u16,
        reading: &mut Reading<'_>,
    ) -> Result<bool, Error> {
        while let Some(frame) = body.frame().await {
            let frame = match frame {
                Ok(frame) => frame,
                Err(_) if self.meter.is_used_up() => return Ok(true),
                Err(error) => return Err(self.error(&error, Some(status))),
            };
            let Some(data) = frame.data_ref() else { continue };
            if reading.take(data) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn error(&self, error: &hyper::Error, status: Option<u16>) -> Error {
        if error.is_parse_too_large() || (self.meter.is_used_up() && status.is_none()) {
            Error::HeadTooLarge
        } else if error.is_parse() || is_invalid(error) {
            Error::Malformed { reason: error.to_string() }
        } else {
            // Resets, closed connections and incomplete bodies, whatever the system calls them.
            Error::Reset { status }
        }
    }
}

/// Whether the body is not of the form that its head announces, which hyper reports as an error of the system.
fn is_invalid(error: &hyper::Error) -> bool {
    let kind = error.source().and_then(|source| source.downcast_ref::<io::Error>()).map(io::Error::kind);
    matches!(kind, Some(io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData))
}
