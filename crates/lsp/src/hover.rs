//! What a name is: templates expanded, the path and cost of a pattern, the requests of an operation, the type of an
//! attribute.

use sortkey_design::Compilation;
use sortkey_design::model::*;
use sortkey_design::plan::{read, write};
use sortkey_diagnostics::Span;
use std::fmt::Write as _;

/// The text for a name at a place, as Markdown.
pub(crate) fn hover(compilation: &Compilation, name: &str, at: Span) -> Option<String> {
    let design = &compilation.design;
    if let Some(pattern) = design.pattern(name) {
        return Some(of_pattern(design, pattern));
    }
    if let Some(operation) = design.operation(name) {
        return Some(of_operation(design, operation));
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

fn of_pattern(design: &Design, pattern: &Pattern) -> String {
    let docs = pattern.docs.as_ref().map(|docs| format!("{docs}\n\n")).unwrap_or_default();
    match read(design, pattern).and_then(|choice| choice.plan) {
        Some(plan) => {
            let consistency = if pattern.strong { "strongly consistent" } else { "eventually consistent" };
            let cost = plan.cost;
            format!(
                "{docs}**{}** through `{}`\n\n{consistency}, {} requests, {} RCU",
                pattern.name,
                plan.path.describe(),
                cost.requests,
                cost.rcu
            )
        }
        None => format!("{docs}**{}** has no path", pattern.name),
    }
}

fn of_operation(design: &Design, operation: &Operation) -> String {
    let mut text = operation.docs.as_ref().map(|docs| format!("{docs}\n\n")).unwrap_or_default();
    for step in write(design, operation) {
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
