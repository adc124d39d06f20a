//! The operations API described to people: one page that needs nothing but itself, with a form for every call.

use std::fmt::Write as _;

use sortkey_core::FailureKind;
use sortkey_design::Program;
use sortkey_design::program::{Callee, EntityId, Signature, Yields};

use crate::endpoints::Endpoint;
use crate::endpoints::Endpoints;
use crate::{example, openapi, problem};

/// The permissions of the page: its own style and script, and calls to its own origin.
pub(crate) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The address in the examples, until it is known which one the reader uses.
pub(crate) const ADDRESS: &str = "http://localhost:8000";

const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/script.js");

/// The page of a design.
pub(crate) fn of(program: &Program, endpoints: &Endpoints) -> String {
    let design = &program.design;
    let name = if design.name.text.is_empty() { "design" } else { &design.name.text };
    let mut html = String::new();
    let _ = write!(
        html,
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n\
         <header><h1>{title}</h1><p>Every pattern and operation of the design. \
         The same for programs: <a href=\"/openapi.json\">/openapi.json</a>.</p>\n{who}</header>\n",
        title = escape(name),
        who = who(program),
    );
    html.push_str("<nav><ul>\n");
    for endpoint in endpoints.documented() {
        let id = escape(&endpoint.dotted());
        let _ = writeln!(html, "<li><a href=\"#{id}\">{id}</a></li>");
    }
    html.push_str("</ul></nav>\n<main>\n");
    let mut module = None;
    for endpoint in endpoints.documented() {
        if endpoint.module != module {
            module.clone_from(&endpoint.module);
            let _ = writeln!(html, "<h2>{}</h2>", escape(module.as_deref().unwrap_or("in no module")));
        }
        html.push_str(&section(program, endpoint));
    }
    html.push_str(&problems(program));
    let _ = write!(html, "</main>\n<script>\n{SCRIPT}</script>\n</html>\n");
    html
}

/// Two fields that every form below uses.
fn who(program: &Program) -> String {
    let caller = openapi::caller_example(program).to_string();
    format!(
        "<p class=\"who\"><label>Sortkey-Caller <input id=\"caller\" placeholder=\"{}\"></label> \
         <label>API key <input id=\"key\" type=\"password\" autocomplete=\"off\"></label></p>",
        escape(&caller)
    )
}

fn section(program: &Program, endpoint: &Endpoint) -> String {
    let signature = endpoint.signature();
    let arguments = openapi::example_arguments(program, endpoint);
    let method = if endpoint.is_pattern() { "GET or POST" } else { "POST" };
    let mut html = String::new();
    let _ = write!(
        html,
        "<section id=\"{id}\"><h3>{id}{system}</h3>\n<p><code>{method} /api/{path}</code></p>\n",
        id = escape(&endpoint.dotted()),
        system = if endpoint.is_system() { " <small>system</small>" } else { "" },
        path = escape(&endpoint.path),
    );
    if let Some(docs) = endpoint.docs() {
        let _ = writeln!(html, "<p>{}</p>", escape(docs));
    }
    html.push_str(&parameters(program, signature));
    let _ = writeln!(html, "<p>Answers {}.</p>", escape(&answers(program, &signature.yields)));
    if let Callee::Operation(operation) = endpoint.callee {
        let errors = sortkey_core::declared_errors(program, operation);
        if !errors.is_empty() {
            let links: Vec<String> = errors.iter().map(|kind| link(kind.name())).collect();
            let _ = writeln!(html, "<p>Fails with {}.</p>", links.join(", "));
        }
    }
    let _ = write!(
        html,
        "<pre>{}</pre>\n<form data-path=\"/api/{}\"><textarea rows=\"4\" spellcheck=\"false\">{}</textarea>\
         <button>Call</button><output></output></form></section>\n",
        escape(&example::curl(program, endpoint, ADDRESS, &arguments, false)),
        escape(&endpoint.path),
        escape(&format!("{arguments:#}")),
    );
    html
}

fn parameters(program: &Program, signature: &Signature) -> String {
    if signature.parameters.is_empty() {
        return "<p>Takes nothing.</p>\n".to_owned();
    }
    let mut html = String::from("<table>\n");
    for parameter in &signature.parameters {
        let need = match (parameter.of_caller.is_some(), parameter.optional) {
            (true, _) => "the caller's own if left out",
            (false, true) => "may be left out",
            (false, false) => "",
        };
        let (name, ty) = (escape(&parameter.name), escape(&parameter.ty.describe(program)));
        let _ = writeln!(html, "<tr><th>{name}</th><td><code>{ty}</code></td><td>{need}</td></tr>");
    }
    html.push_str("</table>\n");
    html
}

fn answers(program: &Program, yields: &Yields) -> String {
    let name = |entity: &EntityId| &*program.entities[*entity].name;
    let names = |entities: &[EntityId]| entities.iter().map(name).collect::<Vec<_>>().join(", ");
    match yields {
        Yields::Nothing => "nothing".to_owned(),
        Yields::Item(entity) => format!("one {}", name(entity)),
        Yields::Page(entities) => format!("pages of {}", names(entities)),
        Yields::Items(entities) => format!("all {}", names(entities)),
        Yields::Count => "a count".to_owned(),
        Yields::Exists => "true or false".to_owned(),
        Yields::Sums(names) => format!("the sums of {}", names.join(", ")),
        Yields::Value => "what it returns".to_owned(),
    }
}

/// The table of problems, with an anchor for the code of each.
fn problems(program: &Program) -> String {
    let mut kinds = vec![
        FailureKind::Invalid,
        FailureKind::NotFound,
        FailureKind::AlreadyExists,
        FailureKind::Conflict,
        FailureKind::VersionDiffers,
        FailureKind::Forbidden,
        FailureKind::Unauthenticated,
        FailureKind::InvalidTransition,
        FailureKind::CheckFailed,
        FailureKind::TooLarge,
        FailureKind::Throttled,
        FailureKind::Unavailable,
        FailureKind::Unreadable,
        FailureKind::Internal,
    ];
    for callee in program.callees() {
        let Callee::Operation(operation) = callee else { continue };
        for kind in sortkey_core::declared_errors(program, operation) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
    }
    let mut html = String::from("<h2>Problems</h2>\n<table>\n");
    for kind in kinds {
        let (name, status) = (escape(kind.name()), problem::status(&kind).as_u16());
        let title = escape(&problem::title(kind.name()));
        let _ =
            writeln!(html, "<tr id=\"problem-{name}\"><th>{name}</th><td>{status}</td><td>{title}</td></tr>");
    }
    html.push_str("</table>\n");
    html
}

fn link(code: &str) -> String {
    let code = escape(code);
    format!("<a href=\"#problem-{code}\">{code}</a>")
}

/// Text that is safe in an element and in a quoted attribute.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(letter),
        }
    }
    safe
}
