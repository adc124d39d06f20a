//! A server on a real socket, and a backend that does as the operation's name suggests.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed unwrap is a failed test")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use sortkey_api::{ApiError, OperationId};
use sortkey_engine::JsonReply;
use sortkey_server::{Backend, Call, Mount, Readiness, Server, Settings};
pub use sortkey_testkit::{Answer, Client};
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, oneshot};

/// A backend whose operations each do one thing worth testing.
pub struct Fake {
    pub readiness: Readiness,
    /// One permit for each slow or endless call that has begun.
    pub begun: Arc<Semaphore>,
}

impl Default for Fake {
    fn default() -> Fake {
        Fake { readiness: Readiness::Ready, begun: Arc::new(Semaphore::new(0)) }
    }
}

impl Backend for Fake {
    fn call(&self, call: Call) -> impl Future<Output = JsonReply> + Send {
        assert_ne!(call.operation, OperationId::DeleteItem, "a bug before the future");
        let begun = Arc::clone(&self.begun);
        async move {
            let result = match call.operation {
                OperationId::Scan => Ok(br#"{"Item":{}}"#.repeat(10_000)),
                OperationId::BatchGetItem => Ok(vec![b'x'; 8 << 20]),
                OperationId::PutItem => Err(ApiError::conditional_check_failed(None)),
                OperationId::DeleteTable => panic!("a bug in the future"),
                OperationId::CreateTable => {
                    begun.add_permits(1);
                    std::future::pending().await
                }
                OperationId::UpdateTable => {
                    begun.add_permits(1);
                    tokio::time::sleep(Duration::from_millis(300)).await;
                    Ok(b"slow".to_vec())
                }
                operation => {
                    let fork = call.fork.map_or("main".to_owned(), |fork| fork.to_string());
                    let (name, length) = (operation.name(), call.body.len());
                    Ok(format!("{name} of {length} bytes on {fork}").into_bytes())
                }
            };
            JsonReply { result, table: Some("music".into()) }
        }
    }

    fn readiness(&self) -> Readiness {
        self.readiness.clone()
    }
}

/// A running server, stopped when dropped.
pub struct Running {
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    stopped: Option<tokio::task::JoinHandle<()>>,
    begun: Arc<Semaphore>,
    runtime: Runtime,
}

/// Starts a server with the fake backend.
pub fn start(settings: Settings) -> Running {
    start_with(Fake::default(), settings, Vec::new())
}

pub fn start_with(backend: Fake, settings: Settings, mounts: Vec<Mount>) -> Running {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let begun = Arc::clone(&backend.begun);
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), backend, settings, mounts);
    let server = runtime.block_on(server).unwrap();
    let address = server.local_address().unwrap();
    let (stop, stopping) = oneshot::channel::<()>();
    let stopped = runtime.spawn(server.run(async move {
        let _ = stopping.await;
    }));
    Running { address, stop: Some(stop), stopped: Some(stopped), begun, runtime }
}

impl Running {
    pub fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    /// One request on a connection of its own.
    pub fn ask(&self, request: &[u8]) -> Answer {
        Client::ask(self.address, request)
    }

    /// Waits until a slow or endless call has reached the backend.
    pub fn wait_until_busy(&self) {
        self.runtime.block_on(self.begun.acquire()).unwrap().forget();
    }

    /// Asks the server to stop, without waiting.
    pub fn begin_shutdown(&mut self) {
        self.stop.take();
    }

    /// Waits until the server has stopped.
    pub fn wait(&mut self) {
        if let Some(stopped) = self.stopped.take() {
            self.runtime.block_on(stopped).unwrap();
        }
    }
}

/// A signed request of an operation.
pub fn signed(target: &str, extra_headers: &str, body: &[u8]) -> Vec<u8> {
    let mut request = format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: {target}\r\n\
         X-Amz-Date: 20261115T123600Z\r\nAuthorization: AWS4-HMAC-SHA256 \
         Credential=AKID/20261115/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=abc\r\n\
         Content-Length: {}\r\n{extra_headers}\r\n",
        body.len()
    )
    .into_bytes();
    request.extend_from_slice(body);
    request
}

/// A good request, answered `GetItem of 2 bytes on main`.
pub fn get_item() -> Vec<u8> {
    signed("DynamoDB_20120810.GetItem", "", b"{}")
}
