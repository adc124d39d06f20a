//! The counters of workers in a process of their own, for Prometheus. Such a process serves nothing else, so this is no server:
//! one request is read from each connection, answered and closed.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::failure::Failure;

/// The longest head of a request that is read.
const MAX_HEAD_BYTES: usize = 8 * 1024;

/// How long a connection may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many connections are answered at a time; others wait.
const MAX_CONNECTIONS: usize = 16;

/// Makes the page that is shown.
type Page = Arc<dyn Fn() -> String + Send + Sync>;

/// Answers `GET /metrics` at an address for as long as the process runs. Returns the address, with the port that was taken.
pub(super) async fn expose(address: &str, page: Page) -> Result<SocketAddr, Failure> {
    let cannot = |error| Failure::new(format_args!("cannot listen on --metrics \"{address}\": {error}"));
    let listener = TcpListener::bind(address).await.map_err(cannot)?;
    let bound = listener.local_addr().map_err(cannot)?;
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    tokio::spawn(async move {
        while let Ok(place) = Arc::clone(&places).acquire_owned().await {
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            };
            let page = Arc::clone(&page);
            tokio::spawn(async move {
                // A client that is too slow or goes away gets nothing.
                let _ = tokio::time::timeout(PATIENCE, answer(stream, &page)).await;
                drop(place);
            });
        }
    });
    Ok(bound)
}

async fn answer(mut stream: TcpStream, page: &Page) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.windows(4).any(|four| four == b"\r\n\r\n") {
        let mut part = [0; 1024];
        let read = stream.read(&mut part).await?;
        if read == 0 || head.len() + read > MAX_HEAD_BYTES {
            return Ok(());
        }
        head.extend_from_slice(&part[..read]);
    }
    let (status, body) = match head.starts_with(b"GET /metrics ") {
        true => ("200 OK", page()),
        false => ("404 Not Found", "GET /metrics\n".to_owned()),
    };
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.shutdown().await
}
