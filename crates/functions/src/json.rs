//! JSON values: reading, comparing and measuring.

use std::cmp::Ordering;
use std::fmt;

use serde_json::{Number, Value};

/// A body as JSON. The reader refuses more than 127 levels, so whatever is read can be walked recursively.
pub(crate) fn read(body: &[u8]) -> Option<Value> {
    serde_json::from_slice(body).ok()
}

/// Whether two values are equal. Numbers are compared by value: `1` is `1.0`.
pub(crate) fn is_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => compare_numbers(one, other) == Some(Ordering::Equal),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let same = |(name, value)| other.get(name).is_some_and(|other| is_equal(value, other));
            one.len() == other.len() && one.iter().all(same)
        }
        _ => one == other,
    }
}

/// The order of two numbers or two texts; other values have none. Texts are ordered by code point.
pub(crate) fn compare(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => compare_numbers(one, other),
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        _ => None,
    }
}

fn compare_numbers(one: &Number, other: &Number) -> Option<Ordering> {
    match (integer(one), integer(other)) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        (Some(one), None) => Some(compare_mixed(one, other.as_f64()?)),
        (None, Some(other)) => Some(compare_mixed(other, one.as_f64()?).reverse()),
        (None, None) => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

fn integer(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

/// An integer beside a float, exactly: converting the integer would round it. JSON's floats are finite.
fn compare_mixed(integer: i128, float: f64) -> Ordering {
    // Beyond 2^64 there are no integers here, so the sign decides.
    if float.abs() >= 18_446_744_073_709_551_616.0 {
        return if float > 0.0 { Ordering::Less } else { Ordering::Greater };
    }
    let whole = float.trunc();
    let fraction = float - whole;
    integer.cmp(&(whole as i128)).then_with(|| 0.0_f64.partial_cmp(&fraction).unwrap_or(Ordering::Equal))
}

/// How large and how deep a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// The bytes of its compact JSON.
    pub(crate) bytes: usize,
    /// The levels of objects and arrays.
    pub(crate) depth: usize,
}

pub(crate) fn extent(value: &Value) -> Extent {
    let flat = |bytes| Extent { bytes, depth: 0 };
    match value {
        Value::Null | Value::Bool(true) => flat(4),
        Value::Bool(false) => flat(5),
        Value::Number(number) => flat(number_bytes(number)),
        Value::String(text) => flat(text_bytes(text)),
        Value::Array(elements) => around(elements.iter().map(extent)),
        Value::Object(members) => around(members.iter().map(|(name, value)| {
            let Extent { bytes, depth } = extent(value);
            Extent { bytes: text_bytes(name) + 1 + bytes, depth }
        })),
    }
}

/// Brackets around what is in them, with commas between.
fn around(inside: impl Iterator<Item = Extent>) -> Extent {
    let (mut bytes, mut depth, mut count) = (0, 0, 0_usize);
    for extent in inside {
        bytes += extent.bytes;
        depth = depth.max(extent.depth);
        count += 1;
    }
    Extent { bytes: bytes + 2 + count.saturating_sub(1), depth: depth + 1 }
}

/// The bytes of a text in JSON: quotes and escapes included.
pub(crate) fn text_bytes(text: &str) -> usize {
    let escapes = |byte: u8| match byte {
        b'"' | b'\\' | 8 | 9 | 10 | 12 | 13 => 1,
        0..=31 => 5,
        _ => 0,
    };
    text.len() + 2 + text.bytes().map(escapes).sum::<usize>()
}

fn number_bytes(number: &Number) -> usize {
    struct Counter(usize);
    impl fmt::Write for Counter {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 += text.len();
            Ok(())
        }
    }
    let mut counter = Counter(0);
    match fmt::write(&mut counter, format_args!("{number}")) {
        Ok(()) => counter.0,
        Err(fmt::Error) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn number(text: &str) -> Number {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn numbers_are_compared_by_value() {
        use Ordering::{Equal, Greater, Less};
        for (one, other, expected) in [
            ("1", "1.0", Equal),
            ("-0.0", "0", Equal),
            ("1", "1.5", Less),
            ("-1", "-1.5", Greater),
            ("9007199254740993", "9007199254740992.0", Greater),
            ("18446744073709551615", "18446744073709551616.0", Less),
            ("18446744073709551615", "-1", Greater),
            ("-9223372036854775808", "-1e300", Greater),
            ("1e300", "1e301", Less),
            ("0.1", "0.10", Equal),
        ] {
            assert_eq!(compare_numbers(&number(one), &number(other)), Some(expected), "{one} {other}");
            assert_eq!(compare_numbers(&number(other), &number(one)), Some(expected.reverse()));
        }
    }

    #[test]
    fn equality_is_deep() {
        assert!(is_equal(&json!({"a": [1, {"b": 2.0}]}), &json!({"a": [1.0, {"b": 2}]})));
        assert!(!is_equal(&json!({"a": 1}), &json!({"a": 1, "b": 1})));
        assert!(!is_equal(&json!([1]), &json!([1, 1])));
        assert!(!is_equal(&json!("1"), &json!(1)));
        assert!(!is_equal(&json!(null), &json!(false)));
    }

    #[test]
    fn the_extent_is_that_of_the_text() {
        for value in [
            json!(null),
            json!(false),
            json!(-1.234_567_890_123_456_7e-300),
            json!(u64::MAX),
            json!("a\"b\\c\u{1}\u{8}\t\n\u{c}\r\u{1f}ü\u{7f}"),
            json!([[], {}, [1, 2, "x"], {"a": {"b": []}}]),
        ] {
            assert_eq!(extent(&value).bytes, value.to_string().len(), "{value}");
        }
        assert_eq!(extent(&json!([[], {"a": {"b": [1]}}])).depth, 4);
    }
}
