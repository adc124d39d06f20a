//! Finds the beginning and end of the requests on a connection, in parallel to hyper, which does not report whether a
//! request has both `Content-Length` and `Transfer-Encoding`, one of them twice, or an encoding besides `chunked`.
//!
//! A proxy that reads such headers in another way sees a different end of the request, and takes a part of its body for
//! the next request (request smuggling). hyper goes by the last encoding, or by equal lengths; the server refuses the
//! request and closes the connection. Nothing else depends on what is found here, so a stream that this reader cannot
//! follow is left to hyper.

use std::sync::atomic::{AtomicU64, Ordering};

use memchr::memchr;

/// The number of the request whose length can be read in several ways, counted from 0 on its connection. There is at most
/// one: it is the last.
#[derive(Debug)]
pub(crate) struct UnclearLength(AtomicU64);

impl UnclearLength {
    const NONE: u64 = u64::MAX;

    /// Whether it is the request of this number.
    pub(crate) fn is(&self, request: u64) -> bool {
        self.0.load(Ordering::Relaxed) == request
    }
}

impl Default for UnclearLength {
    fn default() -> UnclearLength {
        UnclearLength(AtomicU64::new(UnclearLength::NONE))
    }
}

/// Follows the bytes of a connection.
#[derive(Debug, Default)]
pub(crate) struct Framing {
    part: Part,
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
    head: Lengths,
    requests: u64,
}

/// The part of a request that comes next.
#[derive(Debug, Default)]
enum Part {
    /// The request line, after any number of empty lines.
    #[default]
    Begin,
    Headers,
    /// So many bytes, and then the next request.
    Body(u64),
    /// The line before a chunk.
    ChunkSize,
    /// So many bytes, with the line end behind them.
    Chunk(u64),
    Trailers,
    /// Further bytes are not followed.
    Lost,
}

/// The headers of a request that determine the length of its body.
#[derive(Debug, Default)]
struct Lengths {
    content_length: Option<u64>,
    is_chunked: bool,
    is_unclear: bool,
}

impl Framing {
    /// Follows bytes as they come in; a request whose length is unclear is noted before hyper sees its head.
    pub(crate) fn read(&mut self, mut bytes: &[u8], found: &UnclearLength) {
        while !bytes.is_empty() {
            match &mut self.part {
                Part::Lost => return,
                Part::Body(left) | Part::Chunk(left) => {
                    let here = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                    *left -= here as u64;
                    bytes = &bytes[here..];
                    if *left == 0 {
                        let is_body = matches!(self.part, Part::Body(_));
                        self.part = if is_body { Part::Begin } else { Part::ChunkSize };
                    }
                }
                _ => {
                    let Some(end) = memchr(b'\n', bytes) else {
                        self.line.extend_from_slice(bytes);
                        return;
                    };
                    let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
                    bytes = rest;
                    if self.line.is_empty() {
                        self.line_ended(line, found);
                    } else {
                        let mut whole = std::mem::take(&mut self.line);
                        whole.extend_from_slice(line);
                        self.line_ended(&whole, found);
                    }
                }
            }
        }
    }

    fn line_ended(&mut self, line: &[u8], found: &UnclearLength) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match self.part {
            Part::Begin if line.is_empty() => {}
            Part::Begin => self.part = Part::Headers,
            Part::Headers if line.is_empty() => self.head_ended(found),
            Part::Headers => self.header(line),
            Part::ChunkSize => self.part = chunk(line),
            Part::Trailers if line.is_empty() => self.part = Part::Begin,
            _ => {}
        }
    }

    fn header(&mut self, line: &[u8]) {
        let given = self.head.is_chunked || self.head.content_length.is_some();
        if let Some(encoding) = value(line, b"transfer-encoding:") {
            let is_plain = encoding.trim_ascii().eq_ignore_ascii_case(b"chunked");
            self.head.is_unclear |= given || !is_plain;
            self.head.is_chunked = true;
        } else if let Some(value) = value(line, b"content-length:") {
            let length = std::str::from_utf8(value.trim_ascii()).ok().and_then(|text| text.parse().ok());
            match length {
                Some(length) => {
                    self.head.is_unclear |= given;
                    self.head.content_length = Some(length);
                }
                // hyper refuses the request.
                None => self.part = Part::Lost,
            }
        }
    }

    fn head_ended(&mut self, found: &UnclearLength) {
        let head = std::mem::take(&mut self.head);
        self.part = match head {
            Lengths { is_unclear: true, .. } => {
                found.0.store(self.requests, Ordering::Relaxed);
                Part::Lost
            }
            Lengths { is_chunked: true, .. } => Part::ChunkSize,
            Lengths { content_length: None | Some(0), .. } => Part::Begin,
            Lengths { content_length: Some(length), .. } => Part::Body(length),
        };
        self.requests += 1;
    }
}

/// The value of a header if it has this name.
fn value<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let (start, value) = line.split_at_checked(name.len())?;
    start.eq_ignore_ascii_case(name).then_some(value)
}

/// The part after the line before a chunk, which has its size and perhaps extensions.
fn chunk(line: &[u8]) -> Part {
    let size = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    let size = std::str::from_utf8(size).ok().and_then(|size| u64::from_str_radix(size, 16).ok());
    match size.map(|size| size.checked_add(2)) {
        Some(Some(2)) => Part::Trailers,
        Some(Some(with_line_end)) => Part::Chunk(with_line_end),
        _ => Part::Lost,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\nContent-Length: 1\r\n\r";
    const CHUNKED: &str = "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n\
        14;a=b\r\nContent-Length: 1\r\n\r\r\nA\r\n0123456789\r\n0\r\nContent-Length: 3\r\n\r\n";
    const BARE: &str = "\r\nGET / HTTP/1.1\nHost: a\n\n";
    const BOTH: &str =
        "POST / HTTP/1.1\r\nCONTENT-length: 4\r\nHost: a\r\nTransfer-Encoding:chunked\r\n\r\n0\r\n\r\n";
    const BOTH_REVERSED: &str =
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n";

    /// The number of the request with an unclear length in a stream that comes in pieces of one size.
    fn found(stream: &str, piece_bytes: usize) -> Option<u64> {
        let (mut framing, unclear) = (Framing::default(), UnclearLength::default());
        for piece in stream.as_bytes().chunks(piece_bytes) {
            framing.read(piece, &unclear);
        }
        (0..10).find(|request| unclear.is(*request))
    }

    #[test]
    fn the_request_with_an_unclear_length_is_found() {
        for (requests, expected) in [
            (&[PLAIN, CHUNKED, BARE, PLAIN][..], None),
            (&[BOTH], Some(0)),
            (&[BOTH_REVERSED, PLAIN], Some(0)),
            (&[PLAIN, BOTH], Some(1)),
            (&[CHUNKED, BARE, PLAIN, BOTH_REVERSED, BOTH], Some(3)),
            (&["POST / HTTP/1.1\r\nContent-Length: 2\r\ncontent-length: 2\r\n\r\n{}"], Some(0)),
            (
                &[
                    PLAIN,
                    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
                ],
                Some(1),
            ),
            (&["POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"], Some(0)),
            (&["POST / HTTP/1.1\r\nTransfer-Encoding: Chunked \r\n\r\n0\r\n\r\n"], None),
            (&["POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", BOTH], None),
            (&["POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", BOTH], None),
        ] {
            let stream = requests.concat();
            for piece_bytes in 1..=stream.len() {
                assert_eq!(found(&stream, piece_bytes), expected, "{requests:?} in pieces of {piece_bytes}");
            }
        }
    }
}
