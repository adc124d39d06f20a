//! HTTP/1.1 as a load generator needs it: requests that are bytes already, and answers that are framed right and
//! otherwise left alone.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The bytes of a signed request, as an SDK would send it.
pub fn request(operation: &str, body: &str) -> Vec<u8> {
    format!(
        "POST / HTTP/1.1\r\n\
         host: 127.0.0.1\r\n\
         content-type: application/x-amz-json-1.0\r\n\
         x-amz-target: DynamoDB_20120810.{operation}\r\n\
         x-amz-date: 20260101T000000Z\r\n\
         authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20260101/us-east-1/dynamodb/aws4_request, \
         SignedHeaders=content-type;host;x-amz-date;x-amz-target, \
         Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// The bytes of a `GET` of the operations API, with the caller as a header.
pub fn get(path: &str, caller: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nsortkey-caller: {caller}\r\n\r\n").into_bytes()
}

/// The bytes of a `POST` of the operations API.
pub fn post(path: &str, caller: &str, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\n\
         host: 127.0.0.1\r\n\
         sortkey-caller: {caller}\r\n\
         content-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// A connection that stays open.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
    filled: usize,
}

/// An answer, within the connection's buffer.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// Status line and headers.
    pub head: &'a str,
    /// The body.
    pub body: &'a [u8],
}

impl Answer<'_> {
    /// Whether the status is 200.
    pub fn is_success(&self) -> bool {
        self.head.starts_with("HTTP/1.1 200")
    }
}

impl Connection {
    /// Connects without delay on either side.
    pub async fn open(address: SocketAddr) -> io::Result<Connection> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream, buffer: vec![0; 64 << 10], filled: 0 })
    }

    /// Sends a request and waits for the whole answer.
    pub async fn ask(&mut self, request: &[u8]) -> io::Result<Answer<'_>> {
        self.stream.write_all(request).await?;
        self.filled = 0;
        let (head, length) = loop {
            self.fill().await?;
            if let Some(framing) = framing(&self.buffer[..self.filled]) {
                break framing?;
            }
        };
        while self.filled < head + length {
            self.fill().await?;
        }
        let text = std::str::from_utf8(&self.buffer[..head]).map_err(io::Error::other)?;
        Ok(Answer { head: text, body: &self.buffer[head..head + length] })
    }

    async fn fill(&mut self) -> io::Result<()> {
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        match self.stream.read(&mut self.buffer[self.filled..]).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                self.filled += read;
                Ok(())
            }
        }
    }
}

/// The end of the head and the length of the body, once the head is complete.
fn framing(bytes: &[u8]) -> Option<io::Result<(usize, usize)>> {
    let head = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let length = bytes[..head].split(|byte| *byte == b'\n').find_map(|line| {
        let (name, value) = line.split_at_checked(b"content-length:".len())?;
        name.eq_ignore_ascii_case(b"content-length:").then_some(value)
    });
    let length = length.and_then(|value| std::str::from_utf8(value).ok()?.trim().parse().ok());
    Some(match length {
        Some(length) => Ok((head, length)),
        None => Err(io::Error::other("an answer without content-length")),
    })
}
