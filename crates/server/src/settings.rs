//! Everything about a server that can be chosen, with the defaults and the reason for each number.

use std::sync::Arc;
use std::time::Duration;

use crate::audit::Audit;
use crate::guard::Guard;
use crate::tls::Tls;

/// How a server behaves towards its clients.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The region that the health text names.
    pub region: String,
    /// Largest request body, before and after decompression. DynamoDB's own limit.
    pub max_body_bytes: usize,
    /// Request bodies that may be held at once, all connections together, so that many large requests
    /// are refused one by one instead of exhausting the machine.
    pub max_buffered_bytes: usize,
    /// Connections open at once. When full, further clients wait in the listen queue while idle
    /// connections are asked to leave early.
    pub max_connections: usize,
    /// How long a client may take for its TLS handshake. No request of it has come yet, so little is lost.
    pub handshake_timeout: Duration,
    /// From the first byte of a request to the last of its body.
    pub receive_timeout: Duration,
    /// How long a client may leave a response unread before the connection is closed.
    pub send_timeout: Duration,
    /// How long a connection may rest between requests. Longer than the pools of the SDKs keep theirs, so
    /// that it is the client that closes and no request is lost to the race.
    pub idle_timeout: Duration,
    /// The idle timeout while every connection is taken.
    pub idle_timeout_when_full: Duration,
    /// How long requests in flight may take to finish once shutdown is asked for.
    pub shutdown_grace: Duration,
    /// Responses of at least this size are compressed for clients that accept it. DynamoDB's own threshold.
    pub compress_from_bytes: usize,
    /// Longest request line and headers together. DynamoDB's own limit.
    pub max_head_bytes: usize,
    /// Whether `POST /` is DynamoDB's API. It has no tenants, so a server that exposes a design to others closes it.
    pub dynamodb_api: bool,
    /// The access rules.
    pub guard: Guard,
    /// The audit log of decisions about requests, if there is one.
    pub audit: Option<Arc<Audit>>,
    /// Encrypts connections; without it the server uses plain HTTP.
    pub tls: Option<Tls>,
    /// Lines that the metrics page shows below the server's own.
    pub more_metrics: MoreMetrics,
    /// The seed of request ids. Ids of one seed are one sequence, so a test can predict them.
    pub request_id_seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            region: "us-east-1".to_owned(),
            max_body_bytes: 16 << 20,
            max_buffered_bytes: 512 << 20,
            max_connections: 10_000,
            handshake_timeout: Duration::from_secs(10),
            receive_timeout: Duration::from_secs(60),
            send_timeout: Duration::from_secs(60),
            idle_timeout: Duration::from_secs(300),
            idle_timeout_when_full: Duration::from_secs(5),
            shutdown_grace: Duration::from_secs(10),
            compress_from_bytes: 4 << 10,
            max_head_bytes: 16 << 10,
            dynamodb_api: true,
            guard: Guard::default(),
            audit: None,
            tls: None,
            more_metrics: MoreMetrics::default(),
            request_id_seed: 0,
        }
    }
}

/// Produces further lines of the metrics page, in Prometheus's format.
#[derive(Clone, Default)]
pub struct MoreMetrics(Option<Arc<dyn Fn() -> String + Send + Sync>>);

impl MoreMetrics {
    /// Lines that are made whenever the page is.
    pub fn new(lines: impl Fn() -> String + Send + Sync + 'static) -> MoreMetrics {
        MoreMetrics(Some(Arc::new(lines)))
    }

    pub(crate) fn lines(&self) -> String {
        self.0.as_ref().map(|lines| lines()).unwrap_or_default()
    }
}

impl std::fmt::Debug for MoreMetrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("MoreMetrics").field(&self.0.is_some()).finish()
    }
}
