//! A declaration as a path: its parameters or body, its answer, its problems.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};
use sortkey_core::declared_errors;
use sortkey_design::Program;
use sortkey_design::model::ReadVerb;
use sortkey_design::program::{
    Callee, EntityId, ExprKind, Operation, Parameter, Signature, StatementKind, Type, Value, Yields,
};

use super::components::{self, problem_response, with_entity};
use super::schema::{collected_name, of, reference};
use super::{example, nothing};
use crate::endpoints::Endpoint;
use crate::problem;

/// The path item of an endpoint. Patterns are shown as GET, operations as POST.
pub(super) fn item(program: &Program, endpoint: &Endpoint) -> Json {
    let signature = endpoint.signature();
    let mut described = json!({
        "operationId": endpoint.dotted(),
        "summary": endpoint.name(),
        "responses": responses(program, endpoint),
        "security": security(program, endpoint.is_system()),
    });
    if let Some(docs) = endpoint.docs() {
        described["description"] = json!(docs);
    }
    if let Some(module) = &endpoint.module {
        described["tags"] = json!([module]);
    }
    if endpoint.is_pattern() {
        described["parameters"] = query_parameters(program, endpoint);
        return json!({ "get": described });
    }
    if endpoint.idempotent_by().is_some() {
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
            "schema": body_schema(program, signature),
            "example": example::arguments(program, endpoint),
        } },
    });
    json!({ "post": described })
}

fn body_schema(program: &Program, signature: &Signature) -> Json {
    let parameters = &signature.parameters;
    let properties: Map<String, Json> =
        parameters.iter().map(|each| (each.name.to_string(), of(program, &each.ty))).collect();
    let required: Vec<&str> =
        parameters.iter().filter(|each| !each.optional).map(|each| &*each.name).collect();
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn query_parameters(program: &Program, endpoint: &Endpoint) -> Json {
    let signature = endpoint.signature();
    let mut parameters: Vec<Json> = signature.parameters.iter().map(|each| query(program, each)).collect();
    if matches!(signature.yields, Yields::Page(_)) {
        let taken = |name: &str| signature.find(name).is_some();
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

/// A query parameter. Values that are not scalar are passed as JSON text.
fn query(program: &Program, parameter: &Parameter) -> Json {
    let schema = of(program, &parameter.ty);
    let mut described = json!({ "name": *parameter.name, "in": "query", "required": !parameter.optional });
    if parameter.of_caller.is_some() {
        described["description"] = json!("the caller's own if it is left out");
    }
    match is_plain(&parameter.ty) {
        true => {
            described["schema"] = schema;
            described["example"] = example::value(program, &parameter.name, &parameter.ty, 1);
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
            | Type::Object(_)
            | Type::Input { .. }
            | Type::Any { .. }
            | Type::Unknown
    )
}

fn security(program: &Program, system: bool) -> Json {
    match system || program.caller.is_empty() {
        true => json!([{}, { "apiKey": [] }]),
        false => json!([{ "caller": [] }, { "apiKey": [] }]),
    }
}

fn responses(program: &Program, endpoint: &Endpoint) -> Json {
    let mut responses = Map::new();
    match answer(program, endpoint.callee) {
        Some(schema) => {
            let content = json!({ "application/json": { "schema": schema } });
            responses.insert("200".into(), json!({ "description": "The answer", "content": content }));
            if !endpoint.is_pattern() && nothing::is_possible(program, endpoint.callee) {
                responses.insert("204".into(), json!({ "description": "Done; there is nothing to return" }));
            }
        }
        None => {
            responses.insert("204".into(), json!({ "description": "Done; there is nothing to return" }));
        }
    }
    let mut problems: BTreeMap<u16, Vec<String>> = BTreeMap::new();
    let declared = match endpoint.callee {
        Callee::Operation(operation) => declared_errors(program, operation),
        Callee::Pattern(_) | Callee::Effect(_) => Vec::new(),
    };
    for kind in declared {
        problems.entry(problem::status(&kind).as_u16()).or_default().push(kind.name().to_owned());
    }
    if endpoint.is_pattern() && matches!(endpoint.signature().yields, Yields::Item(_)) {
        problems.entry(404).or_default().push("NotFound".to_owned());
    }
    for (status, codes) in problems {
        responses.insert(status.to_string(), problem_response(&codes.join(", ")));
    }
    responses.insert("default".into(), json!({ "$ref": "#/components/responses/Problem" }));
    Json::Object(responses)
}

/// The schema of what a callee answers; none if there is nothing in it.
pub(super) fn answer(program: &Program, callee: Callee) -> Option<Json> {
    let selected = match callee {
        Callee::Pattern(id) => program.patterns[id].select_names.as_deref(),
        Callee::Operation(_) | Callee::Effect(_) => None,
    };
    let item = |entity: EntityId| match selected {
        Some(names) => components::selected(program, &program.entities[entity], names),
        None => reference(&program.entities[entity].name),
    };
    Some(match &program.signature(callee).yields {
        Yields::Nothing => return None,
        Yields::Item(entity) => item(*entity),
        Yields::Page(entities) | Yields::Items(entities) => {
            let collects = match callee {
                Callee::Pattern(id) => program.patterns[id].verb == ReadVerb::Collect,
                Callee::Operation(_) | Callee::Effect(_) => false,
            };
            let each = match (collects, entities.as_slice()) {
                (true, several) if selected.is_none() => one_of(program, several),
                (true, several) => {
                    let kind = |each: &EntityId| with_entity(&program.entities[*each].name, item(*each));
                    json!({ "oneOf": several.iter().map(kind).collect::<Vec<_>>() })
                }
                (_, [entity, ..]) => item(*entity),
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
            let sum = json!({ "type": ["number", "string"] });
            let properties: Map<String, Json> =
                names.iter().map(|name| (name.to_string(), sum.clone())).collect();
            let names: Vec<&str> = names.iter().map(|name| &**name).collect();
            json!({ "type": "object", "properties": properties, "required": names })
        }
        Yields::Value => match callee {
            Callee::Operation(id) => returned(&program.operations[id]).map_or(json!({}), item),
            Callee::Pattern(_) | Callee::Effect(_) => json!({}),
        },
    })
}

/// An item of `collect`: `$entity` names its kind.
fn one_of(program: &Program, entities: &[EntityId]) -> Json {
    let name = |entity: &EntityId| program.entities[*entity].name.to_string();
    let kind = |entity: &EntityId| reference(&collected_name(&name(entity)));
    let mapping: Map<String, Json> =
        entities.iter().map(|entity| (name(entity), kind(entity)["$ref"].clone())).collect();
    json!({
        "oneOf": entities.iter().map(kind).collect::<Vec<_>>(),
        "discriminator": { "propertyName": "$entity", "mapping": mapping },
    })
}

/// The entity of what is returned, where `return` names what an action gave.
fn returned(operation: &Operation) -> Option<EntityId> {
    let returned = operation.body.iter().find_map(|statement| match &statement.kind {
        StatementKind::Return(value) => match value.kind {
            ExprKind::Local(local) => Some(local),
            _ => None,
        },
        _ => None,
    })?;
    let mut open: Vec<_> = operation.body.iter().collect();
    while let Some(statement) = open.pop() {
        match &statement.kind {
            StatementKind::Let { local, value: Value::Action(action), .. } if *local == returned => {
                return Some(action.entity);
            }
            StatementKind::Transact(body) => open.extend(body),
            _ => {}
        }
    }
    None
}
