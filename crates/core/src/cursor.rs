//! Cursors: sealed positions of the next page.
//!
//! A cursor holds a position for every query of the pattern. It is encrypted and bound to the pattern, its arguments and
//! the caller: it can be neither read, forged, nor moved to another query or tenant.

use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes256Gcm, KeyInit, Nonce};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use sortkey_value::Item;

use crate::Failure;

/// How far one of the queries has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Position {
    /// Nothing of it was returned yet.
    #[default]
    Start,
    /// The item with this key was the last returned.
    After(Item),
    /// There is nothing more.
    End,
}

/// The cursor for some positions. The context identifies the query it belongs to.
pub(crate) fn seal(key: &[u8; 32], context: &[u8], positions: &[Position]) -> Result<String, Failure> {
    let mut plain = Vec::new();
    for position in positions {
        match position {
            Position::Start => plain.push(0),
            Position::End => plain.push(1),
            Position::After(item) => {
                let bytes = item.as_bytes();
                let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
                plain.push(2);
                plain.extend(length.to_be_bytes());
                plain.extend_from_slice(bytes);
            }
        }
    }
    // The nonce follows from what is sealed, so that equal cursors are equal and no two differ under one nonce.
    let digest = Sha256::new().chain_update(key).chain_update(context).chain_update(&plain).finalize();
    let nonce = &digest[..12];
    let sealed = Aes256Gcm::new(key.into())
        .encrypt(Nonce::from_slice(nonce), Payload { msg: &plain, aad: context })
        .map_err(|_| Failure::internal("a cursor cannot be sealed"))?;
    Ok(URL_SAFE_NO_PAD.encode([nonce, &sealed].concat()))
}

/// The positions in a cursor that this runtime gave out for this very context.
pub(crate) fn open(key: &[u8; 32], context: &[u8], cursor: &str) -> Result<Vec<Position>, Failure> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| foreign())?;
    let (nonce, sealed) = bytes.split_at_checked(12).ok_or_else(foreign)?;
    let plain = Aes256Gcm::new(key.into())
        .decrypt(Nonce::from_slice(nonce), Payload { msg: sealed, aad: context })
        .map_err(|_| foreign())?;
    positions(&plain).ok_or_else(foreign)
}

/// The refusal of a cursor that was made for something else, or by somebody else.
pub(crate) fn foreign() -> Failure {
    Failure::invalid("cursor", "the cursor does not belong to this query")
}

fn positions(mut plain: &[u8]) -> Option<Vec<Position>> {
    let mut positions = Vec::new();
    while let Some((kind, rest)) = plain.split_first() {
        plain = rest;
        positions.push(match kind {
            0 => Position::Start,
            1 => Position::End,
            _ => {
                let (length, rest) = plain.split_at_checked(4)?;
                let length = u32::from_be_bytes(length.try_into().ok()?);
                let (item, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
                plain = rest;
                Position::After(Item::from_bytes(item.into()))
            }
        });
    }
    Some(positions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_opens_only_where_it_belongs() {
        let item = Item::from([("id", "x")]);
        let positions = vec![Position::Start, Position::After(item), Position::End];
        let cursor = seal(&[7; 32], b"list", &positions).expect("sealed");
        assert_eq!(open(&[7; 32], b"list", &cursor), Ok(positions));
        assert!(open(&[7; 32], b"other", &cursor).is_err());
        assert!(open(&[8; 32], b"list", &cursor).is_err());
        let mut forged = cursor.clone();
        forged.replace_range(20..21, if &cursor[20..21] == "A" { "B" } else { "A" });
        assert!(open(&[7; 32], b"list", &forged).is_err());
        for garbage in ["", "x", "!!!!", "AAAAAAAAAAAAAAAAAAAAAAAA"] {
            assert!(open(&[7; 32], b"list", garbage).is_err(), "{garbage}");
        }
    }
}
