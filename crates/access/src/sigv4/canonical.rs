//! The canonical request: the one text that client and server both hash.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

use super::SignedRequest;

/// The characters that the canonical form escapes.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Writes the canonical request; none if a signed header is not in the request. A presigned request leaves out the parameter
/// that carries its signature.
pub(super) fn request(
    request: &SignedRequest<'_>,
    signed_headers: &str,
    payload_hash: &[u8],
    unsigned_parameter: Option<&str>,
) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(512);
    text.extend_from_slice(request.method.as_bytes());
    text.push(b'\n');
    path(request.path, &mut text);
    text.push(b'\n');
    query(request.query, unsigned_parameter, &mut text);
    text.push(b'\n');
    for name in signed_headers.split(';') {
        header(request, name, &mut text)?;
    }
    text.push(b'\n');
    text.extend_from_slice(signed_headers.as_bytes());
    text.push(b'\n');
    text.extend_from_slice(payload_hash);
    Some(text)
}

/// The path without `.`, `..` and empty segments, encoded once more than it was sent.
fn path(raw: &str, text: &mut Vec<u8>) {
    if raw == "/" || raw.is_empty() {
        text.push(b'/');
        return;
    }
    let mut segments: Vec<&str> = Vec::new();
    for segment in raw.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            segment => segments.push(segment),
        }
    }
    for segment in &segments {
        text.push(b'/');
        encode(segment.as_bytes(), text);
    }
    let is_directory = raw.ends_with('/') || raw.ends_with("/.") || raw.ends_with("/..");
    if segments.is_empty() || is_directory {
        text.push(b'/');
    }
}

/// The parameters, encoded in one way and sorted.
fn query(raw: &str, unsigned: Option<&str>, text: &mut Vec<u8>) {
    if raw.is_empty() {
        return;
    }
    let mut pairs: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for pair in raw.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if unsigned == Some(name) {
            continue;
        }
        pairs.push((reencode(name), reencode(value)));
    }
    pairs.sort();
    for (at, (name, value)) in pairs.iter().enumerate() {
        if at > 0 {
            text.push(b'&');
        }
        text.extend_from_slice(name);
        text.push(b'=');
        text.extend_from_slice(value);
    }
}

/// One header: its values without superfluous spaces, joined by commas.
fn header(request: &SignedRequest<'_>, name: &str, text: &mut Vec<u8>) -> Option<()> {
    text.extend_from_slice(name.as_bytes());
    text.push(b':');
    let mut values = request.headers.iter().filter(|(header, _)| *header == name).map(|(_, value)| *value);
    trim(values.next()?, text);
    for value in values {
        text.push(b',');
        trim(value, text);
    }
    text.push(b'\n');
    Some(())
}

/// A value without spaces at its ends, and with one space where it has several.
fn trim(value: &[u8], text: &mut Vec<u8>) {
    let value = value.trim_ascii();
    if !value.windows(2).any(|pair| pair == b"  ") {
        text.extend_from_slice(value);
        return;
    }
    let mut last = b' ';
    for byte in value {
        if *byte != b' ' || last != b' ' {
            text.push(*byte);
        }
        last = *byte;
    }
}

/// A part of a query in its one spelling, whatever spelling it was sent in.
fn reencode(raw: &str) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(raw.len());
    encode(&decode(raw), &mut encoded);
    encoded
}

/// Undoes percent-encoding. A `%` without two hexadecimal digits stays as it is.
pub(super) fn decode(raw: &str) -> Vec<u8> {
    percent_decode_str(raw).collect()
}

fn encode(bytes: &[u8], text: &mut Vec<u8>) {
    percent_encode(bytes, ESCAPED).for_each(|piece| text.extend_from_slice(piece.as_bytes()));
}
