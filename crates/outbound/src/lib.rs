//! HTTP and mail to destinations that strangers choose: receivers of webhooks, addresses of users.
//!
//! A [`Client`] sends one request and reads one bounded answer. A [`Policy`] bounds the destinations: by default every globally
//! routable address and nothing else, so that no name, notation or answer of a DNS server leads to the machine itself, to its network or to the
//! credentials of its cloud.
//!
//! Invariants:
//! - A connection is made to an address that was vetted, never to a name: there is no second lookup that could answer something else.
//! - One address that is refused refuses the whole name. The address of cloud metadata is refused whatever the policy allows.
//! - Redirects are answers, proxies of the environment are ignored, and nothing is decompressed.
//! - One deadline covers a request from its lookup to the last byte of its answer, and what is read of an answer is bounded.

mod address;
mod client;
mod dial;
mod error;
mod exchange;
pub mod mail;
mod metered;
mod policy;
mod pool;
mod progress;
mod request;
mod resolve;
mod stream;
mod target;
mod tls;

pub use address::{Range, special};
pub use client::Client;
pub use error::{Error, UrlError};
pub use http::Method;
pub use ipnet::IpNet;
pub use policy::{Policy, PolicyError, Ports};
pub use progress::Phase;
pub use request::{MAX_RESPONSE_BYTES, Request, Response};
pub use resolve::{Resolver, Resolving, SystemResolver};
