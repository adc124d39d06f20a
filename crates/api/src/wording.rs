//! The versions of AWS's error texts.
//!
//! AWS is moving some errors to a newer framework, region by region. [`Wording::Classic`] has the texts that the
//! regions used for years; [`Wording::Current`] those of the regions that have moved. All differences are
//! implemented here.

use crate::ApiError;
use crate::text::{invalid_parameter, value};

/// The prefix that the newer framework adds to a message.
const DETECTED: &str = "1 validation error detected: ";

/// The version of AWS's error texts that a client gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wording {
    /// The texts of all regions until 2026, and of many still.
    #[default]
    Classic,
    /// The texts of the regions that use the newer framework.
    Current,
}

impl Wording {
    /// An error in the expressions, placeholders or values of PutItem, UpdateItem or DeleteItem.
    #[must_use]
    pub fn of_single_write(self, error: ApiError) -> ApiError {
        match self {
            Wording::Classic => error,
            Wording::Current => detected(without_placeholder(error)),
        }
    }

    /// An error in a value of PutItem's item. Only empty sets have moved.
    #[must_use]
    pub fn of_item_value(self, error: ApiError) -> ApiError {
        let is_moved = is_empty_set(&error.message);
        if is_moved { self.of_single_write(error) } else { error }
    }

    /// A condition of PutItem, UpdateItem or DeleteItem that failed: the spelling of the message beside the item has moved.
    #[must_use]
    pub fn of_failed_condition(self, error: ApiError) -> ApiError {
        ApiError { wording: self, ..error }
    }

    /// A conflict between `Select` and other parameters of Query.
    #[must_use]
    pub fn of_query_select(self, error: ApiError) -> ApiError {
        match self {
            Wording::Classic => error,
            Wording::Current => detected(without_introduction(error)),
        }
    }

    /// A conflict between `Select` and other parameters of Scan.
    #[must_use]
    pub fn of_scan_select(self, error: ApiError) -> ApiError {
        match self {
            Wording::Classic => error,
            Wording::Current => without_introduction(error),
        }
    }
}

fn detected(error: ApiError) -> ApiError {
    ApiError { message: format!("{DETECTED}{}", error.message), ..error }
}

/// The newer framework omits the introduction that parameter values were invalid.
fn without_introduction(error: ApiError) -> ApiError {
    let introduction = invalid_parameter("");
    match error.message.strip_prefix(&introduction) {
        Some(what) => ApiError { message: what.to_owned(), ..error },
        None => error,
    }
}

/// The newer framework omits the placeholder of an empty set.
fn without_placeholder(error: ApiError) -> ApiError {
    let what = empty_sets().into_iter().find(|what| error.message.contains(what));
    match what {
        Some(what) => ApiError { message: what, ..error },
        None => error,
    }
}

fn is_empty_set(message: &str) -> bool {
    empty_sets().iter().any(|what| message == what)
}

fn empty_sets() -> [String; 3] {
    [value::EMPTY_STRING_SET, value::EMPTY_NUMBER_SET, value::EMPTY_BINARY_SET].map(invalid_parameter)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Worded = fn(Wording, ApiError) -> ApiError;

    // F-88: both wordings of the errors that AWS is moving.
    #[test]
    fn errors_are_worded_as_asked() {
        let error = |text: &str| ApiError::validation(text);
        let set = "One or more parameter values were invalid: An string set  may not be empty";
        let cases: [(Worded, &str, &str); 6] = [
            (
                Wording::of_single_write,
                "Invalid UpdateExpression: The expression can not be empty;",
                "1 validation error detected: Invalid UpdateExpression: The expression can not be empty;",
            ),
            (
                Wording::of_single_write,
                &format!("ExpressionAttributeValues contains invalid value: {set} for key :s"),
                &format!("1 validation error detected: {set}"),
            ),
            (Wording::of_item_value, set, &format!("1 validation error detected: {set}")),
            (
                Wording::of_item_value,
                "Input collection contains duplicates",
                "Input collection contains duplicates",
            ),
            (
                Wording::of_query_select,
                "One or more parameter values were invalid: ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
                "1 validation error detected: ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
            ),
            (
                Wording::of_scan_select,
                "Cannot specify the AttributesToGet when choosing to get ALL_ATTRIBUTES",
                "Cannot specify the AttributesToGet when choosing to get ALL_ATTRIBUTES",
            ),
        ];
        for (worded, classic, current) in cases {
            assert_eq!(worded(Wording::Classic, error(classic)).message, classic);
            assert_eq!(worded(Wording::Current, error(classic)).message, current);
        }
    }

    // The newer framework spells the message of a failed condition as everywhere else, also beside the item.
    #[test]
    fn the_member_of_a_failed_condition_is_spelled_as_asked() {
        for (wording, member) in [(Wording::Classic, "\"Message\":"), (Wording::Current, "\"message\":")] {
            let failed = ApiError::conditional_check_failed(Some(sortkey_value::Item::from([("pk", "a")])));
            let mut body = Vec::new();
            wording.of_failed_condition(failed).write_json(&mut body);
            let body = String::from_utf8(body).unwrap_or_default();
            assert!(body.contains(member) && body.contains("\"Item\":"), "{wording:?}: {body}");
        }
    }
}
