//! Why there is no answer. The texts are shown to those who chose the destination, so they contain no address that a name led to.

use std::net::IpAddr;

use thiserror::Error;

use crate::address::Range;
use crate::progress::Phase;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// The address cannot be read, or only by some.
    #[error("the URL is refused: {0}")]
    Url(#[from] UrlError),
    /// The port may not be reached.
    #[error("port {port} is not allowed")]
    Port {
        /// The port.
        port: u16,
    },
    /// The request itself cannot be sent.
    #[error("the request is not valid: {0}")]
    Request(&'static str),
    /// The destination leads to an address that may not be reached.
    #[error("`{host}` leads to {range}, which is not allowed")]
    Refused {
        /// The name or the address.
        host: String,
        /// The address that it leads to, for the log.
        address: IpAddr,
        /// Its kind.
        range: Range,
    },
    /// The name leads nowhere.
    #[error("`{host}` cannot be resolved: {reason}")]
    Resolve {
        /// The name.
        host: String,
        /// The error of the resolver.
        reason: String,
    },
    /// No connection was made.
    #[error("no connection: {reason}")]
    Connect {
        /// The error of the system.
        reason: String,
    },
    /// No secure connection was made: the certificate is not valid for the name, or there is no TLS at all.
    #[error("no secure connection: {reason}")]
    Tls {
        /// The problem.
        reason: String,
    },
    /// The time was up.
    #[error("no complete answer in time, while {during}")]
    Timeout {
        /// The phase of the request.
        during: Phase,
        /// The status, if the head of the answer had come.
        status: Option<u16>,
    },
    /// The connection was closed before the answer was complete.
    #[error("the connection was closed before the answer was complete")]
    Reset {
        /// The status, if the head of the answer had come.
        status: Option<u16>,
    },
    /// The answer is not HTTP.
    #[error("the answer is not valid HTTP: {reason}")]
    Malformed {
        /// The problem.
        reason: String,
    },
    /// The head of the answer, or what was sent before it, is too large.
    #[error("the head of the answer is too large")]
    HeadTooLarge,
    /// The client itself cannot be used.
    #[error("TLS cannot be set up: {0}")]
    Setup(String),
}

/// Why an address of a destination is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum UrlError {
    /// Not HTTP.
    #[error("expected `http://` or `https://`")]
    Scheme,
    /// A user name before the host.
    #[error("a user name or password before the host is not allowed")]
    Userinfo,
    /// A character that readers treat differently.
    #[error("spaces, control characters and backslashes are not allowed")]
    Character,
    /// An IPv4 address that is not four decimal numbers.
    #[error("an IPv4 address is written as four decimal numbers")]
    Notation,
    /// Not an address of a destination.
    #[error("it is malformed")]
    Malformed,
    /// Too long.
    #[error("it has more than 8 KB")]
    TooLong,
}
