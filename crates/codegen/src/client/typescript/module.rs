//! A module's file: its interface, and the function that binds it to a client.

use std::fmt::Write as _;

use super::text::{comment, parameter, property, quoted};
use super::{Source, module_function, program};
use crate::client::docs;
use crate::client::{Call, Grouping, Module, Output, Parameter, Surface, pascal};
use crate::files::File;

/// The file of a module.
pub(super) fn file(surface: &Surface, module: &Module) -> File {
    let mut source = Source::new(surface);
    let (interface, function) = (pascal(&module.name), module_function(&module.name));
    let members: String = module.calls.iter().map(|call| source.signature(call)).collect();
    let bindings: String = module.calls.iter().map(|call| source.binding(call, "    ")).collect();
    source.library("Client");
    let _ = write!(
        source.text,
        "export interface {interface} {{\n{members}}}\n\n\
         /** The calls of `{}`, bound to a client. */\n\
         export function {function}(client: Client): {interface} {{\n  return {{\n{bindings}  }};\n}}\n",
        module.name
    );
    let imports =
        if bindings.contains("shapes.") { "import { shapes } from \"./program.js\";\n" } else { "" };
    source.file(format!("{}.ts", module.name), imports)
}

impl Source<'_> {
    /// A call as a member of an interface, with its documentation.
    pub(super) fn signature(&self, call: &Call) -> String {
        let mut parameters = self.parameters(call);
        parameters.push(match &call.output {
            Output::Page(_) => format!("page?: {}", self.library("PageOptions")),
            _ => format!(
                "options?: {}",
                self.library(if call.versioned { "VersionOptions" } else { "CallOptions" })
            ),
        });
        let result = match &call.output {
            Output::Nothing => "Promise<void>".to_owned(),
            Output::One { ty, optional: true } => format!("Promise<{} | undefined>", self.ty(ty)),
            Output::One { ty, .. } => format!("Promise<{}>", self.ty(ty)),
            Output::Page(ty) => format!("{}<{}>", self.library("Paged"), self.ty(ty)),
            Output::All(ty) => format!("Promise<({})[]>", self.ty(ty)).replace("(unknown)", "unknown"),
        };
        let result = tidy(result);
        let docs = comment(&documented(call), "  ");
        format!("{docs}  {}({}): {result};\n", property(&call.name), parameters.join(", "))
    }

    fn parameters(&self, call: &Call) -> Vec<String> {
        let one = |at: &usize| {
            let Parameter { name, ty, optional, .. } = &call.parameters[*at];
            let sign = if *optional { "?" } else { "" };
            format!("{}{sign}: {}", parameter(name), self.ty(ty))
        };
        match &call.grouping {
            Grouping::Positions(places) => places.iter().map(one).collect(),
            Grouping::Input(record) => {
                let optional = self.surface.record(*record).fields.iter().all(|field| field.optional);
                let sign = if optional { "?" } else { "" };
                vec![format!("input{sign}: {}", self.own(&self.surface.record(*record).name))]
            }
            Grouping::Changes { before, changes, after } => {
                let changes = format!("changes: {}", self.own(&self.surface.record(*changes).name));
                before.iter().map(one).chain([changes]).chain(after.iter().map(one)).collect()
            }
        }
    }

    /// A call as a property of the object that a module's function returns.
    pub(super) fn binding(&self, call: &Call, indent: &str) -> String {
        let name = |at: &usize| parameter(&call.parameters[*at].name);
        let pair = |at: &usize| {
            let (own, local) = (property(&call.parameters[*at].name), name(at));
            if own == local { own } else { format!("{own}: {local}") }
        };
        let last = if matches!(call.output, Output::Page(_)) { "page" } else { "options" };
        let (mut names, given): (Vec<String>, String) = match &call.grouping {
            Grouping::Positions(places) => {
                let pairs: Vec<String> = places.iter().map(pair).collect();
                let given =
                    if pairs.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", pairs.join(", ")) };
                (places.iter().map(name).collect(), given)
            }
            Grouping::Input(_) => (vec!["input".to_owned()], "{ ...input }".to_owned()),
            Grouping::Changes { before, after, .. } => {
                let names =
                    before.iter().map(name).chain(["changes".to_owned()]).chain(after.iter().map(name));
                let pairs: Vec<String> = before.iter().chain(after).map(pair).collect();
                (names.collect(), format!("{{ ...changes, {} }}", pairs.join(", ")))
            }
        };
        names.push(last.to_owned());
        let method = match &call.output {
            Output::Nothing | Output::One { .. } => "one",
            Output::Page(_) => "paged",
            Output::All(_) => "all",
        };
        let shape = match &call.output {
            Output::Nothing => None,
            Output::One { ty, .. } | Output::Page(ty) | Output::All(ty) => {
                program::shape_of(self.surface, ty)
            }
        };
        let shape = shape.map(|shape| format!(", {shape}")).unwrap_or_default();
        format!(
            "{indent}{}: ({}) => client.{method}({}, {given}, {last}{shape}),\n",
            property(&call.name),
            names.join(", "),
            quoted(&call.path),
        )
    }
}

/// The documentation of a call: the design's comment, its plan, its units, its errors.
fn documented(call: &Call) -> Vec<String> {
    let mut lines: Vec<String> = call.docs.iter().cloned().collect();
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines.extend(call.plan.iter().map(|line| format!("- {line}")));
    lines.extend(docs::facts(call, str::to_owned, |errors| format!("@throws {errors}")));
    lines
}

/// A list of one name needs no parentheses.
fn tidy(result: String) -> String {
    match result.strip_prefix("Promise<(").and_then(|rest| rest.strip_suffix(")[]>")) {
        Some(inner) if !inner.contains(" | ") => format!("Promise<{inner}[]>"),
        _ => result,
    }
}
