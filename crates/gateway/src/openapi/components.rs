//! What paths refer to: enums, records, entities and their inputs, the problem, and how callers are known.

use serde_json::{Map, Value as Json, json};
use sortkey_design::Program;
use sortkey_design::model::{InputKind, ReadVerb};
use sortkey_design::program::{Attribute, AttributeId, Entity, Type};

use super::schema::{collected_name, component, input_name, object, reference, words};

/// The `components` of the document.
pub(super) fn of(program: &Program) -> Json {
    let mut schemas = Map::new();
    for each in &program.design.enums {
        let members = each.members.iter().map(|member| member.name.text.as_str());
        schemas.insert(component(&each.name.text), words(members, each.open));
    }
    for record in &program.objects {
        let Some(name) = &record.name else { continue };
        let attributes = record.attributes.iter().map(|each| (each, super::schema::must_be_given(each)));
        schemas.insert(component(name), object(program, attributes));
    }
    for (entity, source) in program.entities.iter().zip(&program.design.entities) {
        schemas.insert(component(&entity.name), item(program, entity, source.docs.as_deref()));
        for kind in [InputKind::New, InputKind::Patch, InputKind::Key] {
            let name = component(&input_name(kind, &entity.name));
            schemas.insert(name, input(program, entity, kind));
        }
    }
    let collected = program.patterns.iter().filter(|each| each.verb == ReadVerb::Collect);
    for name in collected.flat_map(|pattern| &pattern.entities).map(|id| &program.entities[*id].name) {
        schemas.insert(component(&collected_name(name)), with_entity(name));
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
                    super::caller_example(program)
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
fn item(program: &Program, entity: &Entity, docs: Option<&str>) -> Json {
    let is_hidden = |each: &Attribute| each.is_hidden() && !each.flags.transient;
    let returned = entity.attributes.iter().filter(|each| !is_hidden(each));
    // An empty set is stored as no set at all.
    let is_set = |each: &Attribute| matches!(*each.ty, Type::Set { .. });
    let always = |each: &Attribute| !each.may_be_absent() && !each.flags.transient && !is_set(each);
    let mut schema = object(program, returned.map(|each| (each, always(each))));
    if let Some(docs) = docs {
        schema["description"] = json!(docs);
    }
    schema
}

/// What a declaration takes as `new(E)`, `patch(E)` or `key(E)`. Which attributes of a new item an operation fills
/// itself is its own affair, so only a key is required here.
fn input(program: &Program, entity: &Entity, kind: InputKind) -> Json {
    let is_key = |id: &AttributeId| entity.key_attributes.contains(id);
    let settable = |(id, each): &(AttributeId, &Attribute)| match kind {
        InputKind::Key => is_key(id),
        InputKind::Item => true,
        InputKind::New => each.can_be_given() && (program.caller.is_empty() || !each.is_made()),
        InputKind::Patch => each.can_be_given() && !each.flags.immutable && !is_key(id),
    };
    let required = kind == InputKind::Key;
    object(program, entity.attributes.entries().filter(settable).map(|(_, each)| (each, required)))
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
            "errors": {
                "type": "array",
                "description": "everything that is wrong, where it is more than one thing",
                "items": {
                    "type": "object",
                    "properties": { "field": { "type": "string" }, "detail": { "type": "string" } },
                    "required": ["detail"],
                },
            },
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
