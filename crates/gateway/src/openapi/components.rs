//! The components that paths refer to: enums, records, entities and their inputs, the problem,
//! and the security schemes.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};
use sortkey_design::Program;
use sortkey_design::model::{InputKind, ReadVerb};
use sortkey_design::program::{Attribute, AttributeId, Entity, ExprKind, Function, Type};

use super::schema::{collected_name, component, input_name, object, reference, words};

/// How far a default is followed through the defaults that it is made of.
const MAX_FILLS: usize = 8;

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
        schemas.insert(component(&collected_name(name)), with_entity(name, reference(name)));
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

/// An item of `collect`, with the name of its entity.
pub(super) fn with_entity(entity: &str, item: Json) -> Json {
    json!({
        "allOf": [
            item,
            {
                "type": "object",
                "properties": { "$entity": { "type": "string", "enum": [entity] } },
                "required": ["$entity"],
            },
        ],
    })
}

/// An item as it is returned: without secret attributes, and with transient ones, which are returned only once.
fn item(program: &Program, entity: &Entity, docs: Option<&str>) -> Json {
    let is_hidden = |each: &Attribute| each.is_hidden() && !each.flags.transient;
    let returned = entity.attributes.entries().filter(|(_, each)| !is_hidden(each));
    let mut schema = object(program, returned.map(|(id, each)| (each, is_always_there(entity, id))));
    if let Some(docs) = docs {
        schema["description"] = json!(docs);
    }
    schema
}

/// The attributes of an item that a pattern selects, secrets among them.
pub(super) fn selected(program: &Program, entity: &Entity, names: &[Arc<str>]) -> Json {
    let attributes = names.iter().filter_map(|name| entity.attributes.find(name));
    object(program, attributes.map(|id| (&entity.attributes[id], is_always_there(entity, id))))
}

/// Whether every item has an attribute, however old it is. A value fixed at the item's creation (`= now`, `= new`) is
/// missing from items that are older than the attribute, unless their key holds it;
/// an empty set is stored as no set at all.
fn is_always_there(entity: &Entity, id: AttributeId) -> bool {
    let attribute = &entity.attributes[id];
    let is_set = matches!(*attribute.ty, Type::Set { .. });
    let can_be_read = entity.key_attributes.contains(&id) || follows_from_item(entity, id, MAX_FILLS);
    let may_be_absent = attribute.may_be_absent() || attribute.may_misfit();
    !may_be_absent && !attribute.flags.transient && !is_set && can_be_read
}

/// Whether an item that lacks an attribute is read as having it, or refused as unreadable. `depth` bounds how far one default is
/// followed through others.
fn follows_from_item(entity: &Entity, id: AttributeId, depth: usize) -> bool {
    let Some(fill) = &entity.attributes[id].fill else { return true };
    let mut follows = depth > 0;
    fill.value.walk(&mut |each| {
        follows &= match &each.kind {
            ExprKind::Now | ExprKind::New | ExprKind::Caller | ExprKind::CallerPart(_) => false,
            ExprKind::Function { function, .. } => !matches!(function, Function::Random | Function::Bcrypt),
            ExprKind::Attribute(input) if *input == id || entity.key_attributes.contains(input) => true,
            ExprKind::Attribute(input) => follows && follows_from_item(entity, *input, depth - 1),
            _ => true,
        };
    });
    follows
}

/// The type of an argument `new(E)`, `patch(E)` or `key(E)`. Operations differ in which attributes of a new item
/// they fill themselves, so only a key is required here.
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
