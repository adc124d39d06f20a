//! JSON in which everything counts: no name twice, no digit lost.
//!
//! Readers of JSON commonly keep the last of two equal names and round a number to a double. An argument that is dropped or
//! changed without a word is worse than one that is refused. Values keep the 38 digits that DynamoDB does; where a tree of
//! JSON would round a number, it is refused.

use std::sync::Arc;

use serde_json::{Number as JsonNumber, Value as Json};
use sortkey_api::json::{Kind, Malformed, Reader};
use sortkey_value::Number;

use super::{Fields, Val};
use crate::{Failure, FailureKind};

/// Objects and lists inside each other, as many as serde_json takes.
const MAX_DEPTH: usize = 127;
/// Room for the members of most objects.
const ROOM: usize = 8;

/// The value of a JSON text; `what` is what the text is called when it is none.
pub(crate) fn read<T: Tree>(text: &[u8], what: &str) -> Result<T, Failure> {
    let whole = || {
        let mut reader = Reader::new(text)?;
        let value = tree(&mut reader, 0)?;
        reader.end()?;
        Ok(value)
    };
    whole().map_err(|fault| match fault {
        Fault::Malformed => {
            // Our parser is fast; serde_json reports the position.
            let error = serde_json::from_slice::<Json>(text).err();
            let why = error.map_or_else(|| Malformed.to_string(), |error| error.to_string());
            Failure::new(FailureKind::Invalid, format!("{what} is not JSON: {why}"))
        }
        Fault::Deep => {
            let why = format!("{what} nests deeper than {MAX_DEPTH} levels");
            Failure::new(FailureKind::Invalid, why)
        }
        Fault::Twice(name) => Failure::invalid(name.as_str(), format!("`{name}` is given twice")),
        Fault::Beyond(name) => beyond(&name),
        Fault::Rounded(number) => {
            let why =
                format!("{number} has more digits than a JSON number keeps; a decimal may also be text");
            Failure::new(FailureKind::Invalid, why)
        }
    })
}

/// DynamoDB keeps numbers within bounds.
pub(crate) fn beyond(name: &str) -> Failure {
    Failure::invalid(name, format!("`{name}` holds a number that cannot be kept"))
}

/// A fault of a JSON text.
#[derive(Debug)]
pub(crate) enum Fault {
    Malformed,
    Deep,
    /// An object has a name twice.
    Twice(String),
    /// A number that DynamoDB does not keep, under this name of the outermost object.
    Beyond(String),
    /// A number that a double does not keep digit by digit.
    Rounded(String),
}

impl From<Malformed> for Fault {
    fn from(_: Malformed) -> Fault {
        Fault::Malformed
    }
}

/// The result of parsing a JSON text.
pub(crate) trait Tree: Sized {
    /// How it keeps names.
    type Name: Ord + AsRef<str> + for<'a> From<&'a str>;
    fn null() -> Self;
    fn boolean(value: bool) -> Self;
    fn number(text: &str) -> Result<Self, Fault>;
    fn text(value: String) -> Self;
    fn list(members: Vec<Self>) -> Self;
    /// Of members whose names ascend.
    fn map(members: Vec<(Self::Name, Self)>) -> Self;
}

impl Tree for Json {
    type Name = String;

    fn null() -> Json {
        Json::Null
    }

    fn boolean(value: bool) -> Json {
        Json::Bool(value)
    }

    fn number(text: &str) -> Result<Json, Fault> {
        if let Ok(integer) = text.parse::<i64>() {
            return Ok(Json::from(integer));
        }
        if let Ok(integer) = text.parse::<u64>() {
            return Ok(Json::from(integer));
        }
        let double = sortkey_value::double::parse(text).ok_or(Fault::Malformed)?;
        let number = JsonNumber::from_f64(double).ok_or(Fault::Malformed)?;
        // Both are nearest to the same double, so that equal digits are equal numbers.
        match digits(text).eq(digits(&number.to_string())) {
            true => Ok(Json::Number(number)),
            false => Err(Fault::Rounded(text.to_owned())),
        }
    }

    fn text(value: String) -> Json {
        Json::String(value)
    }

    fn list(members: Vec<Json>) -> Json {
        Json::Array(members)
    }

    fn map(members: Vec<(String, Json)>) -> Json {
        super::json_object(members.into_iter())
    }
}

impl Tree for Val {
    type Name = Arc<str>;

    fn null() -> Val {
        Val::Null
    }

    fn boolean(value: bool) -> Val {
        Val::Bool(value)
    }

    fn number(text: &str) -> Result<Val, Fault> {
        Number::parse(text).map(Val::Number).map_err(|_| Fault::Beyond(String::new()))
    }

    fn text(value: String) -> Val {
        Val::Text(value)
    }

    fn list(members: Vec<Val>) -> Val {
        Val::List(members)
    }

    fn map(members: Vec<(Arc<str>, Val)>) -> Val {
        Val::Map(Fields::ascending(members))
    }
}

