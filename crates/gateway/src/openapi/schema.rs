//! A type of the design as a JSON Schema.

use serde_json::{Map, Value as Json, json};
use sortkey_design::Program;
use sortkey_design::model::{IdBody, InputKind, StringFormat, TimeUnit};
use sortkey_design::program::{Attribute, Type};

/// The schema of a type; declared enums, records and inputs by reference.
pub(super) fn of(program: &Program, ty: &Type) -> Json {
    match ty {
        Type::String { format, min, max } => string(format, *min, *max),
        Type::Id { prefix, body } => id(prefix, *body),
        Type::Token { prefix, length } => {
            let pattern = format!("^{}.{{{length}}}$", escape(prefix));
            json!({ "type": "string", "pattern": pattern })
        }
        Type::Int { min, max } => with(json!({ "type": "integer" }), [("minimum", *min), ("maximum", *max)]),
        Type::Decimal { .. } => json!({ "type": ["number", "string"], "description": "a decimal number" }),
        Type::Bool => json!({ "type": "boolean" }),
        Type::Bytes { .. } => json!({ "type": "string", "contentEncoding": "base64" }),
        Type::Time { unit } => time(*unit),
        Type::Date => json!({ "type": "string", "format": "date" }),
        Type::Month => json!({ "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$" }),
        Type::Json { of: inner } => of(program, inner),
        Type::Enum(each) => match each.declared {
            Some(id) => reference(&program.enums[id].name),
            None => words(each.words.iter().map(|word| &**word), each.open),
        },
        Type::List { of: inner, max } => {
            with(json!({ "type": "array", "items": of(program, inner) }), [("maxItems", *max)])
        }
        Type::Set { of: inner, max } => {
            let set = json!({ "type": "array", "items": of(program, inner), "uniqueItems": true });
            with(set, [("maxItems", *max)])
        }
        Type::Map { of: inner, max } => {
            let map = json!({ "type": "object", "additionalProperties": of(program, inner) });
            with(map, [("maxProperties", *max)])
        }
        Type::Object(id) => {
            let declared = &program.objects[*id];
            match &declared.name {
                Some(name) => reference(name),
                None => object(program, declared.attributes.iter().map(|each| (each, must_be_given(each)))),
            }
        }
        Type::Input { of, entity } => reference(&input_name(*of, &program.entities[*entity].name)),
        Type::Any { .. } | Type::Unknown => json!({}),
    }
}

/// Whether a part of an object cannot be left out: nothing fills it.
pub(super) fn must_be_given(attribute: &Attribute) -> bool {
    !attribute.may_be_absent() && attribute.fill.is_none()
}

/// An object of attributes, each with whether it is required.
pub(super) fn object<'a>(program: &Program, attributes: impl Iterator<Item = (&'a Attribute, bool)>) -> Json {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (attribute, is_required) in attributes {
        properties.insert(attribute.name.to_string(), attribute_schema(program, attribute));
        if is_required {
            required.push(json!(*attribute.name));
        }
    }
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = Json::Array(required);
    }
    schema
}

fn attribute_schema(program: &Program, attribute: &Attribute) -> Json {
    let schema = of(program, &attribute.ty);
    match attribute.flags.null {
        true => json!({ "anyOf": [schema, { "type": "null" }] }),
        false => schema,
    }
}

/// One of some words; an open list only gives them as examples.
pub(super) fn words<'a>(members: impl Iterator<Item = &'a str>, open: bool) -> Json {
    let members: Vec<&str> = members.collect();
    match open {
        false => json!({ "type": "string", "enum": members }),
        true => json!({ "type": "string", "examples": members }),
    }
}

/// A schema under `components`.
pub(super) fn reference(name: &str) -> Json {
    json!({ "$ref": format!("#/components/schemas/{}", component(name)) })
}

/// A name that OpenAPI accepts for a component.
pub(super) fn component(name: &str) -> String {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    name.chars().map(|letter| if allowed(letter) { letter } else { '_' }).collect()
}

