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
            return Err(ApiError::validation(format!(
                "Tag Key cannot be prefixed with aws:, Key: {}",
                tag.key
            )));
        }
        if !tag.key.chars().all(is_allowed) {
            return Err(ApiError::validation(format!("The Tag Key provided is invalid, Key: {}", tag.key)));
        }
        if !tag.value.chars().all(is_allowed) {
            return Err(ApiError::validation(format!(
                "The Tag Value provided is invalid, Value: {}",
                tag.value
            )));
        }
        if !seen.insert(&tag.key) {
            return Err(ApiError::validation(format!(
                "Duplicate Tag Keys provided as input: Duplicate Tag Key found {}",
                tag.key
            )));
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
