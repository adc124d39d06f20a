//! The operations API described to programs: an OpenAPI 3.1 document, made from the design alone.
//!
//! Types become JSON Schemas under `components`, declarations become paths, `else` names become problem responses.

mod components;
mod example;
mod nothing;
mod paths;
mod routes;
mod schema;

use serde_json::{Map, Value as Json, json};
use sortkey_core::Runtime;
use sortkey_design::Program;

use crate::endpoints::Endpoints;

pub(crate) use example::{arguments as example_arguments, caller as caller_example};

/// The OpenAPI 3.1 document of a design that runs.
pub fn document(runtime: &Runtime) -> Json {
    of(runtime.program(), &Endpoints::of(runtime.program()))
}

pub(crate) fn of(program: &Program, endpoints: &Endpoints) -> Json {
    let design = &program.design;
    let name = if design.name.text.is_empty() { "design" } else { &design.name.text };
    let tags: Vec<Json> = design.modules.iter().map(|module| json!({ "name": module.name.text })).collect();
    let mut paths = Map::new();
    for endpoint in endpoints.documented() {
        paths.insert(format!("/api/{}", endpoint.path), paths::item(program, endpoint));
    }
    paths.extend(routes::items(program));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": name,
            "version": design.version.unwrap_or(1).to_string(),
            "description": ABOUT,
        },
        "servers": [{ "url": "/" }],
        "tags": tags,
        "paths": paths,
        "components": components::of(program),
    })
}

const ABOUT: &str = "Every pattern and operation of the design, in its own types. Patterns answer GET with query \
    parameters and POST with a JSON body; operations answer POST. Paths outside of /api are the design's routes. Pages hold `items` and a `cursor` for the next page, \
    null on the last. Errors are application/problem+json, with the failing field and a code.";