fn tree<T: Tree>(reader: &mut Reader<'_>, depth: usize) -> Result<T, Fault> {
    Ok(match reader.peek()? {
        Kind::Array | Kind::Object if depth == MAX_DEPTH => return Err(Fault::Deep),
        Kind::Null => {
            reader.null()?;
            T::null()
        }
        Kind::True | Kind::False => T::boolean(reader.boolean()?),
        Kind::Number => T::number(reader.number()?)?,
        Kind::String => T::text(reader.string()?.into_owned()),
        Kind::Array => {
            reader.begin_array()?;
            let mut list = Vec::new();
            while reader.next_element()? {
                list.push(tree(reader, depth + 1)?);
            }
            T::list(list)
        }
        Kind::Object => T::map(members(reader, depth)?),
    })
}

fn members<T: Tree>(reader: &mut Reader<'_>, depth: usize) -> Result<Vec<(T::Name, T)>, Fault> {
    reader.begin_object()?;
    let mut members: Vec<(T::Name, T)> = Vec::with_capacity(ROOM);
    while let Some(name) = reader.next_name()? {
        let value = tree(reader, depth + 1).map_err(|fault| match fault {
            // The outermost name is the argument's.
            Fault::Beyond(_) => Fault::Beyond(name.clone().into_owned()),
            fault => fault,
        })?;
        members.push((T::Name::from(&*name), value));
    }
    // Sorted once: to look for each name among the earlier ones would let a long text take its square in time.
    if !members.is_sorted_by(|(one, _), (other, _)| one < other) {
        sortkey_value::order::sort_by(&mut members, |(one, _), (other, _)| one.cmp(other));
        if let Some(pair) = members.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(Fault::Twice(pair[0].0.as_ref().to_owned()));
        }
    }
    Ok(members)
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
    use crate::values::from_json;

    #[test]
    fn what_is_read_is_what_serde_json_reads() {
        let text = r#"{"a":[1,-2,18446744073709551615,0.5,1e3,-1.50e-7,0.0],"b":{"a":null,"ü":true},"c":"\u00fc\"\\ 1.23456789012345678"}"#;
        let json: Json = serde_json::from_str(text).expect("JSON");
        assert_eq!(read(text.as_bytes(), "it"), Ok(json.clone()));
        assert_eq!(read(text.as_bytes(), "it").ok(), from_json(json), "as values");
    }

    #[test]
    fn numbers_that_dynamodb_does_not_keep_are_refused_by_the_name_of_their_argument() {
        let long = format!(r#"{{"b":1{}1}}"#, "0".repeat(37));
        for text in [r#"{"a":1,"b":{"c":[1e126]}}"#, r#"{"b":-1e200}"#, r#"{"b":1e-131,"b":"#, &long] {
            let failed = read::<Val>(text.as_bytes(), "it").expect_err("refused");
            assert_eq!((failed.field.as_deref(), &failed), (Some("b"), &beyond("b")), "{text}");
        }
        assert!(read::<Json>(b"[1e200]", "it").is_ok());
        let kept = Number::parse("12345678901234567890123456789012345678").map(Val::Number).ok();
        assert_eq!(read(b"12345678901234567890123456789012345678", "it").ok(), kept);
    }

    #[test]
    fn many_names_take_no_longer_than_their_text() {
        let names: Vec<String> = (0..200_000).rev().map(|name| format!("\"{name}\":0")).collect();
        let text = format!("{{{}}}", names.join(","));
        let Ok(Val::Map(fields)) = read(text.as_bytes(), "it") else { panic!("an object") };
        assert_eq!(fields.len(), names.len());
    }

    #[test]
    fn names_stand_once() {
        for (text, name) in [
            (r#"{"a":1,"a":1}"#, "a"),
            (r#"{"a":{"b":1,"c":[{"d":1,"\u0064":2}]}}"#, "d"),
            (r#"{"b":1,"a":{},"b":1}"#, "b"),
        ] {
            assert_eq!(
                read::<Json>(text.as_bytes(), "it").unwrap_err().field.as_deref(),
                Some(name),
                "{text}"
            );
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
            let failed = read::<Json>(text.as_bytes(), "it").err().map(|failure| failure.message);
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
            let failed = read::<Json>(text.as_bytes(), "the body").unwrap_err();
            assert!(failed.message.starts_with("the body is not JSON: "), "{text}: {failed}");
        }
        let failed = read::<Val>(b"{\n  \"a\": 1,\n}", "the body").unwrap_err();
        assert!(failed.message.ends_with(" at line 3 column 1"), "{failed}");
        let deep = "[".repeat(100_000);
        assert!(read::<Val>(deep.as_bytes(), "it").unwrap_err().message.contains("nests deeper than 127"));
        let deepest = format!("{}1{}", "[".repeat(127), "]".repeat(127));
        assert!(
            read::<Val>(deepest.as_bytes(), "it").is_ok() && serde_json::from_str::<Json>(&deepest).is_ok()
        );
        let deeper = format!("[{deepest}]");
        assert!(
            read::<Val>(deeper.as_bytes(), "it").is_err() && serde_json::from_str::<Json>(&deeper).is_err()
        );
    }
}
