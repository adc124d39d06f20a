//! Hexadecimal digits, lower case, as signatures are written.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

#[cfg(test)]
pub(crate) fn encode(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

/// Appends the digits of a hash to a text.
pub(crate) fn append(bytes: &[u8; 32], to: &mut Vec<u8>) {
    let mut digits = [0; 64];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(bytes) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    to.extend_from_slice(&digits);
}

/// The 32 bytes of 64 lower-case digits.
pub(crate) fn decode(digits: &[u8]) -> Option<[u8; 32]> {
    let digits: &[u8; 64] = digits.try_into().ok()?;
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = value(pair[0])? << 4 | value(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_come_back() {
        let bytes: [u8; 32] = std::array::from_fn(|at| (at * 8 + 5) as u8);
        let text = encode(&bytes);
        assert_eq!(decode(text.as_bytes()), Some(bytes));
        let mut appended = Vec::new();
        append(&bytes, &mut appended);
        assert_eq!(appended, text.as_bytes());
        assert_eq!(decode(text.to_uppercase().as_bytes()), None);
        assert_eq!(decode(&text.as_bytes()[1..]), None);
    }
}