/// The names of the three record types of an entity.
pub(super) fn input_name(kind: InputKind, entity: &str) -> String {
    match kind {
        InputKind::New => format!("{entity}.new"),
        InputKind::Patch => format!("{entity}.patch"),
        InputKind::Key => format!("{entity}.key"),
        InputKind::Item => entity.to_owned(),
    }
}

/// The name of an entity's items in a collection of several kinds.
pub(super) fn collected_name(entity: &str) -> String {
    format!("{entity}.collected")
}

fn string(format: &StringFormat, min: u64, max: Option<u64>) -> Json {
    let mut schema =
        with(json!({ "type": "string" }), [("minLength", (min > 0).then_some(min)), ("maxLength", max)]);
    match format {
        StringFormat::Plain => {}
        StringFormat::Slug => schema["pattern"] = json!("^[A-Za-z0-9._-]+$"),
        StringFormat::Email => schema["format"] = json!("email"),
        StringFormat::Url => schema["format"] = json!("uri"),
        StringFormat::Cron => schema["description"] = json!("a cron expression of five fields"),
        StringFormat::Matching(pattern) => schema["pattern"] = json!(format!("^(?:{pattern})$")),
    }
    schema
}

fn id(prefix: &str, body: IdBody) -> Json {
    let prefix = escape(prefix);
    let body = match body {
        IdBody::Uuid if prefix.is_empty() => return json!({ "type": "string", "format": "uuid" }),
        IdBody::Uuid => "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}".to_owned(),
        IdBody::Ulid => "[0-9A-HJKMNP-TV-Z]{26}".to_owned(),
        IdBody::Nanoid(length) => format!("[A-Za-z0-9_-]{{{length}}}"),
    };
    json!({ "type": "string", "pattern": format!("^{prefix}{body}$") })
}

fn time(unit: TimeUnit) -> Json {
    match unit {
        TimeUnit::Iso | TimeUnit::IsoSeconds => json!({ "type": "string", "format": "date-time" }),
        TimeUnit::Milliseconds => json!({ "type": "integer", "description": "milliseconds since 1970" }),
        TimeUnit::Seconds => json!({ "type": "integer", "description": "seconds since 1970" }),
        TimeUnit::Unstated => json!({
            "type": ["string", "integer"],
            "description": "a time: ISO 8601 text, or the number that the attribute stores",
        }),
    }
}

/// Adds the bounds that exist.
fn with<N: Into<Json>, const COUNT: usize>(mut schema: Json, bounds: [(&str, Option<N>); COUNT]) -> Json {
    for (name, bound) in bounds {
        if let Some(bound) = bound {
            schema[name] = bound.into();
        }
    }
    schema
}

/// A text that a regular expression takes literally.
fn escape(text: &str) -> String {
    let special = |letter: char| r"\^$.|?*+()[]{}/-".contains(letter);
    text.chars().flat_map(|letter| special(letter).then_some('\\').into_iter().chain([letter])).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn types_have_schemas() {
        let string = |format, min, max| Type::String { format, min, max };
        let int = Type::Int { min: Some(0), max: None };
        for (ty, expected) in [
            (
                string(StringFormat::Plain, 1, Some(9)),
                json!({ "type": "string", "minLength": 1, "maxLength": 9 }),
            ),
            (string(StringFormat::Email, 0, None), json!({ "type": "string", "format": "email" })),
            (
                Type::Id { prefix: "usr_".into(), body: IdBody::Nanoid(16) },
                json!({ "type": "string", "pattern": "^usr_[A-Za-z0-9_-]{16}$" }),
            ),
            (int.clone(), json!({ "type": "integer", "minimum": 0 })),
            (
                Type::Set { of: Arc::new(int.clone()), max: Some(3) },
                json!({ "type": "array", "items": { "type": "integer", "minimum": 0 }, "uniqueItems": true, "maxItems": 3 }),
            ),
            (Type::Any { max: None }, json!({})),
        ] {
            assert_eq!(of(&Program::default(), &ty), expected, "{ty:?}");
        }
        assert_eq!(reference("a b"), json!({ "$ref": "#/components/schemas/a_b" }));
    }
}
