//! A connection that sends any bytes and reads answers, for what well-behaved clients do not send.
// Tests end where something is not as expected.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::io::{Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// A connection.
#[derive(Debug)]
pub struct Client {
    /// The connection itself.
    pub stream: TcpStream,
    buffer: Vec<u8>,
}

/// A parsed response.
#[derive(Debug, Clone)]
pub struct Answer {
    /// As in the first line.
    pub status: u16,
    /// Names in lower case, in the order in which they came.
    pub headers: Vec<(String, String)>,
    /// Without the framing of chunks.
    pub body: Vec<u8>,
}

impl Answer {
    /// The first header of a name, in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Client {
    /// Connects; an answer that takes longer than 20 seconds fails the test.
    pub fn connect(address: impl ToSocketAddrs) -> Client {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Client { stream, buffer: Vec::new() }
    }

    /// One request on a connection of its own.
    pub fn ask(address: impl ToSocketAddrs, request: &[u8]) -> Answer {
        let mut client = Client::connect(address);
        client.send(request);
        client.receive().expect("an answer")
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    /// The next response; none if the server closed the connection instead.
    pub fn receive(&mut self) -> Option<Answer> {
        let end = loop {
            match self.buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                Some(end) => break end + 4,
                None => self.read_more().then_some(())?,
            }
        };
        let head: Vec<u8> = self.buffer.drain(..end).collect();
        let head = String::from_utf8(head).unwrap();
        let mut lines = head.trim_end().split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let headers: Vec<(String, String)> = lines
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let mut answer = Answer { status, headers, body: Vec::new() };
        answer.body = match answer.header("content-length").map(|length| length.parse::<usize>().unwrap()) {
            Some(length) => self.take(length)?,
            None if answer.header("transfer-encoding") == Some("chunked") => self.chunks()?,
            None => Vec::new(),
        };
        Some(answer)
    }

    /// Whether the server has closed the connection, without a further byte.
    pub fn is_closed(&mut self) -> bool {
        self.buffer.is_empty() && !self.read_more()
    }

    fn chunks(&mut self) -> Option<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let end = loop {
                match self.buffer.windows(2).position(|window| window == b"\r\n") {
                    Some(end) => break end,
                    None => self.read_more().then_some(())?,
                }
            };
            let line = self.take(end + 2)?;
            let length = usize::from_str_radix(std::str::from_utf8(&line[..end]).ok()?, 16).ok()?;
            body.extend(self.take(length)?);
            self.take(2)?;
            if length == 0 {
                return Some(body);
            }
        }
    }

    fn take(&mut self, length: usize) -> Option<Vec<u8>> {
        while self.buffer.len() < length {
            self.read_more().then_some(())?;
        }
        Some(self.buffer.drain(..length).collect())
    }

    fn read_more(&mut self) -> bool {
        let mut chunk = vec![0; 1 << 16];
        match self.stream.read(&mut chunk) {
            Ok(0) => false,
            Ok(length) => {
                self.buffer.extend_from_slice(&chunk[..length]);
                true
            }
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => false,
            Err(error) => panic!("no answer: {error}"),
        }
    }
}
