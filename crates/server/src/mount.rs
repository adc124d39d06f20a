//! Pages and routes beside the database: administration, and whatever else a program serves on the port.
//!
//! Nothing here is on the way of a DynamoDB request, so it is plain: whole requests, one boxed future, and responses
//! that are whole unless they are too large for that.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use hyper::body::Bytes;
use hyper::{Request, Response, StatusCode};
use tokio::sync::mpsc;

/// Answers the requests below a path.
pub trait Handler: Send + Sync + 'static {
    /// Answers one request, whose body has been received and decompressed.
    fn handle<'a>(
        &'a self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Response<Content>> + Send + 'a>>;

    /// Formats the refusal of a request that never reached the handler or failed in it. With `None`, the client gets
    /// the error that a DynamoDB client would.
    fn refuse(&self, status: StatusCode, why: &str) -> Option<Response<Content>> {
        let _ = (status, why);
        None
    }
}

/// The client's address: an extension of every request that a mount answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

/// The body of a response.
pub enum Content {
    /// Is there already.
    Whole(Vec<u8>),
    /// Is made while it is sent, by a thread of its own. An error cuts the connection, so that the client notices.
    Pieces(Box<dyn Iterator<Item = io::Result<Vec<u8>>> + Send>),
    /// Arrives from elsewhere, perhaps for hours: events. The answer ends when the sender is dropped.
    Events(mpsc::Receiver<io::Result<Vec<u8>>>),
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Content {
        Content::Whole(bytes)
    }
}

/// The clients that may use a mount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Any client that reaches the port: the handler checks credentials itself, or is declared to need none.
    Anyone,
    /// Programs on this machine while the server asks for no credentials; administrators once it does.
    ThisMachine,
    /// Like [`Access::ThisMachine`], and from this machine only unless the server's settings allow others.
    Operator,
}

/// A handler at its place.
#[derive(Clone)]
pub struct Mount {
    /// Paths that equal the prefix or continue it after a slash belong to the handler; no trailing slash.
    pub prefix: &'static str,
    /// The clients that may use it.
    pub access: Access,
    /// The handler of its requests.
    pub handler: Arc<dyn Handler>,
}

impl Mount {
    /// Whether a path belongs here.
    pub(crate) fn covers(&self, path: &str) -> bool {
        path.strip_prefix(self.prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Debug for Mount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mount")
            .field("prefix", &self.prefix)
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}
