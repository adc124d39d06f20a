//! Numbers as DynamoDB keeps them: decimal, up to 38 significant digits, magnitudes from 1E-130 to
//! 9.99…E+125, exact or refused.
//!
//! A [`Number`] is always canonical (no trailing zeros in the coefficient, one zero), so that equal numbers
//! are equal structs and `1`, `1.0` and `1E0` are one key.

use std::cmp::Ordering;
use std::fmt;

use thiserror::Error;

/// The most significant digits a number may have.
const MAX_DIGITS: u32 = 38;
/// Power of ten of the most significant digit of the largest magnitude.
const MAX_MAGNITUDE: i32 = 125;
/// Power of ten of the most significant digit of the smallest magnitude.
const MIN_MAGNITUDE: i32 = -130;

/// A decimal number: `coefficient * 10^exponent`, negated if `negative`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    negative: bool,
    coefficient: u128,
    exponent: i16,
}

/// Why a text or a result of arithmetic is not a number that DynamoDB keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NumberError {
    /// The text is not a decimal number.
    #[error("not a decimal number")]
    NotANumber,
    /// More than 38 significant digits.
    #[error("more than 38 significant digits")]
    TooManyDigits,
    /// The magnitude is above 9.99…E+125.
    #[error("magnitude larger than supported")]
    Overflow,
    /// The magnitude is below 1E-130 and not zero.
    #[error("magnitude smaller than supported")]
    Underflow,
}

impl Number {
    /// Zero; there is only one.
    pub const ZERO: Number = Number { negative: false, coefficient: 0, exponent: 0 };

    /// Reads a decimal number with an optional sign, fraction and exponent.
    pub fn parse(text: &str) -> Result<Number, NumberError> {
        let (negative, unsigned) = match text.as_bytes() {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            rest => (false, rest),
        };
        let (mantissa, scale) = split_exponent(unsigned)?;
        let digits = Digits::read(mantissa)?;
        if digits.coefficient == 0 {
            return Ok(Number::ZERO);
        }
        Number::canonical(negative, digits.coefficient, digits.exponent.saturating_add(scale))
    }

    /// The sum, if it can be kept exactly.
    pub fn checked_add(self, other: Number) -> Result<Number, NumberError> {
        if self.coefficient == 0 {
            return Ok(other);
        }
        if other.coefficient == 0 {
            return Ok(self);
        }
        let (high, low) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        // The low number ends in a nonzero digit, so a shift that does not fit means a sum of over 38 digits.
        let shift = u32::from(high.exponent.abs_diff(low.exponent));
        let shifted = 10u128
            .checked_pow(shift)
            .and_then(|power| high.coefficient.checked_mul(power))
            .ok_or(NumberError::TooManyDigits)?;
        let exponent = i32::from(low.exponent);
        if high.negative == low.negative {
            let sum = shifted.checked_add(low.coefficient).ok_or(NumberError::TooManyDigits)?;
            return Number::canonical(high.negative, sum, exponent);
        }
        match shifted.cmp(&low.coefficient) {
            Ordering::Equal => Ok(Number::ZERO),
            Ordering::Greater => Number::canonical(high.negative, shifted - low.coefficient, exponent),
            Ordering::Less => Number::canonical(low.negative, low.coefficient - shifted, exponent),
        }
    }

    /// The difference, if it can be kept exactly.
    pub fn checked_sub(self, other: Number) -> Result<Number, NumberError> {
        self.checked_add(other.negated())
    }

    /// The number with its sign reversed.
    pub fn negated(self) -> Number {
        Number { negative: !self.negative && self.coefficient != 0, ..self }
    }

    /// Whether the number is below zero.
    pub fn is_negative(self) -> bool {
        self.negative
    }

    /// The number as an integer, if it is one that fits.
    pub fn to_i64(self) -> Option<i64> {
        let power = 10u128.checked_pow(u32::try_from(self.exponent).ok()?)?;
        let magnitude = i128::try_from(self.coefficient.checked_mul(power)?).ok()?;
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }

