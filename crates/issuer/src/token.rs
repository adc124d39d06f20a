//! A token, taken apart: `header.claims.signature`.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value as Json;

use crate::Defect;
use crate::keys::Algorithm;

/// The longest token that is looked at.
const MAX_BYTES: usize = 8 * 1024;

/// A token that nobody has verified yet.
#[derive(Debug)]
pub(crate) struct Token<'a> {
    /// The algorithm that its header names.
    pub(crate) algorithm: Algorithm,
    /// The id of the key, if it names one.
    pub(crate) key_id: Option<String>,
    /// The bytes that the signature covers.
    pub(crate) signed: &'a [u8],
    pub(crate) signature: Vec<u8>,
    /// The claims about its owner.
    pub(crate) claims: Json,
}

impl<'a> Token<'a> {
    /// Takes a token apart.
    pub(crate) fn parse(text: &'a str) -> Result<Token<'a>, Defect> {
        if text.len() > MAX_BYTES {
            return Err(Defect::Malformed);
        }
        let (signed, signature) = text.rsplit_once('.').ok_or(Defect::Malformed)?;
        let (header, claims) = signed.split_once('.').ok_or(Defect::Malformed)?;
        let header = object(header)?;
        // Critical extensions must be understood, and none is supported.
        if header.get("crit").is_some() {
            return Err(Defect::Algorithm);
        }
        let algorithm = header["alg"].as_str().and_then(Algorithm::named).ok_or(Defect::Algorithm)?;
        Ok(Token {
            algorithm,
            key_id: header["kid"].as_str().map(str::to_owned),
            signed: signed.as_bytes(),
            signature: decoded(signature)?,
            claims: object(claims)?,
        })
    }
}

fn object(part: &str) -> Result<Json, Defect> {
    let json: Json = serde_json::from_slice(&decoded(part)?).map_err(|_| Defect::Malformed)?;
    if json.is_object() { Ok(json) } else { Err(Defect::Malformed) }
}

fn decoded(part: &str) -> Result<Vec<u8>, Defect> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_| Defect::Malformed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_is_a_token_or_a_refusal(text in "\\PC{0,200}", parts in "[A-Za-z0-9_.-]{0,200}") {
            let _ = (Token::parse(&text), Token::parse(&parts));
        }
    }
}
