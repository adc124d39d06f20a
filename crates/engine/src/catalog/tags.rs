//! Tags: at most fifty on a table, keys that start with `aws:` belong to AWS.

use std::collections::BTreeMap;

use sortkey_api::ApiError;
use sortkey_api::shapes::tag::Tag;

const MAX_TAGS: usize = 50;

/// A request to add or remove tags names some.
pub(crate) fn check_some<T>(given: &[T], what: &str) -> Result<(), ApiError> {
    match given {
        [] => Err(ApiError::validation(format!("Atleast one {what} needs to be provided as Input."))),
        _ => Ok(()),
    }
}

/// The tags with some added; a key that is there already gets the new value.
pub(crate) fn add(
    current: &BTreeMap<String, String>,
    added: &[Tag],
) -> Result<BTreeMap<String, String>, ApiError> {
    let mut tags = current.clone();
    let mut seen = std::collections::BTreeSet::new();
    for tag in added {
        if tag.key.starts_with("aws:") {
            return Err(ApiError::validation(
                "One or more parameter values were invalid: Tag keys starting with 'aws:' are reserved for system use",
            ));
        }
        if !tag.key.chars().chain(tag.value.chars()).all(is_allowed) {
            return Err(ApiError::invalid_parameter(
                "Tag keys and values may contain letters, digits, spaces and the characters _ . : / = + - @",
            ));
        }
        if !seen.insert(&tag.key) {
            return Err(ApiError::invalid_parameter(format_args!("Duplicate tag key: {}", tag.key)));
        }
        tags.insert(tag.key.clone(), tag.value.clone());
    }
    if tags.len() > MAX_TAGS {
        return Err(ApiError::validation(
            "Number of Tags exceed the current limit for the provided ResourceArn",
        ));
    }
    Ok(tags)
}

fn is_allowed(letter: char) -> bool {
    letter.is_alphanumeric() || letter.is_whitespace() || "_.:/=+-@".contains(letter)
}
