//! Key bytes: the order of bytes is DynamoDB's order of values.
//!
//! ```text
//! partition = hash:u64  length:u16  component+     hash: xxh3 of the components
//! sort      = component
//! component
//!   S, B    bytes with 00 written as 00 FF, then 00 01
//!   N       80                                       zero
//!           C0 magnitude:u16 pair* 00                positive; a pair is two digits plus one
//!           40 !magnitude:u16 !pair* FF              negative: every byte inverted
//! ```
//!
//! Integers are big-endian. Components end themselves, so they can follow each other: a partition of several
//! attributes, or an index entry's key with the base table's key behind it.

use xxhash_rust::xxh3::xxh3_64;

use crate::{Number, ValueRef};

const ESCAPE: u8 = 0x00;
const ESCAPED_ZERO: u8 = 0xFF;
const END: u8 = 0x01;

const ZERO: u8 = 0x80;
const POSITIVE: u8 = 0xC0;
const NEGATIVE: u8 = 0x40;
/// Makes the smallest magnitude, -130, positive.
const MAGNITUDE_BIAS: i32 = 0x4000;

/// A value that cannot be part of a key: only strings, numbers and binaries can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("only strings, numbers and binaries can be keys")]
pub struct NotAKey;

/// Appends a partition: the hash and the components of its attributes.
pub fn put_partition<'a>(
    out: &mut Vec<u8>,
    values: impl IntoIterator<Item = ValueRef<'a>>,
) -> Result<(), NotAKey> {
    let at = out.len();
    out.extend_from_slice(&[0; 10]);
    for value in values {
        put_component(out, value)?;
    }
    let components = &out[at + 10..];
    let length = u16::try_from(components.len()).map_err(|_| NotAKey)?;
    let hash = xxh3_64(components);
    out[at..at + 8].copy_from_slice(&hash.to_be_bytes());
    out[at + 8..at + 10].copy_from_slice(&length.to_be_bytes());
    Ok(())
}

/// Appends the component of one attribute.
pub fn put_component(out: &mut Vec<u8>, value: ValueRef<'_>) -> Result<(), NotAKey> {
    match value {
        ValueRef::S(text) => put_bytes(out, text.as_bytes()),
        ValueRef::B(bytes) => put_bytes(out, bytes),
        ValueRef::N(number) => put_number(out, number),
        _ => return Err(NotAKey),
    }
    Ok(())
}

/// Appends what all strings or binaries with this prefix start with.
pub fn put_prefix(out: &mut Vec<u8>, value: ValueRef<'_>) -> Result<(), NotAKey> {
    match value {
        ValueRef::S(text) => put_escaped(out, text.as_bytes()),
        ValueRef::B(bytes) => put_escaped(out, bytes),
        _ => return Err(NotAKey),
    }
    Ok(())
}

/// The smallest bytes that are greater than everything that starts with `prefix`; `None` if nothing is.
pub fn after_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte != 0xFF)?;
    let mut after = prefix[..=last].to_vec();
    after[last] += 1;
    Some(after)
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_escaped(out, bytes);
    out.extend_from_slice(&[ESCAPE, END]);
}

fn put_escaped(out: &mut Vec<u8>, bytes: &[u8]) {
    for &byte in bytes {
        out.push(byte);
        if byte == ESCAPE {
            out.push(ESCAPED_ZERO);
        }
    }
}

