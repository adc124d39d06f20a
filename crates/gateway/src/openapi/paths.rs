//! A declaration as a path: its parameters or body, its answer, its problems.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};
use sortkey_core::{Parameter, Yields};
use sortkey_design::Design;
use sortkey_design::model::{Operation, ReadVerb, StmtKind, Type, Value};

use super::components::problem_response;
use super::schema::{collected_name, of, reference};
use super::{errors, example};
use crate::endpoints::Endpoint;
use crate::problem;

/// The path item of an endpoint. Patterns are shown as GET, operations as POST.
pub(super) fn item(design: &Design, endpoint: &Endpoint) -> Json {
    let signature = &endpoint.signature;
    let operation = design.operation(&signature.name);
    let mut described = json!({
        "operationId": endpoint.dotted(),
        "summary": signature.name,
        "responses": responses(design, endpoint, operation),
        "security": security(design, signature.system),
    });
    if let Some(docs) = &signature.docs {
        described["description"] = json!(docs);
    }
    if let Some(module) = &endpoint.module {
        described["tags"] = json!([module]);
    }
    if endpoint.is_pattern() {
        described["parameters"] = query_parameters(design, endpoint);
        return json!({ "get": described });
    }
    if endpoint.idempotent_by.is_some() {
        described["parameters"] = json!([{
            "name": "Idempotency-Key",
            "in": "header",
            "description": "A repeat with the same key returns the first result.",
            "schema": { "type": "string", "minLength": 1 },
        }]);
    }
    described["requestBody"] = json!({
        "required": !signature.parameters.iter().all(|parameter| parameter.optional),
        "content": { "application/json": {
            "schema": body_schema(design, &signature.parameters),
            "example": example::arguments(design, signature),
        } },
    });
    json!({ "post": described })
}

