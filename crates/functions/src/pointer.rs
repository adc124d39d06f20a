//! JSON Pointers (RFC 6901): `/order/lines/0/price`, with `~1` for `/` and `~0` for `~` within a name.

use std::fmt;

use serde_json::Value;
use thiserror::Error;

/// The longest pointer.
pub const MAX_POINTER_BYTES: usize = 1024;

/// The most names in one pointer.
pub const MAX_POINTER_NAMES: usize = 32;

/// A place in a JSON document. The empty pointer is the whole document.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Pointer {
    names: Vec<String>,
}

/// Why a text is not a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PointerError {
    /// It does not begin with a slash.
    #[error("a path begins with `/`, or is empty for the whole document")]
    NoSlash,
    /// There is a `~` that is neither `~0` nor `~1`.
    #[error("`~` is written `~0` in a path, and `/` within a name `~1`")]
    Escape,
    /// It is too long.
    #[error("a path has at most {MAX_POINTER_NAMES} names and {MAX_POINTER_BYTES} bytes")]
    TooLong,
}

impl Pointer {
    /// Reads a pointer.
    pub fn parse(text: &str) -> Result<Pointer, PointerError> {
        if text.len() > MAX_POINTER_BYTES {
            return Err(PointerError::TooLong);
        }
        if text.is_empty() {
            return Ok(Pointer::default());
        }
        let names = text.strip_prefix('/').ok_or(PointerError::NoSlash)?;
        let names: Vec<String> = names.split('/').map(unescape).collect::<Result<_, _>>()?;
        if names.len() > MAX_POINTER_NAMES { Err(PointerError::TooLong) } else { Ok(Pointer { names }) }
    }

    /// The pointer with these names.
    pub(crate) fn from_names<const N: usize>(names: [&str; N]) -> Pointer {
        Pointer { names: names.map(str::to_owned).to_vec() }
    }

    /// The pointer to something within what other names point to.
    pub(crate) fn new(parents: &[String], last: &str) -> Pointer {
        Pointer { names: parents.iter().cloned().chain([last.to_owned()]).collect() }
    }

    /// The names, outermost first.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The pointer to what contains this place, and the last name; nothing for the whole document.
    pub(crate) fn split_last(&self) -> Option<(&[String], &str)> {
        self.names.split_last().map(|(last, parents)| (parents, last.as_str()))
    }

    /// Whether this place is another one or contains it.
    pub(crate) fn contains(&self, other: &Pointer) -> bool {
        other.names.starts_with(&self.names)
    }

    /// The value at this place.
    pub fn find<'v>(&self, document: &'v Value) -> Option<&'v Value> {
        self.names.iter().try_fold(document, |value, name| match value {
            Value::Object(members) => members.get(name),
            Value::Array(elements) => elements.get(index(name)?),
            _ => None,
        })
    }
}

/// The value at some names, to be changed.
pub(crate) fn find_mut<'v>(document: &'v mut Value, names: &[String]) -> Option<&'v mut Value> {
    names.iter().try_fold(document, |value, name| match value {
        Value::Object(members) => members.get_mut(name),
        Value::Array(elements) => elements.get_mut(index(name)?),
        _ => None,
    })
}

/// The index that a name is in an array: digits without a zero in front.
pub(crate) fn index(name: &str) -> Option<usize> {
    let plain = name.len() <= 9 && name.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = name == "0" || !name.starts_with('0');
    if plain && canonical { name.parse().ok() } else { None }
}

fn unescape(name: &str) -> Result<String, PointerError> {
    let mut text = String::with_capacity(name.len());
    let mut characters = name.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '~' => match characters.next() {
                Some('0') => '~',
                Some('1') => '/',
                _ => return Err(PointerError::Escape),
            },
            other => other,
        });
    }
    Ok(text)
}

impl fmt::Display for Pointer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.names
            .iter()
            .try_for_each(|name| write!(formatter, "/{}", name.replace('~', "~0").replace('/', "~1")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    // The example of RFC 6901, section 5.
    #[test]
    fn places_are_those_of_the_rfc() {
        let document = json!({
            "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8
        });
        for (pointer, expected) in [
            ("", document.clone()),
            ("/foo", json!(["bar", "baz"])),
            ("/foo/0", json!("bar")),
            ("/", json!(0)),
            ("/a~1b", json!(1)),
            ("/c%d", json!(2)),
            ("/e^f", json!(3)),
            ("/g|h", json!(4)),
            ("/i\\j", json!(5)),
            ("/k\"l", json!(6)),
            ("/ ", json!(7)),
            ("/m~0n", json!(8)),
        ] {
            assert_eq!(Pointer::parse(pointer).unwrap().find(&document), Some(&expected), "{pointer}");
        }
        for nowhere in [
            "/foo/2",
            "/foo/00",
            "/foo/-",
            "/foo/+1",
            "/foo/01",
            "/foo/0/x",
            "/bar",
            "//",
            "/foo/99999999999",
        ] {
            assert_eq!(Pointer::parse(nowhere).unwrap().find(&document), None, "{nowhere}");
        }
    }

    #[test]
    fn texts_that_are_not_pointers_are_refused() {
        assert_eq!(Pointer::parse("foo"), Err(PointerError::NoSlash));
        assert_eq!(Pointer::parse("/~"), Err(PointerError::Escape));
        assert_eq!(Pointer::parse("/~2"), Err(PointerError::Escape));
        assert_eq!(Pointer::parse(&"/a".repeat(33)), Err(PointerError::TooLong));
        assert_eq!(Pointer::parse(&format!("/{}", "a".repeat(1024))), Err(PointerError::TooLong));
    }

    proptest! {
        #[test]
        fn a_pointer_is_read_as_it_was_written(names in proptest::collection::vec(".{0,8}", 0..8)) {
            let pointer = Pointer { names };
            prop_assert_eq!(Pointer::parse(&pointer.to_string()), Ok(pointer));
        }
    }
}
