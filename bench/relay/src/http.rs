//! HTTP/1.1 over one connection that is kept: enough of it to load a relay and to receive its deliveries.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// The head and the body of a message.
pub(crate) struct Message {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Message {
    /// The value of a header, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// The second word of the first line: the path of a request, the status of an answer.
    pub(crate) fn second(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }
}

/// A connection with what was read and not yet used.
pub(crate) struct Wire {
    stream: TcpStream,
    rest: Vec<u8>,
}

impl Wire {
    pub(crate) fn new(stream: TcpStream) -> Wire {
        let _ = stream.set_nodelay(true);
        Wire { stream, rest: Vec::with_capacity(4096) }
    }

    pub(crate) fn connect(port: u16) -> Option<Wire> {
        let stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
        Some(Wire::new(stream))
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Option<()> {
        self.stream.write_all(bytes).ok()
    }

    /// The next message; none when the connection is over.
    pub(crate) fn read(&mut self) -> Option<Message> {
        let end = loop {
            if let Some(at) = self.rest.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            self.more()?;
        };
        let head = String::from_utf8_lossy(&self.rest[..end]).into_owned();
        let mut message = Message { head, body: Vec::new() };
        let length = message.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
        while self.rest.len() < end + length {
            self.more()?;
        }
        message.body = self.rest[end..end + length].to_vec();
        self.rest.drain(..end + length);
        Some(message)
    }

    fn more(&mut self) -> Option<()> {
        let mut buffer = [0; 16 * 1024];
        match self.stream.read(&mut buffer) {
            Ok(0) | Err(_) => None,
            Ok(count) => {
                self.rest.extend_from_slice(&buffer[..count]);
                Some(())
            }
        }
    }

    /// Sends a request and waits for the status and the body of its answer.
    pub(crate) fn ask(
        &mut self,
        method: &str,
        path: &str,
        headers: &str,
        body: &[u8],
    ) -> Option<(u16, Vec<u8>)> {
        let mut bytes = format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n{headers}content-length: {}\r\n\r\n",
            body.len()
        )
        .into_bytes();
        bytes.extend_from_slice(body);
        self.write(&bytes)?;
        let answer = self.read()?;
        Some((answer.second().parse().ok()?, answer.body))
    }
}
