//! gzip in both directions.
//!
//! A request is never inflated past the limit of a body, however small it was on the way. A response
//! is compressed for clients that say they can read it; its checksum is then that of the compressed
//! bytes, which is what AWS sends and what the Java and Go SDKs verify.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use hyper::body::Bytes;
use hyper::header::HeaderValue;
use sortkey_api::ApiError;

use crate::refusal;

/// The lowest level that looks at the text: the one below it has one code for all texts, and saves nothing on random ones.
const LEVEL: Compression = Compression::new(2);

/// Undoes the `Content-Encoding` of a request.
pub(crate) fn decode(
    encoding: Option<&HeaderValue>,
    body: Bytes,
    limit_bytes: usize,
) -> Result<Bytes, ApiError> {
    let Some(encoding) = encoding else { return Ok(body) };
    let encoding = String::from_utf8_lossy(encoding.as_bytes()).trim().to_ascii_lowercase();
    match encoding.as_str() {
        "" | "identity" => Ok(body),
        "gzip" | "x-gzip" => inflate(&body, limit_bytes),
        other => Err(refusal::unsupported_encoding(other)),
    }
}

fn inflate(compressed: &[u8], limit_bytes: usize) -> Result<Bytes, ApiError> {
    let mut plain = Vec::new();
    let limit = u64::try_from(limit_bytes).unwrap_or(u64::MAX);
    let read = GzDecoder::new(compressed).take(limit.saturating_add(1)).read_to_end(&mut plain);
    match read {
        Ok(length) if length > limit_bytes => Err(refusal::too_large(limit_bytes)),
        Ok(_) => Ok(plain.into()),
        Err(_) => Err(refusal::serialization()),
    }
}

/// Compresses a response, favouring speed: the client is most often on the same machine.
pub(crate) fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len() / 4), LEVEL);
    encoder.write_all(plain).and_then(|()| encoder.finish()).expect("writing to memory cannot fail")
}

/// Whether an `Accept-Encoding` header allows gzip, by name or by `*`, with a weight above zero.
pub(crate) fn accepts_gzip(header: Option<&HeaderValue>) -> bool {
    let Some(Ok(text)) = header.map(HeaderValue::to_str) else {
        return false;
    };
    let weight_of = |wanted: &str| text.split(',').find_map(|part| weight(part, wanted));
    weight_of("gzip").or_else(|| weight_of("*")).is_some_and(|weight| weight > 0.0)
}

/// The weight of `part` if it names `coding`: `gzip;q=0.5` weighs a half, `gzip` one.
fn weight(part: &str, coding: &str) -> Option<f32> {
    let (name, parameters) = part.split_once(';').unwrap_or((part, ""));
    if !name.trim().eq_ignore_ascii_case(coding) {
        return None;
    }
    match parameters.trim().strip_prefix("q=") {
        Some(weight) => weight.trim().parse().ok(),
        None => Some(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 1 << 20;

    fn decoded(encoding: &'static str, body: Vec<u8>) -> Result<Bytes, ApiError> {
        decode(Some(&HeaderValue::from_static(encoding)), body.into(), LIMIT)
    }

    #[test]
    fn gzip_comes_back_as_it_was() {
        let plain = br#"{"TableName":"t"}"#.repeat(500);
        for encoding in ["gzip", "GZIP", " x-gzip "] {
            assert_eq!(decoded(encoding, gzip(&plain)), Ok(plain.clone().into()), "{encoding}");
        }
        assert_eq!(decoded("identity", plain.clone()), Ok(plain.into()));
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        assert_eq!(decoded("gzip", gzip(&vec![b' '; LIMIT])), Ok(vec![b' '; LIMIT].into()));
        assert_eq!(decoded("gzip", gzip(&vec![b' '; LIMIT + 1])), Err(refusal::too_large(LIMIT)));
    }

    #[test]
    fn what_cannot_be_undone_is_refused() {
        assert_eq!(decoded("gzip", b"not gzip".to_vec()), Err(refusal::serialization()));
        let mut cut = gzip(b"{}");
        cut.truncate(12);
        assert_eq!(decoded("gzip", cut), Err(refusal::serialization()));
        assert_eq!(decoded("br", vec![]), Err(refusal::unsupported_encoding("br")));
    }

    #[test]
    fn acceptance_follows_names_and_weights() {
        for (text, expected) in [
            ("gzip", true),
            ("deflate, gzip;q=1.0, *;q=0.5", true),
            ("br, GZIP ; q=0.2", true),
            ("*", true),
            ("gzip;q=0", false),
            ("gzip;q=0, *", false),
            ("identity", false),
            ("gzipped", false),
            ("gzip;q=much", false),
            ("", false),
        ] {
            assert_eq!(accepts_gzip(Some(&HeaderValue::from_static(text))), expected, "{text:?}");
        }
        assert!(!accepts_gzip(None));
    }
}
