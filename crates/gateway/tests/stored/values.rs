//! Parts of answers and of stored values.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use sortkey_value::AttributeValue;

/// A step with the parts of earlier answers that it names.
pub(crate) fn filled(step: &Json, answers: &BTreeMap<String, Json>) -> Json {
    match step {
        Json::String(text) => match text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
            Some(path) => {
                let mut parts = path.split('.');
                let answer = answers
                    .get(parts.next().unwrap_or_default())
                    .unwrap_or_else(|| panic!("{text} is not known"));
                parts.fold(answer, |value, part| &value[part]).clone()
            }
            None => step.clone(),
        },
        Json::Array(members) => members.iter().map(|each| filled(each, answers)).collect(),
        Json::Object(fields) => {
            fields.iter().map(|(name, each)| (name.clone(), filled(each, answers))).collect()
        }
        _ => step.clone(),
    }
}

/// A member of a map, or of the first element of a list that has it.
pub(crate) fn inside(value: &AttributeValue, name: &str) -> Option<AttributeValue> {
    match value {
        AttributeValue::M(fields) => match fields.get(name) {
            Some(found) => Some(found.to_owned()),
            // A map by ids: what is in one of its entries.
            None => fields.iter().find_map(|(_, each)| inside(&each.to_owned(), name)),
        },
        AttributeValue::L(members) => members.iter().find_map(|each| inside(&each.to_owned(), name)),
        _ => None,
    }
}

/// The type of DynamoDB.
pub(crate) fn shape(value: &AttributeValue) -> &'static str {
    match value {
        AttributeValue::S(_) => "S",
        AttributeValue::N(_) => "N",
        AttributeValue::B(_) => "B",
        AttributeValue::Bool(_) => "BOOL",
        AttributeValue::L(_) => "L",
        AttributeValue::M(_) => "M",
        AttributeValue::Ss(_) => "SS",
        _ => "another type",
    }
}

/// A time in seconds: a number, or the beginning of ISO 8601.
pub(crate) fn time(value: &AttributeValue) -> Option<i64> {
    match value {
        AttributeValue::N(number) => number.to_string().parse().ok(),
        AttributeValue::S(text) => text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_second),
        _ => None,
    }
}

/// Whether it is text that begins so.
pub(crate) fn begins_with(value: &AttributeValue, prefix: &str) -> bool {
    matches!(value, AttributeValue::S(text) if text.starts_with(prefix))
}
