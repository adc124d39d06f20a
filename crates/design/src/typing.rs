//! Types inside expressions: in entities, patterns, rules, operations, tests and migrations.
//!
//! Every expression is either wanted to be of a declared type, and checked against it, or free, and its type found
//! out. What is unknown agrees with everything, so that one mistake gives one diagnostic.

mod actions;
mod calls;
mod declarations;
mod errors;
mod functions;
mod infer;
mod literals;
mod migrations;
mod names;
mod scope;
mod statements;
mod ty;
mod wanted;

use crate::model::*;
use crate::problems::{MISMATCH, UNKNOWN, nearest};
use scope::Scope;
use sortkey_diagnostics::{Diagnostic, Fix, Span};
use std::collections::HashSet;
use ty::Ty;
use wanted::Wanted;

/// Reports every expression that cannot mean what its place needs.
pub(crate) fn check(design: &Design, problems: &mut Vec<Diagnostic>) {
    let words = scope::words(design);
    let mut typing = Typing { design, declaring: design, problems, words, scope: Scope::default() };
    design.records.iter().for_each(|record| typing.attributes(&record.attributes));
    design.entities.iter().for_each(|entity| typing.entity(entity));
    design.patterns.iter().for_each(|pattern| typing.pattern(pattern));
    design.rules.iter().for_each(|rule| typing.rule(rule));
    design.operations.iter().for_each(|operation| typing.operation(operation));
    design.tests.iter().for_each(|test| typing.test(test));
    design.migrations.iter().for_each(|migration| typing.migration(migration));
}

struct Typing<'a, 'p> {
    design: &'a Design,
    /// Where the types of what is wanted are declared: in a migration the new design, though names mean the old one.
    declaring: &'a Design,
    problems: &'p mut Vec<Diagnostic>,
    /// The words of all enums.
    words: HashSet<&'a str>,
    scope: Scope<'a>,
}

impl<'a> Typing<'a, '_> {
    fn push(&mut self, diagnostic: Diagnostic) {
        self.problems.push(diagnostic);
    }

    /// Does something in another scope.
    fn within<T>(&mut self, scope: Scope<'a>, act: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.scope, scope);
        let result = act(self);
        self.scope = outer;
        result
    }

    /// Does something with the attributes of an entity in reach.
    fn with_item<T>(&mut self, entity: &'a Entity, act: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.scope.item.replace(scope::ItemScope::of(entity));
        let result = act(self);
        self.scope.item = outer;
        result
    }

    /// A condition is true or false.
    fn condition(&mut self, expr: &'a Expr) {
        let ty = self.infer(expr, None);
        if !matches!(ty.kind(), ty::Kind::Bool | ty::Kind::Any) {
            let title = format!("a condition is true or false, not {}", ty.named());
            self.push(MISMATCH.at(expr.span, title).label("compare it with something"));
        }
    }

    fn unknown<'n>(&mut self, what: &str, text: &str, span: Span, known: impl Iterator<Item = &'n str>) {
        if text.is_empty() {
            return;
        }
        let problem = UNKNOWN.at(span, format!("there is no {what} called `{text}`"));
        let problem = did_you_mean(problem, span, nearest(text, known));
        self.push(problem);
    }
}

/// Offers the nearest name.
fn did_you_mean(problem: Diagnostic, span: Span, near: Option<&str>) -> Diagnostic {
    match near {
        Some(near) => problem.label(format!("did you mean `{near}`?")).fix(Fix::new(
            format!("write `{near}`"),
            span,
            near,
        )),
        None => problem,
    }
}
