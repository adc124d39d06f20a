//! gzip and deflate in both directions.
//!
//! A request is never inflated past the limit of a body, however small it was on the way. A response is
//! compressed for clients that accept it; its checksum is then that of the compressed bytes, which is what
//! AWS sends and what the Java and Go SDKs verify.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};
use hyper::body::Bytes;
use hyper::header::HeaderValue;
use sortkey_api::ApiError;

use crate::refusal;

/// The lowest level that looks at the text: the one below it has one code for all texts, and saves nothing on random ones.
const LEVEL: Compression = Compression::new(2);

/// How a response is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
}

impl Coding {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Coding::Gzip => "gzip",
            Coding::Deflate => "deflate",
        }
    }

    /// Compresses a response, favouring speed: the client is most often on the same machine.
    pub(crate) fn compress(self, plain: &[u8]) -> Vec<u8> {
        let out = Vec::with_capacity(plain.len() / 4);
        let compressed = match self {
            Coding::Gzip => {
                let mut encoder = GzEncoder::new(out, LEVEL);
                encoder.write_all(plain).and_then(|()| encoder.finish())
            }
            Coding::Deflate => {
                let mut encoder = ZlibEncoder::new(out, LEVEL);
                encoder.write_all(plain).and_then(|()| encoder.finish())
            }
        };
        compressed.expect("writing to memory cannot fail")
    }
}

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
        "gzip" | "x-gzip" => inflate(MultiGzDecoder::new(&*body), &encoding, limit_bytes),
        "deflate" => inflate(ZlibDecoder::new(&*body), &encoding, limit_bytes),
        other => Err(refusal::unsupported_encoding(other)),
    }
}

fn inflate(decoder: impl Read, encoding: &str, limit_bytes: usize) -> Result<Bytes, ApiError> {
    let mut plain = Vec::new();
    let limit = u64::try_from(limit_bytes).unwrap_or(u64::MAX);
    let read = decoder.take(limit.saturating_add(1)).read_to_end(&mut plain);
    match read {
        Ok(length) if length > limit_bytes => Err(refusal::too_large(limit_bytes)),
        // A stream without a single byte in it is no compressed JSON.
        Ok(0) | Err(_) => Err(refusal::broken_encoding(encoding)),
        Ok(_) => Ok(plain.into()),
    }
}

/// How a response is compressed, given an `Accept-Encoding` header. The largest weight wins, then the place in the
/// header; codings that only `*` covers come last, gzip first.
pub(crate) fn accepted(header: Option<&HeaderValue>) -> Option<Coding> {
    let text = header?.to_str().ok()?;
    let parts: Vec<(&str, f32)> = text.split(',').map(weighed).collect();
    let weight_of = |wanted: &str| {
        let named = parts.iter().filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
        named.map(|(_, weight)| *weight).reduce(f32::max)
    };
    let place_of = |wanted: &str| parts.iter().position(|(name, _)| name.eq_ignore_ascii_case(wanted));
    let mut best: Option<(Coding, f32, usize)> = None;
    for coding in [Coding::Gzip, Coding::Deflate] {
        let Some(weight) = weight_of(coding.name()).or_else(|| weight_of("*")) else { continue };
        let place = place_of(coding.name()).unwrap_or(usize::MAX);
        let is_better = best.is_none_or(|(_, other, at)| weight > other || (weight == other && place < at));
        if weight > 0.0 && is_better {
            best = Some((coding, weight, place));
        }
    }
    best.map(|(coding, ..)| coding)
}