    /// The bytes that DynamoDB accounts for it: one, and one for each two significant digits before and
    /// after the point, and one for a minus sign. Measured against AWS.
    pub fn size_bytes(self) -> usize {
        let digits = i32::try_from(self.digit_count()).unwrap_or(0);
        let exponent = i32::from(self.exponent);
        let integer_digits = (digits + exponent).clamp(0, digits);
        let fraction_digits = (-exponent).clamp(0, digits);
        let pairs = (integer_digits + 1) / 2 + (fraction_digits + 1) / 2;
        1 + usize::try_from(pairs).unwrap_or(0) + usize::from(self.negative)
    }

    /// The parts, for codecs: sign, coefficient, exponent.
    pub(crate) fn parts(self) -> (bool, u128, i16) {
        (self.negative, self.coefficient, self.exponent)
    }

    /// From parts that a codec wrote; anything that is not canonical is refused.
    pub(crate) fn from_parts(negative: bool, coefficient: u128, exponent: i16) -> Option<Number> {
        if coefficient == 0 {
            return (!negative && exponent == 0).then_some(Number::ZERO);
        }
        let number = Number { negative, coefficient, exponent };
        // Most coefficients are small, and dividing those is cheap.
        let trimmed = match u64::try_from(coefficient) {
            Ok(small) => !small.is_multiple_of(10),
            Err(_) => !coefficient.is_multiple_of(10) && coefficient < 10u128.pow(MAX_DIGITS),
        };
        (trimmed && (MIN_MAGNITUDE..=MAX_MAGNITUDE).contains(&number.magnitude())).then_some(number)
    }

    /// Significant digits; none for zero.
    pub(crate) fn digit_count(self) -> u32 {
        let log = match u64::try_from(self.coefficient) {
            Ok(small) => small.checked_ilog10(),
            Err(_) => self.coefficient.checked_ilog10(),
        };
        log.map_or(0, |log| log + 1)
    }

    /// The power of ten of the most significant digit.
    pub(crate) fn magnitude(self) -> i32 {
        i32::from(self.exponent) + i32::try_from(self.digit_count()).unwrap_or(0) - 1
    }

    /// Trims trailing zeros and checks the range.
    fn canonical(negative: bool, mut coefficient: u128, mut exponent: i32) -> Result<Number, NumberError> {
        while coefficient != 0 && coefficient.is_multiple_of(10) {
            coefficient /= 10;
            exponent = exponent.saturating_add(1);
        }
        let digits = coefficient.checked_ilog10().map_or(0, |log| log + 1);
        let magnitude = exponent.saturating_add(i32::try_from(digits).unwrap_or(0) - 1);
        if magnitude > MAX_MAGNITUDE {
            return Err(NumberError::Overflow);
        }
        if magnitude < MIN_MAGNITUDE {
            return Err(NumberError::Underflow);
        }
        if digits > MAX_DIGITS {
            return Err(NumberError::TooManyDigits);
        }
        let exponent = i16::try_from(exponent).map_err(|_| NumberError::Underflow)?;
        Ok(Number { negative, coefficient, exponent })
    }
}

/// The digits of a mantissa with its point taken out.
struct Digits {
    coefficient: u128,
    exponent: i32,
}

impl Digits {
    fn read(mantissa: &[u8]) -> Result<Digits, NumberError> {
        let mut digits = Digits { coefficient: 0, exponent: 0 };
        // Zeros wait here until a digit follows that makes them significant.
        let mut pending_zeros = 0u32;
        let mut any = false;
        let mut after_point = false;
        for &byte in mantissa {
            match byte {
                b'.' if !after_point => after_point = true,
                b'0'..=b'9' => {
                    any = true;
                    digits.exponent -= i32::from(after_point);
                    if byte == b'0' {
                        pending_zeros += u32::from(digits.coefficient != 0);
                    } else {
                        digits.push(pending_zeros, byte - b'0')?;
                        pending_zeros = 0;
                    }
                }
                _ => return Err(NumberError::NotANumber),
            }
        }
        digits.exponent = digits.exponent.saturating_add(i32::try_from(pending_zeros).unwrap_or(i32::MAX));
        if any { Ok(digits) } else { Err(NumberError::NotANumber) }
    }

