//! JSON as it is read: members and cases by name, numbers and text, each with a word about what is wrong.
//!
//! Programs are read from a tree of JSON rather than by derived code, which would be a fifth of the WebAssembly module.

use serde_json::{Map, Value as Json};

use super::form::Unreadable;

/// An object that has no members but those of some names.
pub(super) fn object<'j>(
    json: &'j Json,
    what: &str,
    names: &[&str],
) -> Result<&'j Map<String, Json>, Unreadable> {
    let members = json.as_object().ok_or_else(|| expected(what, "an object", json))?;
    match members.keys().find(|name| !names.contains(&name.as_str())) {
        Some(name) => Err(Unreadable(format!("{what} has no member `{name}`"))),
        None => Ok(members),
    }
}

/// A member; null if it is left out.
pub(super) fn member<'j>(members: &'j Map<String, Json>, name: &str) -> &'j Json {
    members.get(name).unwrap_or(&Json::Null)
}

/// A case, and what it holds; null if it holds nothing.
pub(super) fn case<'j>(json: &'j Json, what: &str) -> Result<(&'j str, &'j Json), Unreadable> {
    match json {
        Json::String(case) => Ok((case, &Json::Null)),
        Json::Object(members) if members.len() == 1 => {
            let mut members = members.iter();
            let first = members.next().map(|(case, body)| (case.as_str(), body));
            first.ok_or_else(|| expected(what, "a case", json))
        }
        _ => Err(expected(what, "a case", json)),
    }
}

/// Whether a name on the wire, `two_words`, is that of a case, `TwoWords`.
pub(super) fn is_case(name: &str, case: &str) -> bool {
    let mut name = name.chars();
    for (at, letter) in case.chars().enumerate() {
        if letter.is_ascii_uppercase() && at > 0 && name.next() != Some('_') {
            return false;
        }
        if name.next() != Some(letter.to_ascii_lowercase()) {
            return false;
        }
    }
    name.next().is_none()
}

/// A case of a name that there is not.
pub(super) fn no_case(what: &str, name: &str) -> Unreadable {
    Unreadable(format!("there is no {what} called `{name}`"))
}

/// The payload of a variant: a single value is written as it is, several as a list.
pub(super) fn part(json: &Json, at: usize, of: usize) -> Result<&Json, Unreadable> {
    match (of, json) {
        (1, _) => Ok(json),
        (_, Json::Array(parts)) if parts.len() == of => {
            parts.get(at).ok_or_else(|| expected("a case", "its parts", json))
        }
        _ => Err(expected("a case", &format!("{of} parts"), json)),
    }
}

/// A list.
pub(super) fn list(json: &Json) -> Result<&Vec<Json>, Unreadable> {
    json.as_array().ok_or_else(|| expected("a list", "a list", json))
}

/// Text.
pub(super) fn text(json: &Json) -> Result<&str, Unreadable> {
    json.as_str().ok_or_else(|| expected("text", "text", json))
}

/// A place in a list.
pub(super) fn place(json: &Json) -> Result<u32, Unreadable> {
    let number = json.as_u64().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| expected("a place", "a small number", json))
}

pub(super) fn expected(what: &str, expected: &str, found: &Json) -> Unreadable {
    let mut found = found.to_string();
    if found.len() > 40 {
        let end = (0..=40).rev().find(|at| found.is_char_boundary(*at)).unwrap_or(0);
        found.truncate(end);
        found.push_str("...");
    }
    Unreadable(format!("{what}: expected {expected}, not {found}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_named_in_snake_case() {
        assert!(is_case("two_words", "TwoWords") && is_case("one", "One") && is_case("a_b_c", "ABC"));
        assert!(
            !is_case("twowords", "TwoWords") && !is_case("two_words_", "TwoWords") && !is_case("", "One")
        );
    }
}
