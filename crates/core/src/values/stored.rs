//! Values as DynamoDB stores them.

use std::sync::Arc;

use serde_json::Value as Json;
use sortkey_design::Program;
use sortkey_design::model::TimeUnit;
use sortkey_design::program::{Attributes, Type};
use sortkey_value::{AttributeValue, ItemBuilder, Map, Number, ValueRef};

use super::{Fields, Val, from_json, iso, iso_seconds, parse_time, to_json};

/// The attribute value of a value that was admitted to the type; none for what is absent.
pub(crate) fn to_stored(program: &Program, ty: &Type, value: &Val) -> Option<AttributeValue> {
    Some(match (ty, value) {
        (_, Val::Absent) => return None,
        (_, Val::Sealed(bytes)) => AttributeValue::B(bytes.clone()),
        (Type::Time { unit }, Val::Time(time_ms)) => match unit {
            TimeUnit::Iso => AttributeValue::S(iso(*time_ms)),
            TimeUnit::IsoSeconds => AttributeValue::S(iso_seconds(*time_ms)),
            TimeUnit::Seconds => AttributeValue::from(time_ms.div_euclid(1_000)),
            TimeUnit::Milliseconds | TimeUnit::Unstated => AttributeValue::from(*time_ms),
        },
        (Type::Json { of }, value) => AttributeValue::S(to_json(program, of, value).to_string()),
        (Type::Set { of, .. }, Val::Set(members)) => set(program, of, members)?,
        (Type::List { of, .. }, Val::List(members)) => {
            AttributeValue::L(members.iter().filter_map(|each| to_stored(program, of, each)).collect())
        }
        (Type::Map { of, .. }, Val::Map(fields)) => AttributeValue::M(
            fields
                .iter()
                .filter_map(|(name, each)| Some((name.to_string(), to_stored(program, of, each)?)))
                .collect(),
        ),
        (Type::Object(id), Val::Map(fields)) => {
            AttributeValue::M(object(program, &program.objects[*id].attributes, fields))
        }
        _ => untyped(value)?,
    })
}

/// Writes the attribute value of a value into an item, as [`to_stored`] makes it; nothing for what is absent.
pub(crate) fn store(item: &mut ItemBuilder, program: &Program, name: &str, ty: &Type, value: &Val) {
    match (ty, value) {
        (ty, Val::Text(text)) if !is_json(ty) => {
            item.name(name);
            item.string(text);
        }
        (ty, Val::Number(number)) if !is_json(ty) => {
            item.name(name);
            item.number(*number);
        }
        (ty, Val::Bool(value)) if !is_json(ty) => {
            item.name(name);
            item.boolean(*value);
        }
        (Type::Set { of, .. }, Val::Set(members)) if is_plain_text(of) && !members.is_empty() => {
            item.name(name);
            // Admitted sets have no member twice.
            let _ = item.string_set(members.iter().filter_map(Val::as_text));
        }
        (Type::Time { unit: TimeUnit::Iso }, Val::Time(time_ms)) => {
            item.name(name);
            item.string(&iso(*time_ms));
        }
        (Type::Object(id), Val::Map(fields)) => {
            let attributes = &program.objects[*id].attributes;
            item.name(name);
            item.begin_map();
            for (name, value) in fields {
                let attribute = attributes.find(name).map(|id| &attributes[id]);
                if let Some(attribute) = attribute.filter(|each| each.is_stored()) {
                    store(item, program, name, &attribute.ty, value);
                }
            }
            item.end_map();
        }
        (ty, value) => {
            if let Some(stored) = to_stored(program, ty, value) {
                item.name(name);
                item.tree(&stored);
            }
        }
    }
}

/// Whether values of a type are text, and stored as they are.
fn is_plain_text(ty: &Type) -> bool {
    matches!(ty, Type::String { .. } | Type::Id { .. } | Type::Enum(_))
}

fn is_json(ty: &Type) -> bool {
    matches!(ty, Type::Json { .. })
}

fn object(program: &Program, attributes: &Attributes, fields: &Fields) -> Map {
    let stored = attributes.iter().filter(|attribute| attribute.is_stored()).filter_map(|attribute| {
        let value = fields.get(&attribute.name)?;
        Some((attribute.name.to_string(), to_stored(program, &attribute.ty, value)?))
    });
    sortkey_value::order::map(stored)
}

/// DynamoDB has no empty sets: an empty one is absent.
fn set(program: &Program, of: &Type, members: &[Val]) -> Option<AttributeValue> {
    let members: Vec<AttributeValue> =
        members.iter().filter_map(|each| to_stored(program, of, each)).collect();
    match members.first()? {
        AttributeValue::N(_) => Some(AttributeValue::number_set(
            members
                .into_iter()
                .filter_map(|each| if let AttributeValue::N(number) = each { Some(number) } else { None }),
        )),
        AttributeValue::B(_) => Some(AttributeValue::binary_set(
            members
                .into_iter()
                .filter_map(|each| if let AttributeValue::B(bytes) = each { Some(bytes) } else { None }),
        )),
        _ => Some(AttributeValue::string_set(
            members
                .into_iter()
                .filter_map(|each| if let AttributeValue::S(text) = each { Some(text) } else { None }),
        )),
    }
}