    fn push(&mut self, zeros: u32, digit: u8) -> Result<(), NumberError> {
        self.coefficient = 10u128
            .checked_pow(zeros + 1)
            .and_then(|power| self.coefficient.checked_mul(power))
            .and_then(|shifted| shifted.checked_add(digit.into()))
            .ok_or(NumberError::TooManyDigits)?;
        Ok(())
    }
}

/// Separates `12.5e-3` into `12.5` and `-3`. Exponents beyond any use saturate: zero stays zero, the rest is
/// out of range.
fn split_exponent(text: &[u8]) -> Result<(&[u8], i32), NumberError> {
    let Some(at) = text.iter().position(|byte| matches!(byte, b'e' | b'E')) else {
        return Ok((text, 0));
    };
    let (mantissa, marked) = text.split_at(at);
    let (negative, digits) = match &marked[1..] {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if digits.is_empty() {
        return Err(NumberError::NotANumber);
    }
    let mut scale = 0i32;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return Err(NumberError::NotANumber);
        }
        scale = scale.saturating_mul(10).saturating_add(i32::from(digit - b'0')).min(1_000_000);
    }
    Ok((mantissa, if negative { -scale } else { scale }))
}

impl Default for Number {
    fn default() -> Number {
        Number::ZERO
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        let number = Number::from(value.unsigned_abs());
        if value < 0 { number.negated() } else { number }
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Number {
        Number::canonical(false, value.into(), 0).expect("twenty digits are in range")
    }
}

impl From<i32> for Number {
    fn from(value: i32) -> Number {
        Number::from(i64::from(value))
    }
}

impl std::str::FromStr for Number {
    type Err = NumberError;
    fn from_str(text: &str) -> Result<Number, NumberError> {
        Number::parse(text)
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.cmp_magnitude(other),
            (true, true) => other.cmp_magnitude(self),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Number {
    fn cmp_magnitude(&self, other: &Number) -> Ordering {
        match (self.coefficient, other.coefficient) {
            (0, 0) => return Ordering::Equal,
            (0, _) => return Ordering::Less,
            (_, 0) => return Ordering::Greater,
            _ => {}
        }
        self.magnitude().cmp(&other.magnitude()).then_with(|| {
            // Same magnitude: scale both coefficients to 38 digits, which a u128 holds.
            let scaled = |number: &Number| number.coefficient * 10u128.pow(MAX_DIGITS - number.digit_count());
            scaled(self).cmp(&scaled(other))
        })
    }
}

/// Plain decimal notation without an exponent, as AWS prints numbers.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negative {
            f.write_str("-")?;
        }
        if let Ok(zeros) = usize::try_from(self.exponent) {
            return match u64::try_from(self.coefficient) {
                Ok(small) => write!(f, "{small}{:0<zeros$}", ""),
                Err(_) => write!(f, "{}{:0<zeros$}", self.coefficient, ""),
            };
        }
        let fraction_digits = usize::from(self.exponent.unsigned_abs());
        let digits = self.coefficient.to_string();
        match digits.len().checked_sub(fraction_digits) {
            Some(point) if point > 0 => write!(f, "{}.{}", &digits[..point], &digits[point..]),
            _ => write!(f, "0.{digits:0>fraction_digits$}"),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Number({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn n(text: &str) -> Number {
        Number::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn prints_as_aws_does() {
        for (input, printed) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.00E5", "0"),
            ("00042", "42"),
            ("1.0", "1"),
            ("3.1400", "3.14"),
            ("1.5E2", "150"),
            ("+5", "5"),
            (".5", "0.5"),
            ("5.", "5"),
            ("-1e-3", "-0.001"),
            ("123.456e1", "1234.56"),
            ("1E+3", "1000"),
        ] {
            assert_eq!(n(input).to_string(), printed, "{input}");
        }
        assert_eq!(n("1E125").to_string(), format!("1{}", "0".repeat(125)));
        assert_eq!(n("1E-130").to_string(), format!("0.{}1", "0".repeat(129)));
    }

    #[test]
    fn refuses_what_cannot_be_kept() {
        use NumberError::{NotANumber, Overflow, TooManyDigits, Underflow};
        for (input, error) in [
            ("", NotANumber),
            ("-", NotANumber),
            (".", NotANumber),
            ("1e", NotANumber),
            ("1e+", NotANumber),
            ("abc", NotANumber),
            ("1 ", NotANumber),
            ("1.2.3", NotANumber),
            ("0x10", NotANumber),
            ("NaN", NotANumber),
            ("Infinity", NotANumber),
            ("1E126", Overflow),
            ("-1E126", Overflow),
            ("1E999999999999", Overflow),
            ("1E-131", Underflow),
            ("1E-999999999999", Underflow),
            ("123456789012345678901234567890123456789", TooManyDigits),
            ("0.123456789012345678901234567890123456789", TooManyDigits),
        ] {
            assert_eq!(Number::parse(input), Err(error), "{input}");
        }
        assert!(Number::parse(&"9".repeat(10_000)).is_err());
        assert_eq!(Number::parse(&format!("0.{}", "0".repeat(10_000))), Ok(Number::ZERO));
    }

    #[test]
    fn sizes_measured_against_aws() {
        for (input, bytes) in [
            ("0", 1),
            ("1", 2),
            ("-1", 3),
            ("12", 2),
            ("123", 3),
            ("100", 2),
            ("1200", 2),
            ("100.5", 4),
            ("0.001", 2),
            ("1.001", 4),
            ("12345678901234567890123456789012345678", 20),
        ] {
            assert_eq!(n(input).size_bytes(), bytes, "{input}");
        }
    }

    #[test]
    fn adds_exactly_or_refuses() {
        for (a, b, sum) in [
            ("1", "2", "3"),
            ("0.1", "0.2", "0.3"),
            ("-5", "5", "0"),
            ("1E20", "-1", "99999999999999999999"),
            ("99999999999999999999999999999999999999", "1", "100000000000000000000000000000000000000"),
            ("1E38", "-1", "99999999999999999999999999999999999999"),
        ] {
            assert_eq!(n(a).checked_add(n(b)), Ok(n(sum)), "{a} + {b}");
        }
        assert_eq!(n("1E38").checked_add(n("1")), Err(NumberError::TooManyDigits));
        assert_eq!(n("1E125").checked_add(n("1E-130")), Err(NumberError::TooManyDigits));
        assert_eq!(
            n("9.9999999999999999999999999999999999999E125").checked_add(n("1E88")),
            Err(NumberError::Overflow)
        );
    }

    #[test]
    fn integers_come_back() {
        for value in [0, 1, -1, 10, i64::MAX, i64::MIN] {
            assert_eq!(Number::from(value).to_i64(), Some(value));
        }
        assert_eq!(n("1.5").to_i64(), None);
        assert_eq!(n("1E30").to_i64(), None);
    }

    prop_compose! {
        /// A small coefficient and exponent, so that an i128 can be the model.
        fn small()(coefficient in -1_000_000i128..1_000_000, exponent in 0u32..12) -> (i128, Number) {
            let text = format!("{coefficient}E{}", i64::from(exponent) - 6);
            (coefficient * 10i128.pow(exponent), n(&text))
        }
    }

    proptest! {
        #[test]
        fn agrees_with_integers((a, x) in small(), (b, y) in small()) {
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            let sum = n(&format!("{}E-6", a + b));
            prop_assert_eq!(x.checked_add(y), Ok(sum));
            prop_assert_eq!(sum.checked_sub(y), Ok(x));
        }

        #[test]
        fn printing_reads_back(text in "-?[0-9]{1,20}(\\.[0-9]{1,18})?(E-?[0-9]{1,2})?") {
            let number = n(&text);
            prop_assert_eq!(Number::parse(&number.to_string()), Ok(number));
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,60}") {
            let _ = Number::parse(&text);
        }
    }
}