/// A coding and its weight, parsed as AWS does: the first `q=` counts, whatever precedes it, a weight that is
/// no number is one, and none is larger than one.
fn weighed(part: &str) -> (&str, f32) {
    let (name, parameters) = part.split_once(';').unwrap_or((part, ""));
    let weight = parameters.split_once("q=").map(|(_, rest)| rest.split(';').next().unwrap_or(rest).trim());
    let weight = weight.and_then(|weight| weight.parse::<f32>().ok()).filter(|weight| weight.is_finite());
    (name.trim(), weight.unwrap_or(1.0).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 1 << 20;

    fn decoded(encoding: &'static str, body: Vec<u8>) -> Result<Bytes, ApiError> {
        decode(Some(&HeaderValue::from_static(encoding)), body.into(), LIMIT)
    }

    // F-89: deflate in both directions.
    #[test]
    fn compressed_bodies_come_back_as_they_were() {
        let plain = br#"{"TableName":"t"}"#.repeat(500);
        for (encoding, coding) in [
            ("gzip", Coding::Gzip),
            ("GZIP", Coding::Gzip),
            (" x-gzip ", Coding::Gzip),
            ("deflate", Coding::Deflate),
        ] {
            assert_eq!(decoded(encoding, coding.compress(&plain)), Ok(plain.clone().into()), "{encoding}");
        }
        assert_eq!(decoded("identity", plain.clone()), Ok(plain.clone().into()));
        let halves = plain.split_at(10);
        let members = [Coding::Gzip.compress(halves.0), Coding::Gzip.compress(halves.1)].concat();
        assert_eq!(decoded("gzip", members), Ok(plain.into()));
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        for (name, coding) in [("gzip", Coding::Gzip), ("deflate", Coding::Deflate)] {
            let fits = coding.compress(&vec![b' '; LIMIT]);
            assert_eq!(decoded(name, fits), Ok(vec![b' '; LIMIT].into()));
            let bomb = coding.compress(&vec![b' '; LIMIT + 1]);
            assert_eq!(decoded(name, bomb), Err(refusal::too_large(LIMIT)));
        }
    }

    #[test]
    fn what_cannot_be_undone_is_refused() {
        for name in ["gzip", "deflate"] {
            assert_eq!(decoded(name, b"not compressed".to_vec()), Err(refusal::broken_encoding(name)));
            assert_eq!(decoded(name, Vec::new()), Err(refusal::broken_encoding(name)));
        }
        let mut cut = Coding::Gzip.compress(b"{}");
        cut.truncate(12);
        assert_eq!(decoded("gzip", cut), Err(refusal::broken_encoding("gzip")));
        assert_eq!(decoded("br", vec![]), Err(refusal::unsupported_encoding("br")));
    }

    // F-89: which coding AWS chooses.
    #[test]
    fn acceptance_follows_names_and_weights() {
        let (gzip, deflate) = (Some(Coding::Gzip), Some(Coding::Deflate));
        for (text, expected) in [
            ("gzip", gzip),
            ("gzip, deflate", gzip),
            ("br, identity, deflate, gzip", deflate),
            ("dog, GZIP ,, cat", gzip),
            ("deflate; q = 0.5 , gzip;q=0", deflate),
            ("*", gzip),
            ("*, deflate;q=0.5", gzip),
            ("*, deflate", deflate),
            ("*, gzip;q=0.5", deflate),
            ("gzip;q=0, *", deflate),
            ("gzip;q=31,deflate;q=51", gzip),
            ("deflate;q=0.5, gzip;q=1;q=0.2", gzip),
            ("deflate;q=0.5,gzip;q=0.", deflate),
            ("deflate;q=0.5,gzip;q=0.x", gzip),
            ("deflate;q=-0.5,gzip;q=0.2", gzip),
            ("gzip;q=0, gzip;q=1, gzip;q=0", gzip),
            ("gzip;q =0;q=1", gzip),
            ("gzip;nq=0;q=1", None),
            ("gzip ;q=0", None),
            ("identity;q=0", None),
            ("*;q=0", None),
            ("gzip br", None),
            ("gzip:q=1", None),
            ("x-gzip", None),
            ("", None),
        ] {
            assert_eq!(accepted(Some(&HeaderValue::from_static(text))), expected, "{text:?}");
        }
        assert_eq!(accepted(None), None);
    }
}
