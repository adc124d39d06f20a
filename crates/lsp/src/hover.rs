//! Information about a name: templates expanded, the path and cost of a pattern, the requests of an operation, the
//! type of an attribute.

use sortkey_design::model::*;
use sortkey_design::program::{Callee, OperationId, PatternId};
use sortkey_design::{Compilation, Program};
use sortkey_diagnostics::Span;
use sortkey_plan::{read, steps};
use std::fmt::Write as _;

/// The text for a name at a place, as Markdown.
pub(crate) fn hover(compilation: &Compilation, name: &str, at: Span) -> Option<String> {
    let design = &compilation.design;
    match compilation.program.callee(name) {
        Some(Callee::Pattern(id)) => return Some(of_pattern(&compilation.program, id)),
        Some(Callee::Operation(id)) => return Some(of_operation(&compilation.program, id)),
        Some(Callee::Effect(_)) | None => {}
    }
    if let Some(entity) = design.entity(name) {
        return Some(of_entity(design, entity));
    }
    if let Some(table) = design.table(name) {
        return Some(of_table(table));
    }
    let entity = design.entities.iter().find(|entity| entity.span.contains(at)).or_else(|| {
        let pattern = design.patterns.iter().find(|pattern| pattern.span.contains(at))?;
        design.entity(&pattern.entities.first()?.text)
    })?;
    entity.attribute(name).map(|attribute| of_attribute(design, entity, attribute))
}

fn of_pattern(program: &Program, id: PatternId) -> String {
    let pattern = &program.patterns[id];
    let docs = pattern.docs.as_ref().map(|docs| format!("{docs}\n\n")).unwrap_or_default();
    match read(program, id).and_then(|choice| choice.plan) {
        Some(plan) => {
            let consistency = if plan.strong { "strongly consistent" } else { "eventually consistent" };
            let cost = plan.cost;
            format!(
                "{docs}**{}** through `{}`\n\n{consistency}, {} requests, {} RCU",
                pattern.name,
                plan.path.describe(program),
                cost.requests,
                cost.rcu
            )
        }
        None => format!("{docs}**{}** has no path", pattern.name),
    }
}

fn of_operation(program: &Program, id: OperationId) -> String {
    let docs = program.operations[id].docs.as_ref();
    let mut text = docs.map(|docs| format!("{docs}\n\n")).unwrap_or_default();
    for step in steps(program, id) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- {}: {}", step.request, step.items.join("; "));
    }
    text
}

fn of_entity(design: &Design, entity: &Entity) -> String {
    let mut text = entity.docs.as_ref().map(|docs| format!("{docs}\n\n")).unwrap_or_default();
    let _ = writeln!(text, "in `{}`\n", entity.table);
    if let Some(table) = design.table_of(entity) {
        for name in table.key.attributes() {
            let value = entity.template(&name.text).map_or_else(|| format!("{{{name}}}"), Template::text);
            let _ = writeln!(text, "- `{name}` = `{value}`");
        }
    }
    text
}

fn of_table(table: &Table) -> String {
    let shape = |key: &Key| {
        let names =
            |names: &[Name]| names.iter().map(|name| name.text.as_str()).collect::<Vec<_>>().join(", ");
        if key.sort.is_empty() {
            names(&key.partition)
        } else {
            format!("{} | {}", names(&key.partition), names(&key.sort))
        }
    };
    let mut text = table.docs.as_ref().map(|docs| format!("{docs}\n\n")).unwrap_or_default();
    let _ = writeln!(text, "key `({})`\n", shape(&table.key));
    for index in &table.indexes {
        let _ = writeln!(text, "- {} `({})`", index.name, shape(&index.key));
    }
    text
}

fn of_attribute(design: &Design, entity: &Entity, attribute: &Attribute) -> String {
    let ty = design.type_of(attribute);
    let optional = if attribute.may_be_absent() { ", may be absent" } else { "" };
    let refers =
        attribute.reference.as_ref().map(|each| format!(", refers to `{}`", each.entity)).unwrap_or_default();
    format!(
        "**{}.{}** `{}` (stored as {:?}){optional}{refers}",
        entity.name,
        attribute.name,
        ty.describe(),
        ty.stored()
    )
}