fn untyped(value: &Val) -> Option<AttributeValue> {
    Some(match value {
        Val::Absent => return None,
        Val::Null => AttributeValue::Null,
        Val::Bool(value) => AttributeValue::Bool(*value),
        Val::Number(number) => AttributeValue::N(*number),
        Val::Text(text) => AttributeValue::S(text.clone()),
        Val::Bytes(bytes) | Val::Sealed(bytes) => AttributeValue::B(bytes.clone()),
        Val::Time(time_ms) => AttributeValue::S(iso(*time_ms)),
        Val::List(members) | Val::Set(members) => {
            AttributeValue::L(members.iter().filter_map(untyped).collect())
        }
        Val::Map(_) | Val::Item(_) => {
            let fields = value.fields().into_iter().flatten();
            AttributeValue::M(
                fields.filter_map(|(name, each)| Some((name.to_string(), untyped(each)?))).collect(),
            )
        }
    })
}

/// Decodes a stored attribute. A value that does not fit its type (written by another program) is returned in its
/// own type, so that reading never fails.
pub(crate) fn from_stored(program: &Program, ty: &Type, value: ValueRef<'_>) -> Val {
    match (ty, value) {
        (Type::Time { unit }, ValueRef::N(number)) => match (unit, number.to_i64()) {
            (TimeUnit::Seconds, Some(seconds)) => Val::Time(seconds.saturating_mul(1_000)),
            (_, Some(time_ms)) => Val::Time(time_ms),
            (_, None) => Val::Number(number),
        },
        (Type::Time { .. }, ValueRef::S(text)) => match parse_time(text) {
            Some(time_ms) => Val::Time(time_ms),
            None => Val::text(text),
        },
        (Type::Json { of }, ValueRef::S(text)) => match serde_json::from_str::<Json>(text).ok() {
            Some(json) => from_json(json).map_or(Val::Absent, |value| retyped(program, of, value)),
            None => Val::text(text),
        },
        (Type::Set { of, .. }, ValueRef::Ss(members)) => {
            Val::Set(members.iter().map(|each| from_stored(program, of, ValueRef::S(each))).collect())
        }
        (Type::Set { of, .. }, ValueRef::Ns(members)) => {
            Val::Set(members.iter().map(|each| from_stored(program, of, ValueRef::N(each))).collect())
        }
        (Type::List { of, .. }, ValueRef::L(members)) => {
            Val::List(members.iter().map(|each| from_stored(program, of, each)).collect())
        }
        (Type::Map { of, .. }, ValueRef::M(fields)) => Val::Map(
            fields.iter().map(|(name, each)| (name.to_owned(), from_stored(program, of, each))).collect(),
        ),
        (Type::Object(id), ValueRef::M(fields)) => {
            let attributes = &program.objects[*id].attributes;
            Val::Map(fields.iter().map(|field| field_from(program, attributes, field)).collect())
        }
        _ => generic(value),
    }
}

fn field_from(
    program: &Program,
    attributes: &Attributes,
    (name, value): (&str, ValueRef<'_>),
) -> (Arc<str>, Val) {
    match attributes.find(name).map(|id| &attributes[id]) {
        Some(attribute) => (attribute.name.clone(), from_stored(program, &attribute.ty, value)),
        None => (name.into(), generic(value)),
    }
}

/// A stored value without a type.
pub(crate) fn generic(value: ValueRef<'_>) -> Val {
    match value {
        ValueRef::S(text) => Val::text(text),
        ValueRef::N(number) => Val::Number(number),
        ValueRef::B(bytes) => Val::Bytes(bytes.to_vec()),
        ValueRef::Bool(value) => Val::Bool(value),
        ValueRef::Null => Val::Null,
        ValueRef::L(members) => Val::List(members.iter().map(generic).collect()),
        ValueRef::M(fields) => {
            Val::Map(fields.iter().map(|(name, each)| (name.to_owned(), generic(each))).collect())
        }
        ValueRef::Ss(members) => Val::Set(members.iter().map(Val::text).collect()),
        ValueRef::Ns(members) => Val::Set(members.iter().map(Val::Number).collect()),
        ValueRef::Bs(members) => Val::Set(members.iter().map(|each| Val::Bytes(each.to_vec())).collect()),
    }
}

/// A value decoded from JSON text, with times, sets and bytes converted to their types.
fn retyped(program: &Program, ty: &Type, value: Val) -> Val {
    match (ty, value) {
        (Type::Time { unit: TimeUnit::Seconds }, Val::Number(number)) => {
            number.to_i64().map_or(Val::Number(number), |seconds| Val::Time(seconds.saturating_mul(1_000)))
        }
        (Type::Time { .. }, Val::Number(number)) => number.to_i64().map_or(Val::Number(number), Val::Time),
        (Type::Time { .. }, Val::Text(text)) => parse_time(&text).map_or(Val::Text(text), Val::Time),
        (Type::List { of, .. }, Val::List(members)) => {
            Val::List(members.into_iter().map(|each| retyped(program, of, each)).collect())
        }
        (Type::Set { of, .. }, Val::List(members)) => {
            Val::Set(members.into_iter().map(|each| retyped(program, of, each)).collect())
        }
        (Type::Map { of, .. }, Val::Map(fields)) => {
            Val::Map(fields.into_iter().map(|(name, each)| (name, retyped(program, of, each))).collect())
        }
        (Type::Object(id), Val::Map(fields)) => {
            retyped_object(program, &program.objects[*id].attributes, fields)
        }
        (Type::Decimal { .. }, Val::Text(text)) => Number::parse(&text).map_or(Val::Text(text), Val::Number),
        (_, value) => value,
    }
}

fn retyped_object(program: &Program, attributes: &Attributes, fields: Fields) -> Val {
    let typed = fields.into_iter().map(|(name, value)| {
        let value = match attributes.find(&name) {
            Some(id) => retyped(program, &attributes[id].ty, value),
            None => value,
        };
        (name, value)
    });
    Val::Map(typed.collect())
}
