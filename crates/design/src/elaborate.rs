//! From a design to a program: names resolved, expressions typed, calls bound to parameters.
//!
//! Declarations come first, without their expressions, so that everything can be named. Then come the expressions: each is
//! either checked against a declared type or has its type inferred. The unknown type agrees with every other, so that one
//! mistake gives one diagnostic. The result is complete if nothing was reported.

mod absence;
mod actions;
mod bodies;
mod calls;
mod circles;
mod declarations;
mod deleted;
mod errors;
mod expand;
mod functions;
mod infer;
mod literals;
mod live;
mod migrations;
mod names;
mod patterns;
mod results;
mod scope;
mod signatures;
mod skeleton;
mod statements;
mod transactions;
mod types;
mod wanted;

use std::collections::HashSet;
use std::sync::Arc;

use sortkey_diagnostics::{Diagnostic, Fix, Span};

use crate::model::{self, Design};
use crate::problems::{MISMATCH, UNKNOWN, nearest};
use crate::program::{EntityId, Expr, ExprKind, Kind, Program, Ty};
use scope::{ItemScope, Scope};
use types::Types;
use wanted::Wanted;

/// Elaborates a design into a program, and reports every expression that does not fit its position.
pub(crate) fn elaborate(design: &Arc<Design>, problems: &mut Vec<Diagnostic>) -> Program {
    let (skeleton, types) = skeleton::program(design);
    let words = scope::words(design);
    let mut typing = Elaboration {
        design,
        program: &skeleton,
        declaring: &skeleton,
        types: &types,
        problems,
        words,
        scope: Scope::default(),
        locals: 0,
        optional: Vec::new(),
        unsure: Vec::new(),
        asked: absence::Asked::default(),
        unsent: Vec::new(),
        lenient: false,
        errors: Vec::new(),
    };
    let bodies = typing.bodies();
    let migrations = design.migrations.iter().map(|migration| typing.migration(migration)).collect();
    let errors = typing.errors;
    let mut program = bodies.complete(skeleton, errors);
    program.migrations = migrations;
    circles::report(&program, problems);
    expand::rules(&mut program);
    program
}

struct Elaboration<'a, 'p> {
    /// The design in which names are resolved.
    design: &'a Design,
    /// The declarations of that design.
    program: &'a Program,
    /// The program that declares the expected types: in a migration the new one, though names refer to the old one.
    declaring: &'a Program,
    types: &'a Types<'a>,
    problems: &'p mut Vec<Diagnostic>,
    /// The words of all enums.
    words: HashSet<&'a str>,
    scope: Scope,
    /// How many locals the current body has.
    locals: usize,
    /// Parameters of the current operation that are absent if they are left out.
    optional: Vec<crate::program::LocalId>,
    /// `let`s of the current operation that may have found nothing.
    unsure: Vec<crate::program::LocalId>,
    /// The locals and attributes whose presence a condition has checked.
    asked: absence::Asked,
    /// The items that the current transaction changes, and the values known before it is sent.
    unsent: Vec<transactions::Unsent>,
    /// Whether an absent value is accepted: in a rule it is false.
    lenient: bool,
    /// The names of errors, in the order of their ids.
    errors: Vec<Arc<str>>,
}

impl<'a> Elaboration<'a, '_> {
    fn push(&mut self, diagnostic: Diagnostic) {
        self.problems.push(diagnostic);
    }

    /// Runs `act` in another scope.
    fn within<T>(&mut self, scope: Scope, act: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.scope, scope);
        let result = act(self);
        self.scope = outer;
        result
    }

    /// Runs `act` with the attributes of an entity in scope.
    fn with_item<T>(&mut self, entity: EntityId, act: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.scope.item.replace(ItemScope::Entity(entity));
        let result = act(self);
        self.scope.item = outer;
        result
    }

    /// Runs `act` again for another entity, and drops its reports, which would repeat earlier ones.
    fn silently<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.problems.len();
        let result = act(self);
        self.problems.truncate(before);
        result
    }

    /// Elaborates a condition, which must be a boolean.
    fn condition(&mut self, expr: &'a model::Expr) -> Expr {
        let condition = self.infer(expr, None);
        if !matches!(condition.ty.kind(), Kind::Bool | Kind::Any) {
            let title = format!("a condition is true or false, not {}", self.named(&condition.ty));
            self.push(MISMATCH.at(expr.span, title).label("compare it with something"));
        }
        condition
    }

    /// The name of a type in messages, with its article.
    fn named(&self, ty: &Ty) -> String {
        ty.named(self.program)
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

/// An expression of a type.
fn typed(kind: ExprKind, ty: Ty, span: Span) -> Expr {
    Expr { kind, ty, span }
}

/// A placeholder for an expression that could not be resolved.
fn missing(span: Span) -> Expr {
    Expr { span, ..Expr::default() }
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
