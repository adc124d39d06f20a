//! A module's file: its calls as methods.

use std::fmt::Write as _;

use super::text::{self, comment, quoted};
use super::{LIBRARY, Source, header, option};
use crate::client::docs;
use crate::client::{Call, Grouping, Module, Output, Parameter, pascal};
use crate::files::File;

/// The file of a module.
pub(super) fn file(source: &Source<'_>, module: &Module, name: String) -> File {
    let class = pascal(&module.name);
    let mut out = format!(
        "{}//! The module `{1}`.\n\n/// The calls of `{1}`.\n#[derive(Clone, Copy)]\npub struct {class}<'c> {{\n    \
         pub(super) client: &'c {LIBRARY}Client,\n}}\n\nimpl {class}<'_> {{\n",
        header(source.surface),
        module.name
    );
    let calls: Vec<String> =
        module.calls.iter().map(|call| source.method(call, "super::types::", "self.client")).collect();
    out += &calls.join("\n");
    out += "}\n";
    File::new(name, out)
}

impl Source<'_> {
    /// A call as a method. `client` is the expression of what sends it.
    pub(super) fn method(&self, call: &Call, own: &str, client: &str) -> String {
        let names = text::distinct(
            ["self", "changes", "input"]
                .map(str::to_owned)
                .into_iter()
                .chain(call.parameters.iter().map(|each| text::name(&each.name))),
        );
        let names = &names[3..];
        let (parameters, given) = self.given(call, names, own);
        let error = format!("{own}{}", self.error());
        let (result, function) = match &call.output {
            Output::Nothing => (format!("{LIBRARY}Call<(), {error}>"), "command"),
            Output::Page(ty) => (format!("{LIBRARY}Paged<{}, {error}>", self.ty(ty, own)), "paged"),
            Output::All(ty) => {
                (format!("{LIBRARY}Call<::std::vec::Vec<{}>, {error}>", self.ty(ty, own)), "call")
            }
            Output::One { ty, optional } => {
                let plain = self.ty(ty, own);
                let ty = if *optional { option(&plain) } else { plain };
                let (kind, function) =
                    if call.versioned { ("Versioned", "versioned") } else { ("Call", "call") };
                (format!("{LIBRARY}{kind}<{ty}, {error}>"), function)
            }
        };
        format!(
            "{}    pub fn {}(&self{parameters}) -> {result} {{\n        {client}.{function}({}, {given})\n    }}\n",
            comment(&documented(call, names), "    "),
            text::name(&call.name),
            quoted(&call.path),
        )
    }

    /// The parameters of a method, and the expression of its arguments.
    fn given(&self, call: &Call, names: &[String], own: &str) -> (String, String) {
        let surface = self.surface;
        let mut parameters = String::new();
        let positions = |places: &[usize], parameters: &mut String| {
            for at in places {
                let Parameter { ty, optional, nullable, .. } = &call.parameters[*at];
                let ty = match nullable {
                    true => format!("{LIBRARY}Edit<{}>", self.ty(ty, own)),
                    false => self.parameter(ty, *optional, own),
                };
                let _ = write!(parameters, ", {}: {ty}", names[*at]);
            }
        };
        let set = |places: &[usize]| -> String {
            let one = |at: &usize| {
                let Parameter { name, ty, optional, nullable, .. } = &call.parameters[*at];
                let own = &names[*at];
                // Text and ids are borrowed already.
                let by = if self.parameter(ty, false, "").starts_with('&') { "" } else { "&" };
                match (optional, nullable) {
                    (_, true) => format!(".edit({}, &{own})", quoted(name)),
                    (true, false) if by.is_empty() => format!(".maybe({}, {own})", quoted(name)),
                    (true, false) => format!(".maybe({}, {own}.as_ref())", quoted(name)),
                    (false, false) => format!(".set({}, {by}{own})", quoted(name)),
                }
            };
            places.iter().map(one).collect()
        };
        let given = match &call.grouping {
            Grouping::Positions(places) => {
                positions(places, &mut parameters);
                format!("{LIBRARY}Given::new(){}", set(places))
            }
            Grouping::Input(record) => {
                let _ = write!(parameters, ", input: {own}{}", surface.record(*record).name);
                format!("{LIBRARY}Given::of(&input)")
            }
            Grouping::Changes { before, changes, after } => {
                positions(before, &mut parameters);
                let _ = write!(parameters, ", changes: {own}{}", surface.record(*changes).name);
                positions(after, &mut parameters);
                format!("{LIBRARY}Given::of(&changes){}{}", set(before), set(after))
            }
        };
        (parameters, given)
    }
}

/// The documentation of a call: the design's comment, its plan, its units, its errors.
fn documented(call: &Call, names: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = call.docs.iter().cloned().collect();
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines.extend(call.plan.iter().map(|line| format!("- {line}")));
    lines.push(String::new());
    lines.extend(docs::facts(call, docs::spelled(call, names), |errors| format!("Fails with {errors}.")));
    lines
}
