//! Ids and tokens, generated from the runtime's own randomness and clock.

use sortkey_design::model::IdBody;
use sortkey_design::program::Type;

use crate::ids::Ids;
use crate::keyring::KeyError;

/// 64 characters, so that six random bits make one.
const TOKEN: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-abcdefghijklmnopqrstuvwxyz_";
/// Crockford's alphabet of ULIDs.
const ULID: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A new value of an id or token type; none for types that have no `new`.
pub(crate) fn new_id(ids: &Ids, now_ms: i64, ty: &Type) -> Result<Option<String>, KeyError> {
    Ok(Some(match ty {
        Type::Id { prefix, body: IdBody::Uuid } => format!("{prefix}{}", uuid(ids)?),
        Type::Id { prefix, body: IdBody::Ulid } => ulid(ids, now_ms, prefix)?,
        Type::Id { prefix, body: IdBody::Nanoid(length) } | Type::Token { prefix, length } => {
            format!("{prefix}{}", token(ids, *length)?)
        }
        _ => return Ok(None),
    }))
}

fn token(ids: &Ids, length: u64) -> Result<String, KeyError> {
    let mut text = String::new();
    let (mut bits, mut left) = (0, 0);
    for _ in 0..length {
        if left == 0 {
            (bits, left) = (ids.next()?, 10);
        }
        text.push(char::from(TOKEN[(bits & 63) as usize]));
        bits >>= 6;
        left -= 1;
    }
    Ok(text)
}

fn uuid(ids: &Ids) -> Result<String, KeyError> {
    let (high, low) = (ids.next()?, ids.next()?);
    Ok(format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xFFFF,
        high & 0x0FFF,
        0x8000 | ((low >> 48) & 0x3FFF),
        low & 0xFFFF_FFFF_FFFF
    ))
}

/// Ten characters of time, sixteen of randomness: text that sorts by time, and within a millisecond in the order of making.
fn ulid(ids: &Ids, now_ms: i64, prefix: &str) -> Result<String, KeyError> {
    let bits = ids.ulid_bits(now_ms)?;
    let mut text = String::with_capacity(prefix.len() + 26);
    text.push_str(prefix);
    text.extend((0..26).rev().map(|at| char::from(ULID[((bits >> (at * 5)) & 31) as usize])));
    Ok(text)
}
