//! What paths refer to: enums, records, entities and their inputs, the problem, and how callers are known.

use serde_json::{Map, Value as Json, json};
use sortkey_design::Design;
use sortkey_design::facts::{can_be_given, is_made, key_attributes};
use sortkey_design::model::{Attribute, Entity, InputKind, ReadVerb, Type};

use super::schema::{collected_name, component, input_name, object, reference, words};

/// The `components` of the document.
pub(super) fn of(design: &Design) -> Json {
    let mut schemas = Map::new();
    for each in &design.enums {
        let members: Vec<String> = each.members.iter().map(|member| member.name.text.clone()).collect();
        schemas.insert(component(&each.name.text), words(&members, each.open));
    }
    for record in &design.records {
        let attributes = record.attributes.iter().map(|each| (each, super::schema::must_be_given(each)));
        schemas.insert(component(&record.name.text), object(design, attributes));
    }
    for entity in &design.entities {
        schemas.insert(component(&entity.name.text), item(design, entity));
        for kind in [InputKind::New, InputKind::Patch, InputKind::Key] {
            let name = component(&input_name(kind, &entity.name.text));
            schemas.insert(name, input(design, entity, kind));
        }
    }
    let collected = design.patterns.iter().filter(|each| each.verb == ReadVerb::Collect);
    for name in collected.flat_map(|pattern| &pattern.entities) {
        schemas.insert(component(&collected_name(&name.text)), with_entity(&name.text));
    }
    schemas.insert("Problem".into(), problem());
    json!({
        "schemas": schemas,
        "responses": { "Problem": problem_response("What went wrong") },
        "securitySchemes": {
            "apiKey": { "type": "http", "scheme": "bearer", "description": "A key made by `sortkey keys create`." },
            "caller": {
                "type": "apiKey",
                "in": "header",
                "name": "Sortkey-Caller",
                "description": format!(
                    "Who calls, as a JSON object: {}. On loopback, or with an administrator's key.",
                    super::caller_example(design)
                ),
            },
        },
    })
}

/// An item of `collect`, which says which entity it is.
fn with_entity(entity: &str) -> Json {
    json!({
        "allOf": [
            reference(entity),
            {
                "type": "object",
                "properties": { "$entity": { "type": "string", "enum": [entity] } },
                "required": ["$entity"],
            },
        ],
    })
}

/// An item as it is returned. What is secret is not; what is transient, only once.
fn item(design: &Design, entity: &Entity) -> Json {
    let is_hidden = |each: &Attribute| (each.has("secret") || each.has("internal")) && !each.has("transient");
    let returned = entity.attributes.iter().filter(|each| !is_hidden(each));
    // An empty set is stored as no set at all.
    let is_set = |each: &Attribute| matches!(design.type_of(each), Type::Set { .. });
    let always = |each: &Attribute| !each.may_be_absent() && !each.has("transient") && !is_set(each);
    let mut schema = object(design, returned.map(|each| (each, always(each))));
    if let Some(docs) = &entity.docs {
        schema["description"] = json!(docs);
    }
    schema
}

/// What a declaration takes as `new(E)`, `patch(E)` or `key(E)`. Which attributes of a new item an operation fills
/// itself is its own affair, so only a key is required here.
fn input(design: &Design, entity: &Entity, kind: InputKind) -> Json {
    let keys = key_attributes(design, entity);
    let is_key = |each: &Attribute| keys.contains(&each.name.text.as_str());
    let settable = |each: &&Attribute| match kind {
        InputKind::Key => is_key(each),
        InputKind::Item => true,
        InputKind::New => can_be_given(each) && (design.caller.is_empty() || !is_made(each)),
        InputKind::Patch => {
            !each.is_derived() && !each.has("virtual") && !each.has("immutable") && !is_key(each)
        }
    };
    let required = kind == InputKind::Key;
    object(design, entity.attributes.iter().filter(settable).map(|each| (each, required)))
}

fn problem() -> Json {
    json!({
        "type": "object",
        "description": "RFC 9457",
        "properties": {
            "type": { "type": "string", "format": "uri-reference" },
            "title": { "type": "string" },
            "status": { "type": "integer" },
            "detail": { "type": "string" },
            "code": { "type": "string", "description": "the failure, or the error that the design declares" },
            "field": { "type": "string", "description": "the argument or attribute that is to blame" },
        },
        "required": ["type", "title", "status", "detail", "code"],
    })
}

/// A response that is a problem.
pub(super) fn problem_response(description: &str) -> Json {
    json!({
        "description": description,
        "content": { crate::problem::CONTENT: { "schema": { "$ref": "#/components/schemas/Problem" } } },
    })
}
