//! The order of values in JSON.

use std::cmp::Ordering;

use serde_json::Value as Json;

/// The order of two values of one type. Numbers are in JSON as numbers, everything else as text that sorts.
pub(crate) fn order(left: &Json, right: &Json) -> Ordering {
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => left.total_cmp(&right),
        _ => left.as_str().unwrap_or_default().as_bytes().cmp(right.as_str().unwrap_or_default().as_bytes()),
    }
}