fn body_schema(design: &Design, parameters: &[Parameter]) -> Json {
    let properties: Map<String, Json> =
        parameters.iter().map(|each| (each.name.clone(), of(design, &each.ty))).collect();
    let required: Vec<&str> =
        parameters.iter().filter(|each| !each.optional).map(|each| each.name.as_str()).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn query_parameters(design: &Design, endpoint: &Endpoint) -> Json {
    let signature = &endpoint.signature;
    let mut parameters: Vec<Json> = signature.parameters.iter().map(|each| query(design, each)).collect();
    if matches!(signature.yields, Yields::Page(_)) {
        let taken = |name: &str| signature.parameters.iter().any(|each| each.name == name);
        let schemas = [
            ("cursor", json!({ "type": "string" }), "where the page before ended"),
            (
                "limit",
                json!({ "type": "integer", "minimum": 1 }),
                "how many items, at most the design's own page; more is refused",
            ),
        ];
        for (name, schema, about) in schemas.into_iter().filter(|(name, ..)| !taken(name)) {
            parameters.push(json!({ "name": name, "in": "query", "schema": schema, "description": about }));
        }
    }
    Json::Array(parameters)
}

/// What is not a plain value travels as JSON text.
fn query(design: &Design, parameter: &Parameter) -> Json {
    let schema = of(design, &parameter.ty);
    let mut described = json!({ "name": parameter.name, "in": "query", "required": !parameter.optional });
    if parameter.of_caller {
        described["description"] = json!("the caller's own if it is left out");
    }
    match is_plain(&parameter.ty) {
        true => {
            described["schema"] = schema;
            described["example"] = example::value(design, &parameter.name, &parameter.ty, 1);
        }
        false => described["content"] = json!({ "application/json": { "schema": schema } }),
    }
    described
}

fn is_plain(ty: &Type) -> bool {
    !matches!(
        ty,
        Type::Json { .. }
            | Type::List { .. }
            | Type::Map { .. }
            | Type::Set { .. }
            | Type::Object { .. }
            | Type::Record { .. }
            | Type::Input { .. }
            | Type::Any { .. }
            | Type::Undeclared
    )
}

fn security(design: &Design, system: bool) -> Json {
    match system || design.caller.is_empty() {
        true => json!([{}, { "apiKey": [] }]),
        false => json!([{ "caller": [] }, { "apiKey": [] }]),
    }
}

fn responses(design: &Design, endpoint: &Endpoint, operation: Option<&Operation>) -> Json {
    let mut responses = Map::new();
    match answer(design, endpoint, operation) {
        Some(schema) => {
            let content = json!({ "application/json": { "schema": schema } });
            responses.insert("200".into(), json!({ "description": "The answer", "content": content }));
        }
        None => {
            responses.insert("204".into(), json!({ "description": "Done; there is nothing to return" }));
        }
    }
    let mut problems: BTreeMap<u16, Vec<String>> = BTreeMap::new();
    for kind in operation.map(|operation| errors::declared(design, operation)).unwrap_or_default() {
        problems.entry(problem::status(&kind).as_u16()).or_default().push(kind.name().to_owned());
    }
    if endpoint.is_pattern() && matches!(endpoint.signature.yields, Yields::Item(_)) {
        problems.entry(404).or_default().push("NotFound".to_owned());
    }
    for (status, codes) in problems {
        responses.insert(status.to_string(), problem_response(&codes.join(", ")));
    }
    responses.insert("default".into(), json!({ "$ref": "#/components/responses/Problem" }));
    Json::Object(responses)
}

/// The schema of the answer; none if there is nothing in it.
fn answer(design: &Design, endpoint: &Endpoint, operation: Option<&Operation>) -> Option<Json> {
    Some(match &endpoint.signature.yields {
        Yields::Nothing => return None,
        Yields::Item(entity) => entity_schema(design, entity),
        Yields::Page(entities) | Yields::Items(entities) => {
            let pattern = design.pattern(&endpoint.signature.name);
            let each = match (pattern.map(|pattern| pattern.verb), entities.as_slice()) {
                (Some(ReadVerb::Collect), several) => one_of(several),
                (_, [entity, ..]) => entity_schema(design, entity),
                (_, []) => json!({}),
            };
            json!({
                "type": "object",
                "properties": {
                    "items": { "type": "array", "items": each },
                    "cursor": { "type": ["string", "null"] },
                },
                "required": ["items", "cursor"],
            })
        }
        Yields::Count => json!({ "type": "integer", "minimum": 0 }),
        Yields::Exists => json!({ "type": "boolean" }),
        Yields::Sums(names) if names.len() == 1 => json!({ "type": ["number", "string"] }),
        Yields::Sums(names) => {
            let properties: Map<String, Json> =
                names.iter().map(|name| (name.clone(), json!({ "type": "number" }))).collect();
            json!({ "type": "object", "properties": properties })
        }
        Yields::Value => {
            operation.and_then(returned).map_or(json!({}), |entity| entity_schema(design, entity))
        }
    })
}

/// An item of `collect`: `$entity` says which of the kinds it is.
fn one_of(entities: &[String]) -> Json {
    let kind = |entity: &String| reference(&collected_name(entity));
    let mapping: Map<String, Json> =
        entities.iter().map(|entity| (entity.clone(), kind(entity)["$ref"].clone())).collect();
    json!({
        "oneOf": entities.iter().map(kind).collect::<Vec<_>>(),
        "discriminator": { "propertyName": "$entity", "mapping": mapping },
    })
}

fn entity_schema(design: &Design, name: &str) -> Json {
    if design.entity(name).is_some() { reference(name) } else { json!({}) }
}

/// The entity of what is returned, where `return` names what an action gave.
fn returned(operation: &Operation) -> Option<&str> {
    let value = operation.body.iter().find_map(|statement| match &statement.kind {
        StmtKind::Return { value } => value.as_name(),
        _ => None,
    })?;
    let mut open: Vec<_> = operation.body.iter().collect();
    while let Some(statement) = open.pop() {
        match &statement.kind {
            StmtKind::Let { name, value: Value::Action(action), .. } if name.is(value) => {
                return Some(&action.entity.text);
            }
            StmtKind::Transact { body } => open.extend(body),
            _ => {}
        }
    }
    None
}
