//! A call that a person can copy into a shell.

use serde_json::Value as Json;
use sortkey_core::Runtime;
use sortkey_design::Program;

use crate::endpoints::{Endpoint, Endpoints};
use crate::openapi;

/// A call to begin with: an operation that needs no caller and creates something, if there is one.
pub fn call(runtime: &Runtime, endpoint: &str, by_keys: bool) -> Option<String> {
    let program = runtime.program();
    let endpoints = Endpoints::of(program);
    let rank = |endpoint: &&Endpoint| {
        let makes = endpoint.name().starts_with("create") && !endpoint.is_pattern();
        let needed = endpoint.signature().parameters.iter().filter(|each| !each.optional).count();
        (!makes, !endpoint.is_system(), needed)
    };
    let chosen = endpoints.documented().min_by_key(rank)?;
    let arguments = openapi::example_arguments(program, chosen);
    Some(curl(program, chosen, endpoint, &arguments, by_keys))
}

/// A call with `curl`.
pub(crate) fn curl(
    program: &Program,
    endpoint: &Endpoint,
    at: &str,
    arguments: &Json,
    by_keys: bool,
) -> String {
    let mut command = format!("curl {at}/api/{}", endpoint.path);
    if by_keys {
        command.push_str(" \\\n  -H 'Authorization: Bearer ...'");
    }
    if !endpoint.is_system() && !program.caller.is_empty() {
        command.push_str(&format!(" \\\n  -H 'Sortkey-Caller: {}'", openapi::caller_example(program)));
    }
    // Not `--json`, which only curl 7.82 and newer have.
    command.push_str(&format!(" \\\n  -H 'Content-Type: application/json' -d '{arguments}'"));
    command
}
