//! Patterns, operations and the caller: what programs that use a design notice. Stored items are never affected.

use serde::Serialize;
use sortkey_design::Program;
use sortkey_design::program::{Arena, Attributes, Callee, Parameter, ParameterId, Type};
use sortkey_diagnostics::Span;

use crate::show::type_change;
use crate::types::{Fit, fit};
use crate::{Class, Difference};

/// No item changes when a call does.
const EFFECT: &str = "stored items are not affected";

/// Compares what can be called, and who calls.
pub(crate) fn compare(old: &Program, new: &Program, found: &mut Vec<Difference>) {
    for (kind, callee, name, span) in callees(new) {
        let subject = format!("{kind} {name}");
        let Some(before) = callees(old).find(|each| each.2 == name && each.0 == kind).map(|each| each.1)
        else {
            found.push(Difference::new(Class::Nothing, subject, "is new", EFFECT).at(span));
            continue;
        };
        let breaks =
            parameters((old, &old.signature(before).parameters), (new, &new.signature(callee).parameters));
        if !breaks.is_empty() {
            let difference = Difference::new(Class::Nothing, subject, "takes other arguments", EFFECT);
            found.push(difference.breaking(breaks.join("; ")).at(span));
        } else if body(old, before) != body(new, callee) {
            found.push(Difference::new(Class::Nothing, subject, "does something else", EFFECT).at(span));
        }
    }
    for (kind, _, name, span) in callees(old) {
        if !callees(new).any(|each| each.2 == name && each.0 == kind) {
            let difference = Difference::new(Class::Nothing, format!("{kind} {name}"), "is gone", EFFECT);
            found.push(difference.breaking("calls of it fail").at(span));
        }
    }
    caller((old, &old.caller), (new, &new.caller), found);
}

/// All callables: the kind, the id, the name and the place of the declaration.
fn callees(program: &Program) -> impl Iterator<Item = (&'static str, Callee, &str, Span)> {
    let patterns = program.patterns.entries().zip(&program.design.patterns);
    let patterns = patterns.filter(|(_, source)| !source.internal);
    let patterns =
        patterns.map(|((id, each), source)| ("pattern", Callee::Pattern(id), &*each.name, source.name.span));
    let operations = program.operations.entries().zip(&program.design.operations);
    let operations = operations.filter(|(_, source)| !source.internal);
    let operations = operations
        .map(|((id, each), source)| ("operation", Callee::Operation(id), &*each.name, source.name.span));
    patterns.chain(operations)
}

/// The problems of callers with the old arguments.
fn parameters(
    (old_program, old): (&Program, &Arena<ParameterId, Parameter>),
    (new_program, new): (&Program, &Arena<ParameterId, Parameter>),
) -> Vec<String> {
    let mut breaks = Vec::new();
    for parameter in new.iter() {
        let name = &parameter.name;
        let Some(before) = old.iter().find(|each| each.name == *name) else {
            if !parameter.optional && parameter.default.is_none() && parameter.of_caller.is_none() {
                breaks.push(format!("`{name}` must be given"));
            }
            continue;
        };
        if before.optional && !parameter.optional && parameter.default.is_none() {
            breaks.push(format!("`{name}` must be given"));
        }
        let (was, is) = ((old_program, &*before.ty), (new_program, &*parameter.ty));
        match fit(was, is) {
            Fit::Same | Fit::Wider => {}
            // Both types have the same name; their contents differ.
            Fit::Narrower(why) | Fit::OtherForm(why) if matches!(*parameter.ty, Type::Input { .. }) => {
                breaks.push(format!("`{name}`: {}", why.join(", ")));
            }
            Fit::Narrower(_) | Fit::OtherForm(_) => {
                breaks.push(format!("`{name}`: {}", type_change(was, is)))
            }
        }
    }
    let gone = old.iter().filter(|each| !new.iter().any(|other| other.name == each.name));
    breaks.extend(gone.map(|each| format!("`{}` is not taken any more", each.name)));
    breaks
}

/// A declaration as data, without the places of its parts and without what does not affect answers.
fn body(program: &Program, callee: Callee) -> Option<serde_json::Value> {
    use sortkey_design::program::Id;
    let mut body = match callee {
        Callee::Pattern(id) => data(program.design.patterns.get(id.at())?),
        Callee::Operation(id) => data(program.design.operations.get(id.at())?),
        Callee::Effect(id) => data(program.design.effects.get(id.at())?),
    }?;
    for ignored in ["docs", "load"] {
        body.as_object_mut()?.remove(ignored);
    }
    Some(body)
}

fn data(declaration: &impl Serialize) -> Option<serde_json::Value> {
    serde_json::to_value(declaration).ok()
}

fn caller(
    (old_program, old): (&Program, &Attributes),
    (new_program, new): (&Program, &Attributes),
    found: &mut Vec<Difference>,
) {
    for attribute in new.iter() {
        let subject = format!("caller.{}", attribute.name);
        let one = |change: String, breaks: Option<&str>| {
            let difference = Difference::new(Class::Nothing, &subject, change, EFFECT).at(attribute.span);
            Difference { breaks: breaks.map(str::to_owned), ..difference }
        };
        let Some(before) = old.find(&attribute.name).map(|id| &old[id]) else {
            let must = !attribute.may_be_absent();
            found.push(one("is new".to_owned(), must.then_some("every caller must have it")));
            continue;
        };
        let change = || type_change((old_program, &before.ty), (new_program, &attribute.ty));
        match fit((old_program, &before.ty), (new_program, &attribute.ty)) {
            Fit::Same => {}
            Fit::Wider => found.push(one(change(), None)),
            Fit::Narrower(_) | Fit::OtherForm(_) => {
                found.push(one(change(), Some("callers with other values are refused")));
            }
        }
    }
    for attribute in old.iter().filter(|attribute| new.find(&attribute.name).is_none()) {
        let subject = format!("caller.{}", attribute.name);
        let breaks = "callers that have it are refused";
        found.push(
            Difference::new(Class::Nothing, subject, "is gone", EFFECT).breaking(breaks).at(attribute.span),
        );
    }
}
