//! JSON in which everything counts: no name twice, no digit lost.
//!
//! Readers of JSON commonly keep the last of two equal names and round a number to a double. An argument that is dropped or
//! changed without a word is worse than one that is refused, so both are refused here, with the name.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value as Json};
use sortkey_runtime::{Failure, FailureKind};

/// The value of a JSON text; `what` is what the text is called when it is none. Nesting is bounded by serde_json.
pub(crate) fn read(text: &[u8], what: &str) -> Result<Json, Failure> {
    let seen = Seen::default();
    let mut reader = serde_json::Deserializer::from_slice(text);
    let value = Exactly(&seen).deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    if let Some(name) = seen.twice.take() {
        return Err(Failure::invalid(name.as_str(), format!("`{name}` is given twice")));
    }
    let value =
        value.map_err(|error| Failure::new(FailureKind::Invalid, format!("{what} is not JSON: {error}")))?;
    // Integers of 64 bits are exact, so that most texts are read once.
    match seen.double.get().then(|| rounded(text)).flatten() {
        Some(number) => {
            let why =
                format!("{number} has more digits than a JSON number keeps; a decimal may also be text");
            Err(Failure::new(FailureKind::Invalid, why))
        }
        None => Ok(value),
    }
}

/// What was met on the way.
#[derive(Default)]
struct Seen {
    twice: Cell<Option<String>>,
    double: Cell<bool>,
}

/// Reads a value and notes what it met.
#[derive(Clone, Copy)]
struct Exactly<'a>(&'a Seen);

impl<'de> DeserializeSeed<'de> for Exactly<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Exactly<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        self.0.double.set(true);
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element_seed(self)? {
            list.push(element);
        }
        Ok(Json::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut map = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if map.contains_key(&name) {
                self.0.twice.set(Some(name));
                return Err(A::Error::custom("a name is given twice"));
            }
            let value = members.next_value_seed(self)?;
            map.insert(name, value);
        }
        Ok(Json::Object(map))
    }
}

/// The first number in a JSON text that a double does not keep digit by digit.
fn rounded(text: &[u8]) -> Option<&str> {
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        rest = match first {
            b'"' => after_string(after),
            b'-' | b'0'..=b'9' => {
                let is_part = |byte: &u8| matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E' | b'0'..=b'9');
                let (number, rest) =
                    rest.split_at(rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len()));
                let number = std::str::from_utf8(number).ok()?;
                let whole = number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
                let kept: f64 = number.parse().ok()?;
                // Both are nearest to the same double, so that equal digits are equal numbers.
                if !whole && !digits(number).eq(digits(&format!("{kept:e}"))) {
                    return Some(number);
                }
                rest
            }
            _ => after,
        };
    }
    None
}

/// What follows the string whose opening quote was just read.
fn after_string(mut text: &[u8]) -> &[u8] {
    loop {
        match text {
            [b'\\', _, after @ ..] => text = after,
            [b'"', after @ ..] => return after,
            [_, after @ ..] => text = after,
            [] => return text,
        }
    }
}

/// The digits of a number from the first to the last that is not zero.
fn digits(number: &str) -> impl Iterator<Item = u8> {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    let digits: Vec<u8> =
        mantissa.bytes().filter(u8::is_ascii_digit).skip_while(|digit| *digit == b'0').collect();
    let end = digits.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1);
    digits.into_iter().take(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_serde_json_reads() {
        let text = r#"{"a":[1,-2,18446744073709551615,0.5,1e3,-1.50e-7,0.0],"b":{"a":null,"ü":true},"c":"\u00fc\"\\ 1.23456789012345678"}"#;
        assert_eq!(read(text.as_bytes(), "it"), Ok(serde_json::from_str(text).unwrap()));
    }

    #[test]
    fn names_stand_once() {
        for (text, name) in [
            (r#"{"a":1,"a":1}"#, "a"),
            (r#"{"a":{"b":1,"c":[{"d":1,"\u0064":2}]}}"#, "d"),
            (r#"{"a":1,"a":"#, "a"),
        ] {
            assert_eq!(read(text.as_bytes(), "it").unwrap_err().field.as_deref(), Some(name), "{text}");
        }
    }

    #[test]
    fn no_digit_is_lost() {
        for (text, expected) in [
            ("[0.1]", None),
            ("[12345678901234567.0]", Some("12345678901234567.0")),
            ("[123456789012345678.91]", Some("123456789012345678.91")),
            ("[9007199254740993]", None),
            ("[99999999999999999999]", Some("99999999999999999999")),
            ("[100000000000000000000]", None),
            ("[1e-400]", Some("1e-400")),
            ("[0.00, -0.0, 0e9]", None),
            (r#"["0.12345678901234567890\"", 0.5]"#, None),
        ] {
            let failed = read(text.as_bytes(), "it").err().map(|failure| failure.message);
            let starts = match (&failed, expected) {
                (Some(message), Some(number)) => message.starts_with(&format!("{number} has more digits")),
                (failed, expected) => failed.is_none() && expected.is_none(),
            };
            assert!(starts, "{text}: {failed:?}");
        }
    }

    #[test]
    fn what_is_no_json_is_told_so() {
        for text in ["", "{", "[1,]", "{} x", "\u{feff}{}", "1e999"] {
            let failed = read(text.as_bytes(), "the body").unwrap_err();
            assert!(failed.message.starts_with("the body is not JSON: "), "{text}: {failed}");
        }
        let deep = "[".repeat(100_000);
        assert!(read(deep.as_bytes(), "it").unwrap_err().message.contains("recursion limit"));
    }
}
