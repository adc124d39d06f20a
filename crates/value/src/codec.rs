//! The bytes of the compact form.
//!
//! ```text
//! item   = size:u32  entries                  size: as DynamoDB accounts it
//! entries = count:u32  (name value)*          names ascending, each once
//! name   = length:varint  utf-8
//! value  = tag:u8 payload                     tag: AttributeType
//!   S, B      length:varint  bytes
//!   N         sign|length:u8  exponent:i16  coefficient:little-endian, length bytes
//!   BOOL      0 or 1
//!   NULL      nothing
//!   L         size:u32  count:u32  value*     size: of what follows it
//!   M         size:u32  entries
//!   SS NS BS  size:u32  count:u32  member*    members ascending, each once
//! ```
//!
//! Fixed-width integers are little-endian. Reading never trusts a length: damaged bytes read as an end, not as
//! a panic.

use crate::Number;

/// Appends an unsigned integer in groups of seven bits, the lowest first.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push((value as u8) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends bytes behind their length.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len());
    out.extend_from_slice(bytes);
}

/// Appends a number.
pub(crate) fn put_number(out: &mut Vec<u8>, number: Number) {
    let (negative, coefficient, exponent) = number.parts();
    let bytes = coefficient.to_le_bytes();
    let length = bytes.len() - (coefficient.leading_zeros() / 8) as usize;
    out.push((u8::from(negative) << 7) | length as u8);
    out.extend_from_slice(&exponent.to_le_bytes());
    out.extend_from_slice(&bytes[..length]);
}

/// A place in bytes that is read from left to right.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { rest: bytes }
    }

    #[inline]
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// The next byte, without moving.
    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// How many bytes are left.
    #[inline]
    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    #[inline]
    pub(crate) fn u32(&mut self) -> Option<usize> {
        let bytes = self.take(4)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    }

    /// Most lengths are below 128, and one byte.
    #[inline]
    pub(crate) fn varint(&mut self) -> Option<usize> {
        match self.rest.split_first()? {
            (&first, rest) if first < 0x80 => {
                self.rest = rest;
                Some(usize::from(first))
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Option<usize> {
        let mut value = 0usize;
        for shift in (0..usize::BITS).step_by(7) {
            let byte = self.byte()?;
            value |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    #[inline]
    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.varint()?;
        self.take(length)
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    pub(crate) fn number(&mut self) -> Option<Number> {
        let header = self.byte()?;
        let exponent = i16::from_le_bytes(self.take(2)?.try_into().ok()?);
        let digits = self.take(usize::from(header & 0x7f))?;
        let mut coefficient = [0u8; 16];
        coefficient.get_mut(..digits.len())?.copy_from_slice(digits);
        Number::from_parts(header & 0x80 != 0, u128::from_le_bytes(coefficient), exponent)
    }

    /// The contents of a list, map or set: what its size spans.
    #[inline]
    pub(crate) fn sized(&mut self) -> Option<&'a [u8]> {
        let size = self.u32()?;
        self.take(size)
    }
}
