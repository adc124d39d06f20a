//! A call that a person can copy into a shell.

use serde_json::Value as Json;
use sortkey_core::{Kind, Runtime, Signature};
use sortkey_design::Design;

use crate::endpoints::{Endpoint, Endpoints};
use crate::openapi;

/// A call to begin with: an operation that needs no caller and creates something, if there is one.
pub fn call(runtime: &Runtime, endpoint: &str, by_keys: bool) -> Option<String> {
    let endpoints = Endpoints::of(runtime);
    let design = runtime.design();
    let rank = |signature: &Signature| {
        let makes = signature.name.starts_with("create") && signature.kind == Kind::Operation;
        (!makes, !signature.system, signature.parameters.iter().filter(|each| !each.optional).count())
    };
    let chosen = endpoints.documented().min_by_key(|each| rank(&each.signature))?;
    let arguments = openapi::example_arguments(design, &chosen.signature);
    Some(curl(design, chosen, endpoint, &arguments, by_keys))
}

/// A call with `curl`.
pub(crate) fn curl(
    design: &Design,
    endpoint: &Endpoint,
    at: &str,
    arguments: &Json,
    by_keys: bool,
) -> String {
    let mut command = format!("curl {at}/api/{}", endpoint.path);
    if by_keys {
        command.push_str(" \\\n  -H 'Authorization: Bearer ...'");
    }
    if !endpoint.signature.system && !design.caller.is_empty() {
        command.push_str(&format!(" \\\n  -H 'Sortkey-Caller: {}'", openapi::caller_example(design)));
    }
    command.push_str(&format!(" \\\n  --json '{arguments}'"));
    command
}
