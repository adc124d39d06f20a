//! `types.py`: ids, enums, items and errors.

use std::fmt::Write as _;

use super::text::{docstring, quoted};
use super::{attributes, header, literal, spec, ty};
use crate::client::{Field, RecordId, Role, Surface, Type, pascal};
use crate::files::File;

/// The file of all types.
pub(super) fn file(surface: &Surface) -> File {
    let mut out = format!(
        "{}\n\"\"\"The types of the design `{}`.\"\"\"\n\n\
         # pyright: reportUnusedImport=false\n\
         from __future__ import annotations\n\n\
         import builtins\n\
         from collections.abc import Set as AbstractSet\n\
         from dataclasses import dataclass\n\
         from decimal import Decimal\n\
         from typing import Any, Literal, NewType, TypedDict\n\n\
         from sortkey import Declared, typed\n\n",
        header(surface),
        surface.name,
    );
    for id in &surface.ids {
        let _ = writeln!(out, "{0} = NewType(\"{0}\", str)", id.name);
    }
    for each in &surface.enums {
        let _ = writeln!(out, "{} = {}", each.name, literal(each));
    }
    for id in classes(surface) {
        out += &record(surface, id);
    }
    if !surface.caller.is_empty() {
        out += &caller(surface);
    }
    for name in &surface.errors {
        let _ = write!(
            out,
            "\n\nclass {}(Declared):\n    \"\"\"An error that the design declares.\"\"\"\n\n    kind = {}\n",
            pascal(name),
            quoted(name)
        );
    }
    out += "\n\n# Errors by their names in the design.\nDECLARED: dict[str, type[Declared]] = {\n";
    for name in &surface.errors {
        let _ = writeln!(out, "    {}: {},", quoted(name), pascal(name));
    }
    out += "}\n\n# What attributes are called where they travel, and in which form.\nWIRE = typed.Wire(\n    {\n";
    for id in classes(surface) {
        let (record, fields) = (surface.record(id), surface.fields(id));
        let names = attributes(fields.iter().map(|field| field.name.as_str()));
        let one = |(field, name): (&&Field, &String)| {
            format!("({}, {}, {})", quoted(name), quoted(&field.name), spec(surface, &field.ty, ""))
        };
        let members: Vec<String> = fields.iter().zip(&names).map(one).collect();
        let comma = if members.is_empty() { "" } else { "," };
        let _ = writeln!(out, "        {}: ({}{comma}),", record.name, members.join(", "));
    }
    out += "    }\n)\n";
    File::new("types.py", out)
}

/// The records that are classes. The arguments of a call are one only if they are the type of a parameter:
/// parameters of Python have names.
pub(super) fn classes(surface: &Surface) -> Vec<RecordId> {
    fn mentions(ty: &Type, id: RecordId) -> bool {
        match ty {
            Type::Record(record) => *record == id,
            Type::OneOf(records) => records.contains(&id),
            Type::List(of) | Type::Set(of) | Type::Map(of) => mentions(of, id),
            _ => false,
        }
    }
    let is_used = |id: RecordId| {
        let parameters = surface.every_call().flat_map(|call| &call.parameters).map(|each| &each.ty);
        let fields = surface.records.iter().flat_map(|record| &record.fields).map(|each| &each.ty);
        parameters.chain(fields).any(|ty| mentions(ty, id))
    };
    let all = (0..surface.records.len()).map(RecordId);
    all.filter(|id| surface.record(*id).role != Role::Input || is_used(*id)).collect()
}

/// A dataclass. Fields that it takes from another one are written again, so that all of them are read in one place.
fn record(surface: &Surface, id: RecordId) -> String {
    let record = surface.record(id);
    let fields = surface.fields(id);
    let names = attributes(fields.iter().map(|field| field.name.as_str()));
    let mut docs: Vec<String> = record.docs.iter().cloned().collect();
    docs.extend(about(record.role).map(str::to_owned));
    let base = record.extends.map(|base| surface.record(base).name.clone());
    let mut body = docstring(&docs, "    ");
    if !body.is_empty() {
        body.push('\n');
    }
    for (field, name) in fields.iter().zip(&names) {
        let own = ty(surface, &field.ty, "");
        let rest = match (field.optional, field.nullable) {
            (false, false) => "",
            (false, true) => " | None",
            // In an argument, null removes an attribute, and leaving it out keeps it.
            (true, true) if record.role == Role::Input => " | None | typed.Omitted = typed.OMITTED",
            (true, _) => " | None = None",
        };
        let _ = writeln!(body, "    {name}: {own}{rest}");
    }
    if body.is_empty() {
        body = "    pass\n".to_owned();
    }
    let base = base.map(|base| format!("({base})")).unwrap_or_default();
    format!("\n\n@dataclass(frozen=True, kw_only=True)\nclass {}{base}:\n{body}", record.name)
}

/// The caller as a typed dictionary: its members are named as they travel.
fn caller(surface: &Surface) -> String {
    let members = |optional: bool| -> String {
        let fields = surface.caller.iter().filter(|field| field.optional == optional);
        let one = |field: &Field| {
            let null = if field.nullable { " | None" } else { "" };
            format!("{}: \"{}{null}\"", quoted(&field.name), ty(surface, &field.ty, "").replace('"', "'"))
        };
        fields.map(one).collect::<Vec<_>>().join(", ")
    };
    let (must, may) = (members(false), members(true));
    match may.is_empty() {
        true => format!("\n\nCaller = TypedDict(\"Caller\", {{{must}}})\n"),
        false => format!(
            "\n\n_Caller = TypedDict(\"_Caller\", {{{must}}})\n_Optional = TypedDict(\"_Optional\", {{{may}}}, total=False)\n\n\n\
             class Caller(_Caller, _Optional):\n    \"\"\"Who calls.\"\"\"\n"
        ),
    }
}

fn about(role: Role) -> Option<&'static str> {
    match role {
        Role::Created => Some("With what is returned once, by the call that made the item."),
        Role::Collected => Some("One of several kinds of items."),
        Role::Item | Role::Selected | Role::Value | Role::Input => None,
    }
}
