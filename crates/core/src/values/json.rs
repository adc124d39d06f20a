//! Values and JSON. Reading is untyped; the type then determines the meaning of a text or number.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Number as JsonNumber, Value as Json};
use sortkey_design::Program;
use sortkey_design::model::TimeUnit;
use sortkey_design::program::{Attributes, Type};
use sortkey_value::Number;

use super::{Fields, Val, iso, iso_seconds};

/// A JSON value before a type interprets it; a number that DynamoDB cannot keep is refused.
pub(crate) fn from_json(json: Json) -> Option<Val> {
    Some(match json {
        Json::Null => Val::Null,
        Json::Bool(value) => Val::Bool(value),
        Json::Number(number) => Val::Number(match number.as_i64() {
            Some(integer) => Number::from(integer),
            None => Number::parse(&number.to_string()).ok()?,
        }),
        Json::String(text) => Val::Text(text),
        // serde_json bounds how deep JSON nests.
        Json::Array(elements) => Val::List(elements.into_iter().map(from_json).collect::<Option<_>>()?),
        Json::Object(fields) => Val::Map(
            fields.into_iter().map(|(name, value)| Some((name, from_json(value)?))).collect::<Option<_>>()?,
        ),
    })
}

/// A value of a type as JSON.
pub fn to_json(program: &Program, ty: &Type, value: &Val) -> Json {
    match (ty, value) {
        (Type::Time { unit }, Val::Time(time_ms)) => match unit {
            TimeUnit::Iso | TimeUnit::Unstated => Json::String(iso(*time_ms)),
            TimeUnit::IsoSeconds => Json::String(iso_seconds(*time_ms)),
            TimeUnit::Milliseconds => Json::from(*time_ms),
            TimeUnit::Seconds => Json::from(time_ms.div_euclid(1_000)),
        },
        (Type::Json { of }, value) => to_json(program, of, value),
        (Type::List { of, .. } | Type::Set { of, .. }, Val::List(members) | Val::Set(members)) => {
            Json::Array(members.iter().map(|each| to_json(program, of, each)).collect())
        }
        (Type::Map { of, .. }, Val::Map(fields)) => {
            json_object(fields.iter().map(|(name, each)| (name.to_string(), to_json(program, of, each))))
        }
        (Type::Object(id), Val::Map(fields)) => object(program, &program.objects[*id].attributes, fields),
        _ => untyped(value),
    }
}

/// An object of some members. They are inserted one after the other: collecting them would sort them first.
pub(crate) fn json_object(members: impl Iterator<Item = (String, Json)>) -> Json {
    let mut map = Map::new();
    for (name, value) in members {
        map.insert(name, value);
    }
    Json::Object(map)
}

/// The attributes of an object or item as JSON; what is absent is left out.
pub(super) fn object(program: &Program, attributes: &Attributes, fields: &Fields) -> Json {
    let mut map = Map::new();
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_absent()) {
        let json = match attributes.find(name) {
            Some(id) => to_json(program, &attributes[id].ty, value),
            None => untyped(value),
        };
        map.insert(name.to_string(), json);
    }
    Json::Object(map)
}

/// A value as JSON, if its type is unknown.
pub(crate) fn untyped(value: &Val) -> Json {
    match value {
        Val::Absent | Val::Null | Val::Sealed(_) => Json::Null,
        Val::Bool(value) => Json::Bool(*value),
        Val::Number(number) => number_json(*number),
        Val::Text(text) => Json::String(text.clone()),
        Val::Bytes(bytes) => Json::String(STANDARD.encode(bytes)),
        Val::Time(time_ms) => Json::String(iso(*time_ms)),
        Val::List(members) | Val::Set(members) => Json::Array(members.iter().map(untyped).collect()),
        Val::Map(_) | Val::Item(_) => {
            let fields = value.fields().into_iter().flatten();
            let present = fields.filter(|(_, each)| !each.is_absent());
            json_object(present.map(|(name, each)| (name.to_string(), untyped(each))))
        }
    }
}

/// A JSON number if it is exact, text if a double would round it.
pub(super) fn number_json(number: Number) -> Json {
    if let Some(integer) = number.to_i64() {
        return Json::from(integer);
    }
    let text = number.to_string();
    let double = sortkey_value::double::parse(&text);
    match double.and_then(JsonNumber::from_f64) {
        Some(json) if Number::parse(&json.to_string()) == Ok(number) => Json::Number(json),
        _ => Json::String(text),
    }
}
