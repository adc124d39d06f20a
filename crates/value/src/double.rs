//! Numbers of text as doubles, for code whose size counts.
//!
//! The standard library is fast by tables of ten kilobytes. WebAssembly divides long integers instead: numbers that are not
//! integers are rare there, and short. Results are the same.

/// The double that is nearest to a number as JSON writes it; none of other text.
pub fn parse(text: &str) -> Option<f64> {
    #[cfg(not(target_arch = "wasm32"))]
    return text.parse().ok();
    #[cfg(target_arch = "wasm32")]
    nearest(text)
}

/// Digits that decide: every double, and every point in the middle of two, has fewer.
#[cfg(any(target_arch = "wasm32", test))]
const MOST_DIGITS: usize = 800;

#[cfg(any(target_arch = "wasm32", test))]
fn nearest(text: &str) -> Option<f64> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (digits, power) = match digits.split_once(['e', 'E']) {
        Some((digits, power)) => (digits, power.parse::<i64>().ok()?),
        None => (digits, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut all = whole.bytes().chain(fraction.bytes());
    if whole.is_empty() || !all.all(|each| each.is_ascii_digit()) {
        return None;
    }
    let (mut over, mut under, mut kept, mut is_more) = (Long::of(0), Long::of(1), 0, false);
    let mut power = power.saturating_sub(fraction.len() as i64);
    for digit in whole.bytes().chain(fraction.bytes()).map(|each| u32::from(each - b'0')) {
        match kept {
            0 if digit == 0 => {}
            MOST_DIGITS => {
                power = power.saturating_add(1);
                is_more |= digit != 0;
            }
            _ => {
                over.times(10, digit);
                kept += 1;
            }
        }
    }
    if is_more {
        // One digit replaces all others: it only matters that there are any.
        over.times(10, 1);
        power = power.saturating_sub(1);
        kept += 1;
    }
    let size = power.saturating_add(kept as i64);
    let bits = match kept {
        0 => 0,
        _ if size > 310 => INFINITE,
        _ if size < -330 => 0,
        _ => {
            for _ in 0..power {
                over.times(10, 0);
            }
            for _ in power..0 {
                under.times(10, 0);
            }
            quotient(over, under)
        }
    };
    let double = f64::from_bits(bits);
    Some(if is_negative { -double } else { double })
}

#[cfg(any(target_arch = "wasm32", test))]
const INFINITE: u64 = 2047 << 52;

/// The bits of the double that is nearest to a fraction above zero.
#[cfg(any(target_arch = "wasm32", test))]
fn quotient(mut over: Long, mut under: Long) -> u64 {
    // Both are doubled until the fraction is from one to below two.
    let mut exponent = 0;
    while !over.is_below(&under) {
        under.double();
        exponent += 1;
    }
    while over.is_below(&under) {
        over.double();
        exponent -= 1;
    }
    // Doubles that are nearest to zero have fewer bits.
    let bits = 53.min(53 + exponent + 1022);
    let mut found = 0_u64;
    for _ in 0..bits {
        found <<= 1;
        if !over.is_below(&under) {
            over.subtract(&under);
            found |= 1;
        }
        over.double();
    }
    // The rest is compared with half of the last bit; a tie goes to the even one. Without a first bit, it is less.
    let is_more = under.is_below(&over);
    let is_half = bits >= 0 && !over.is_below(&under) && (is_more || found % 2 == 1);
    found += u64::from(is_half);
    match exponent + 1022 {
        biased if biased > 2045 => INFINITE,
        biased if biased >= 0 => ((biased as u64) << 52).wrapping_add(found),
        _ => found,
    }
}

/// An integer that is not negative, the lowest part first, without zeros at its end.
#[cfg(any(target_arch = "wasm32", test))]
struct Long(Vec<u32>);

#[cfg(any(target_arch = "wasm32", test))]
impl Long {
    fn of(value: u32) -> Long {
        Long(vec![value])
    }

    fn times(&mut self, factor: u32, plus: u32) {
        let mut carry = u64::from(plus);
        for part in &mut self.0 {
            carry += u64::from(*part) * u64::from(factor);
            *part = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn double(&mut self) {
        self.times(2, 0);
    }

    fn is_below(&self, other: &Long) -> bool {
        let length = self.0.len().max(other.0.len());
        let part = |long: &Long, at: usize| long.0.get(at).copied().unwrap_or(0);
        let differs = (0..length).rev().find(|at| part(self, *at) != part(other, *at));
        differs.is_some_and(|at| part(self, at) < part(other, at))
    }

    /// Takes away what is not greater.
    fn subtract(&mut self, other: &Long) {
        let mut borrow = 0;
        for (at, part) in self.0.iter_mut().enumerate() {
            let rest = i64::from(*part) - i64::from(other.0.get(at).copied().unwrap_or(0)) - borrow;
            borrow = i64::from(rest < 0);
            *part = rest as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_same(text: &str) {
        assert_eq!(nearest(text).map(f64::to_bits), text.parse().ok().map(f64::to_bits), "{text}");
    }

    #[test]
    fn edges_are_those_of_the_standard_library() {
        let texts = "0 -0 0.0 1 -1.5 10 0.1 0.3 1e23 9007199254740993 9007199254740992.5 9007199254740993.5 1e308 1.7976931348623157e308
            1.7976931348623158e308 1.7976931348623159e308 1e309 1e400 -1e999999999999 1e-999999999999 5e-324 2.4703282292062327e-324
            2.4703282292062328e-324 2.5e-324 1e-324 1e-323 2.2250738585072011e-308 2.2250738585072014e-308 0.000001 123456789.123456789e-5 00012
            1E5 1e+5 2.2250738585072012e-308 4.9406564584124654e-324 7.4109846876186981e-324";
        texts.split_whitespace().for_each(is_same);
        // Digits that decide far behind the point.
        let half = "9007199254740992.5".to_owned();
        for zeros in [10, 700, 790, 900, 2_000] {
            is_same(&format!("{half}{}", "0".repeat(zeros)));
            is_same(&format!("{half}{}1", "0".repeat(zeros)));
        }
        for text in ["", "-", ".5", "e5", "1e", "a", "1.2.3", "1,2"] {
            assert_eq!(nearest(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_the_standard_library(text in "-?[0-9]{1,25}(\\.[0-9]{1,25})?(e-?[0-9]{1,3})?", bits in any::<u64>()) {
            is_same(&text);
            let double = f64::from_bits(bits);
            if double.is_finite() {
                is_same(&format!("{double:e}"));
                is_same(&format!("{double:.30e}"));
            }
        }
    }
}
