//! A route as a path: the values of its path, any body, the answer of what it calls.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};
use sortkey_core::declared_errors;
use sortkey_design::Program;
use sortkey_design::program::{Callee, Expr, ExprKind, Route, Segment, StatementKind};

use super::components::problem_response;
use super::paths;
use super::schema::of;
use crate::problem;

/// The methods of a route that names none.
const METHODS: [&str; 5] = ["POST", "PUT", "PATCH", "GET", "DELETE"];

/// Every path that routes answer, with its methods.
pub(super) fn items(program: &Program) -> Map<String, Json> {
    let mut items: Map<String, Json> = Map::new();
    for route in &program.routes {
        let path = path(program, route);
        let methods = route.method.as_ref().map_or(METHODS.to_vec(), |method| vec![&**method]);
        let item = items.entry(path.clone()).or_insert_with(|| json!({}));
        for method in methods {
            item[method.to_lowercase()] = described(program, route, method, &path);
        }
    }
    items
}

fn path(program: &Program, route: &Route) -> String {
    let parameters = &program.operations[route.operation].signature.parameters;
    let segment = |segment: &Segment| match segment {
        Segment::Literal(text) => format!("/{text}"),
        Segment::Parameter(id) => format!("/{{{}}}", parameters[*id].name),
    };
    route.segments.iter().map(segment).collect()
}

fn described(program: &Program, route: &Route, method: &str, path: &str) -> Json {
    let callee = called(program, route);
    let mut described = json!({
        "operationId": format!("{method} {path}"),
        "summary": callee.map_or(path, |callee| program.name(callee)),
        "parameters": parameters(program, route),
        "responses": responses(program, route, callee),
        // A route decides itself whom it answers.
        "security": [{}],
    });
    if let Some(docs) = callee.and_then(|callee| program.docs(callee)) {
        described["description"] = json!(docs);
    }
    if !matches!(method, "GET" | "DELETE") {
        described["requestBody"] = json!({
            "description": format!("At most {}, of any content type", size(route.max_body)),
            "content": { "*/*": { "schema": {} } },
        });
    }
    described
}

fn parameters(program: &Program, route: &Route) -> Json {
    let parameters = &program.operations[route.operation].signature.parameters;
    let of_path = route.segments.iter().filter_map(|segment| match segment {
        Segment::Literal(_) => None,
        Segment::Parameter(id) => {
            let parameter = &parameters[*id];
            let schema = of(program, &parameter.ty);
            Some(json!({ "name": *parameter.name, "in": "path", "required": true, "schema": schema }))
        }
    });
    Json::Array(of_path.collect())
}

fn responses(program: &Program, route: &Route, callee: Option<Callee>) -> Json {
    let mut responses = Map::new();
    let mut success = json!({ "description": "The answer, after the commit" });
    let schema = callee.and_then(|callee| paths::answer(program, callee)).filter(|_| route.status != 204);
    if route.live {
        success = json!({
            "description": "Events of the channel as they happen",
            "content": { "text/event-stream": { "schema": { "type": "string" } } },
        });
    } else if let Some(kind) = &route.content_type {
        success["content"] = json!({ &**kind: { "schema": { "type": "string" } } });
    } else if let Some(schema) = schema {
        success["content"] = json!({ "application/json": { "schema": schema } });
    }
    responses.insert(route.status.to_string(), success);
    let mut problems: BTreeMap<u16, Vec<String>> = BTreeMap::new();
    let declared = match callee {
        Some(Callee::Operation(operation)) => declared_errors(program, operation),
        _ => Vec::new(),
    };
    for kind in declared {
        problems.entry(problem::status(&kind).as_u16()).or_default().push(kind.name().to_owned());
    }
    if route.limit.is_some() {
        problems.entry(429).or_default().push("Throttled".to_owned());
    }
    for (status, codes) in problems {
        responses.insert(status.to_string(), problem_response(&codes.join(", ")));
    }
    responses.insert("default".into(), json!({ "$ref": "#/components/responses/Problem" }));
    Json::Object(responses)
}

/// A size as people write it.
fn size(bytes: u64) -> String {
    match bytes % 1_024 {
        0 => format!("{} KB", bytes / 1_024),
        _ => format!("{bytes} bytes"),
    }
}

/// The callee of a route.
fn called(program: &Program, route: &Route) -> Option<Callee> {
    let body = &program.operations[route.operation].body;
    body.iter().find_map(|statement| match &statement.kind {
        StatementKind::Return(Expr { kind: ExprKind::Call { callee, .. }, .. }) => Some(*callee),
        _ => None,
    })
}