fn put_number(out: &mut Vec<u8>, number: Number) {
    let (negative, coefficient, _) = number.parts();
    if coefficient == 0 {
        return out.push(ZERO);
    }
    let at = out.len();
    out.push(POSITIVE);
    let magnitude = u16::try_from(number.magnitude() + MAGNITUDE_BIAS).unwrap_or(u16::MAX);
    out.extend_from_slice(&magnitude.to_be_bytes());
    // Digits from the most significant on, two to a byte; a missing last digit counts as zero.
    let digits = number.digit_count();
    let even = digits + digits % 2;
    let mut rest = coefficient * 10u128.pow(even - digits);
    let mut pairs = [0u8; 19];
    let count = (even / 2) as usize;
    for pair in pairs[..count].iter_mut().rev() {
        *pair = (rest % 100) as u8 + 1;
        rest /= 100;
    }
    out.extend_from_slice(&pairs[..count]);
    out.push(0);
    if negative {
        out[at] = NEGATIVE;
        out[at + 1..].iter_mut().for_each(|byte| *byte = !*byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn component(value: ValueRef<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        put_component(&mut out, value).unwrap();
        out
    }

    fn any_number() -> impl Strategy<Value = Number> {
        (any::<bool>(), 0u128..10u128.pow(38), -130i32..88).prop_map(|(negative, digits, exponent)| {
            let sign = if negative { "-" } else { "" };
            Number::parse(&format!("{sign}{digits}E{exponent}")).unwrap_or_default()
        })
    }

    #[test]
    fn one_number_is_one_key() {
        let keys = ["1", "1.0", "1E0", "0.1e1", "001"]
            .map(|text| component(ValueRef::N(Number::parse(text).unwrap())));
        assert!(keys.iter().all(|key| *key == keys[0]));
    }

    #[test]
    fn only_scalars_are_keys() {
        assert_eq!(put_component(&mut Vec::new(), ValueRef::Null), Err(NotAKey));
        assert_eq!(put_prefix(&mut Vec::new(), ValueRef::N(Number::ZERO)), Err(NotAKey));
    }

    #[test]
    fn what_comes_after_a_prefix() {
        assert_eq!(after_prefix(b"ab"), Some(b"ac".to_vec()));
        assert_eq!(after_prefix(&[1, 0xFF]), Some(vec![2]));
        assert_eq!(after_prefix(&[0xFF, 0xFF]), None);
    }

    proptest! {
        #[test]
        fn numbers_keep_their_order(a in any_number(), b in any_number()) {
            prop_assert_eq!(component(ValueRef::N(a)).cmp(&component(ValueRef::N(b))), a.cmp(&b));
        }

        #[test]
        fn close_numbers_keep_their_order(a in -500i64..500, b in -500i64..500, scale in -3i32..3) {
            let number = |value: i64| Number::parse(&format!("{value}E{scale}")).unwrap();
            prop_assert_eq!(component(ValueRef::N(number(a))).cmp(&component(ValueRef::N(number(b)))), a.cmp(&b));
        }

        #[test]
        fn binaries_keep_their_order(a in proptest::collection::vec(0u8..3, 0..6), b in proptest::collection::vec(0u8..3, 0..6)) {
            prop_assert_eq!(component(ValueRef::B(&a)).cmp(&component(ValueRef::B(&b))), a.cmp(&b));
        }

        #[test]
        fn what_follows_a_component_does_not_disturb_the_order(
            a in proptest::collection::vec(prop_oneof![Just(0u8), Just(1), Just(255)], 0..4),
            b in proptest::collection::vec(prop_oneof![Just(0u8), Just(1), Just(255)], 0..4),
            tail in proptest::collection::vec(any::<u8>(), 0..4),
        ) {
            let mut left = component(ValueRef::B(&a));
            let mut right = component(ValueRef::B(&b));
            left.extend_from_slice(&tail);
            right.extend(tail.iter().map(|byte| !byte));
            if a != b {
                prop_assert_eq!(left.cmp(&right), a.cmp(&b));
            }
        }

        #[test]
        fn a_prefix_spans_exactly_what_starts_with_it(text in "[ab\\x00]{0,4}", prefix in "[ab\\x00]{1,3}") {
            let mut low = Vec::new();
            put_prefix(&mut low, ValueRef::S(&prefix)).unwrap();
            let high = after_prefix(&low).unwrap();
            let key = component(ValueRef::S(&text));
            prop_assert_eq!(low <= key && key < high, text.starts_with(&prefix));
        }
    }
}
