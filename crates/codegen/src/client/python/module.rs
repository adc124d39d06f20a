//! A module's file: its calls as the methods of two classes, one that blocks and one that is awaited.

use std::fmt::Write as _;

use super::text::{self, docstring, quoted};
use super::{attributes, header, spec, ty};
use crate::client::docs;
use crate::client::{Call, Grouping, Module, Output, Parameter, Surface, pascal};
use crate::files::File;

/// Whether calls block or are awaited.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Blocking,
    Awaited,
}

/// The qualifier of this client's own types in the files of modules.
pub(super) const OWN: &str = "types.";

/// The imports of a module's file.
pub(super) const IMPORTS: &str = "\
# pyright: reportUnusedImport=false
from __future__ import annotations

import builtins

from collections.abc import Set as AbstractSet
from decimal import Decimal
from typing import Any, Literal, cast

from sortkey import typed

from . import types
";

/// The file of a module.
pub(super) fn file(surface: &Surface, module: &Module, name: String) -> File {
    let mut out = format!("{}\n\"\"\"The module `{}`.\"\"\"\n\n{IMPORTS}", header(surface), module.name);
    for kind in [Kind::Blocking, Kind::Awaited] {
        let (class, client) = match kind {
            Kind::Blocking => (pascal(&module.name), "Client"),
            Kind::Awaited => (format!("Async{}", pascal(&module.name)), "AsyncClient"),
        };
        let _ = write!(
            out,
            "\n\nclass {class}:\n    \"\"\"The calls of `{}`.\"\"\"\n\n    \
             def __init__(self, client: typed.{client}) -> None:\n        self._client = client\n",
            module.name
        );
        for call in &module.calls {
            out += &method(surface, call, kind);
        }
    }
    File::new(name, out)
}

/// The options of calls. A parameter of the design gives way to them.
const OPTIONS: [&str; 3] = ["cursor", "limit", "if_version"];

/// The names that the body of a method uses.
const USED: [&str; 3] = ["cast", "typed", "types"];

/// A call as a method.
pub(super) fn method(surface: &Surface, call: &Call, kind: Kind) -> String {
    let options: &[&str] = match &call.output {
        Output::Page(_) => &OPTIONS[..2],
        _ if call.versioned => &OPTIONS[2..],
        _ => &[],
    };
    let reserved = OPTIONS.into_iter().chain(USED);
    let names = attributes(reserved.chain(call.parameters.iter().map(|each| &*each.name)));
    let names = &names[OPTIONS.len() + USED.len()..];
    let (result, form) = result(surface, call, kind);
    let given = |wanted: &dyn Fn(&Parameter) -> bool| {
        let pairs = call.parameters.iter().zip(names).filter(|(parameter, _)| wanted(parameter));
        let pairs: Vec<String> =
            pairs.map(|(parameter, name)| format!("{}: {name}", quoted(&parameter.name))).collect();
        format!("{{{}}}", pairs.join(", "))
    };
    let passed: String = options.iter().map(|option| format!(", {option}={option}")).collect();
    let arguments = format!(
        "{}, {form}, {}, {}, {}{passed}",
        quoted(&call.path),
        given(&|each| !each.optional),
        given(&|each| each.optional && !each.nullable),
        given(&|each| each.optional && each.nullable),
    );
    let is_page = matches!(call.output, Output::Page(_));
    let (define, wait) = match kind {
        Kind::Awaited if !is_page => ("async def", "await "),
        _ => ("def", ""),
    };
    let sent = match &call.output {
        Output::Page(_) => format!("return self._client.paged({arguments})"),
        Output::Nothing => format!("{wait}self._client.call({arguments})"),
        _ => format!(
            "return cast({}, {wait}self._client.call({arguments}))",
            quoted(&result.replace('"', "'"))
        ),
    };
    format!(
        "\n    {define} {}(self{}) -> {result}:\n{}        {sent}\n",
        text::name(&call.name),
        parameters(surface, call, names, options),
        docstring(&documented(call, names), "        "),
    )
}

/// The result of a method: its type, and its form on the wire.
fn result(surface: &Surface, call: &Call, kind: Kind) -> (String, String) {
    match &call.output {
        Output::Nothing => ("None".to_owned(), "None".to_owned()),
        Output::One { ty: of, optional } => {
            let none = if *optional { " | None" } else { "" };
            (format!("{}{none}", ty(surface, of, OWN)), spec(surface, of, OWN))
        }
        Output::Page(of) => {
            let class = if kind == Kind::Blocking { "Paged" } else { "AsyncPaged" };
            (format!("typed.{class}[{}]", ty(surface, of, OWN)), spec(surface, of, OWN))
        }
        Output::All(of) => (format!("builtins.list[{}]", ty(surface, of, OWN)), spec(surface, of, OWN)),
    }
}

/// The parameters of a method: those of a key by position, all others by name, those that must be given first.
fn parameters(surface: &Surface, call: &Call, names: &[String], options: &[&str]) -> String {
    let positions: &[usize] = match &call.grouping {
        Grouping::Positions(places) => places,
        Grouping::Input(_) => &[],
        Grouping::Changes { before, .. } => before,
    };
    let positions: Vec<usize> =
        positions.iter().copied().filter(|at| !call.parameters[*at].optional).collect();
    let mut others: Vec<usize> = (0..call.parameters.len()).filter(|at| !positions.contains(at)).collect();
    others.sort_by_key(|at| call.parameters[*at].optional);
    let one = |at: &usize| {
        let parameter = &call.parameters[*at];
        let (name, own) = (&names[*at], ty(surface, &parameter.ty, OWN));
        match (parameter.optional, parameter.nullable) {
            (false, false) => format!(", {name}: {own}"),
            (false, true) => format!(", {name}: {own} | None"),
            (true, false) => format!(", {name}: {own} | None = None"),
            (true, true) => format!(", {name}: {own} | None | typed.Omitted = typed.OMITTED"),
        }
    };
    let mut text: String = positions.iter().map(one).collect();
    if !others.is_empty() || !options.is_empty() {
        text += ", *";
    }
    text.extend(others.iter().map(one));
    for option in options {
        let own = if *option == "cursor" { "str" } else { "int" };
        let _ = write!(text, ", {option}: {own} | None = None");
    }
    text
}

/// The documentation of a call: the design's comment, its plan, its units, its errors.
fn documented(call: &Call, names: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = call.docs.iter().cloned().collect();
    if lines.is_empty() {
        lines.push(format!("`{}` of the design.", call.own));
    }
    lines.push(String::new());
    lines.extend(call.plan.iter().map(|line| format!("- {line}")));
    lines.extend(docs::facts(call, docs::spelled(call, names), |errors| format!("Raises {errors}.")));
    lines
}
