//! Texts of query strings, form bodies and paths as JSON of the wanted type.

use serde_json::Value as Json;
use sortkey_core::read_json;
use sortkey_design::model::TimeUnit;
use sortkey_design::program::Type;

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
