//! `a=1&b=two`: query strings and form bodies, decoded; and their texts as JSON of the wanted type.

use serde_json::Value as Json;
use sortkey_core::read_json;
use sortkey_design::model::TimeUnit;
use sortkey_design::program::Type;

/// The names and values, percent-decoded; none if an escape is broken or a text is not UTF-8.
pub(crate) fn parse(text: &str) -> Option<Vec<(String, String)>> {
    let parts = text.split('&').filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            Some((decode(name, true)?, decode(value, true)?))
        })
        .collect()
}

/// A segment of a path, percent-decoded; none if an escape is broken or the text is not UTF-8.
pub(crate) fn segment(text: &str) -> Option<String> {
    decode(text, false)
}

/// In queries a plus is a space.
fn decode(text: &str, is_query: bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' if is_query => bytes.push(b' '),
            b'%' => bytes.push(hex(rest.next()?)? << 4 | hex(rest.next()?)?),
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

/// A text as JSON of a type. A text that does not fit is kept,
/// so that the runtime can report what is wrong with it.
pub(crate) fn coerce(ty: &Type, text: String) -> Json {
    let parsed = match ty {
        Type::Int { .. } | Type::Decimal { .. } | Type::Bool => json(&text),
        Type::Time { unit: TimeUnit::Milliseconds | TimeUnit::Seconds | TimeUnit::Unstated } => json(&text),
        Type::Json { of } => return coerce(of, text),
        Type::List { .. } | Type::Map { .. } | Type::Set { .. } | Type::Object(_) => json(&text),
        Type::Input { .. } | Type::Any { .. } | Type::Unknown => json(&text),
        Type::String { .. } | Type::Id { .. } | Type::Token { .. } | Type::Enum(_) => None,
        Type::Bytes { .. } | Type::Time { .. } | Type::Date | Type::Month => None,
    };
    parsed.unwrap_or(Json::String(text))
}

fn json(text: &str) -> Option<Json> {
    read_json(text.as_bytes(), "the value").ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use serde_json::json;

    #[test]
    fn queries_are_decoded() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        for (text, expected) in [
            ("", Some(vec![])),
            ("a=1&b=two+words&c", Some(vec![pair("a", "1"), pair("b", "two words"), pair("c", "")])),
            ("e=a%40x.com&%C3%BC=%26", Some(vec![pair("e", "a@x.com"), pair("ü", "&")])),
            ("a=%4", None),
            ("a=%zz", None),
            ("a=%ff", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }

    #[test]
    fn texts_become_what_the_type_wants() {
        let int = Type::Int { min: None, max: None };
        let list = Type::List { of: Arc::new(int.clone()), max: None };
        for (ty, text, expected) in [
            (&int, "7", json!(7)),
            (&int, "seven", json!("seven")),
            (&Type::Bool, "true", json!(true)),
            (&Type::Date, "2026", json!("2026")),
            (&Type::Time { unit: TimeUnit::Milliseconds }, "12", json!(12)),
            (&Type::Time { unit: TimeUnit::Iso }, "12", json!("12")),
            (&list, "[1]", json!([1])),
            (&Type::Json { of: Arc::new(list.clone()) }, "[1]", json!([1])),
            (&Type::Any { max: None }, "{\"a\":1}", json!({ "a": 1 })),
            (&Type::Any { max: None }, "plain", json!("plain")),
        ] {
            assert_eq!(coerce(ty, text.to_owned()), expected, "{ty:?} {text}");
        }
    }
}
