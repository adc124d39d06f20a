//! The statements of operations and tests, in the order in which they run.

use super::{Elaboration, Wanted};
use crate::model::{self, StmtKind};
use crate::problems::{ABSENT, ARGUMENT, MISMATCH, NOT_SETTABLE, UNKNOWN};
use crate::program::{AttributeId, Expr, LocalId, Statement, StatementKind, Ty, Value};

impl<'a> Elaboration<'a, '_> {
    /// The parser bounds how deep blocks nest, so this may recurse.
    pub(super) fn body(&mut self, body: &'a [model::Stmt]) -> Vec<Statement> {
        let mut statements = Vec::with_capacity(body.len());
        for statement in body {
            if let Some(kind) = self.statement(statement) {
                statements.push(Statement { kind, span: statement.span });
            }
        }
        statements
    }

    fn statement(&mut self, statement: &'a model::Stmt) -> Option<StatementKind> {
        Some(match &statement.kind {
            StmtKind::Let { name, value, error } => {
                let (value, ty) = self.value(value);
                let local = self.bind(name, ty);
                if error.is_none() && value.as_ref().is_some_and(|value| self.finds_perhaps(value)) {
                    self.unsure.push(local);
                }
                if let Some(Value::Action(action)) = &value {
                    self.will_change(local, action);
                }
                let error = error.as_ref().map(|error| self.error(error));
                StatementKind::Let { local, name: name.text.as_str().into(), value: value?, error }
            }
            StmtKind::Do { value } => StatementKind::Do(self.value(value).0?),
            StmtKind::Transact { body } => {
                let outer = std::mem::replace(&mut self.scope.in_transaction, true);
                let body = self.body(body);
                self.scope.in_transaction = outer;
                self.unsent.clear();
                self.items_once(&body);
                StatementKind::Transact(body)
            }
            StmtKind::Each { name, list, body } => self.each(name, list, body),
            StmtKind::Require { condition, error } => {
                let condition = self.condition(condition);
                self.asked.about(&condition);
                StatementKind::Require { condition, error: error.as_ref().map(|error| self.error(error)) }
            }
            StmtKind::Return { value } => StatementKind::Return(self.infer(value, None)),
            StmtKind::Expect { value, fails, using } => {
                let before = self.problems.len();
                let (value, _) = self.value(value);
                if fails.as_ref().is_some_and(|error| error.is("Invalid")) {
                    self.forgive_wrong_values(before);
                }
                fails.iter().for_each(|error| self.known_error(error));
                let fails = fails.as_ref().map(|error| self.error(error));
                StatementKind::Expect { value: value?, fails, using: *using }
            }
            StmtKind::Given { effect, args, result, fails } => {
                self.given(effect, args, result.as_ref(), fails.as_ref())?
            }
            StmtKind::Did { effect, args, times } => self.did(effect, args, *times)?,
            StmtKind::Work => StatementKind::Work,
            StmtKind::Advance { by_ms } => StatementKind::Advance { by_ms: *by_ms },
            StmtKind::As { caller, body } => {
                let caller = self.caller_of(caller);
                let system = std::mem::replace(&mut self.scope.system, false);
                let body = self.body(body);
                self.scope.system = system;
                StatementKind::As { caller, body }
            }
            StmtKind::Race { bodies, succeeds } => {
                let outer = self.scope.locals.len();
                let mut raced = Vec::with_capacity(bodies.len());
                for body in bodies {
                    raced.push(self.body(body));
                    self.scope.locals.truncate(outer);
                }
                if *succeeds > bodies.len() as u64 {
                    let title = format!("{succeeds} of {} cannot succeed", bodies.len());
                    self.push(ARGUMENT.at(statement.span, title));
                }
                StatementKind::Race { bodies: raced, succeeds: *succeeds }
            }
        })
    }

    /// Drops reports of wrong values: a test that expects `Invalid` gives them on purpose.
    fn forgive_wrong_values(&mut self, from: usize) {
        let on_purpose = [MISMATCH.name, ARGUMENT.name, ABSENT.name, UNKNOWN.name, NOT_SETTABLE.name];
        let found = self.problems.split_off(from);
        self.problems.extend(found.into_iter().filter(|problem| !on_purpose.contains(&problem.rule)));
    }

    fn value(&mut self, value: &'a model::Value) -> (Option<Value>, Ty) {
        match value {
            model::Value::Action(action) => match self.action(action) {
                Some(action) => {
                    let ty = Ty::Item(action.entity);
                    (Some(Value::Action(Box::new(action))), ty)
                }
                None => (None, Ty::Unknown),
            },
            model::Value::Expr(expr) => {
                let expr = match &expr.kind {
                    model::ExprKind::Do { call } => self.act(call, expr.span),
                    _ => self.infer(expr, None),
                };
                let ty = expr.ty.clone();
                (Some(Value::Expr(expr)), ty)
            }
        }
    }

    fn each(
        &mut self,
        name: &'a model::Name,
        list: &'a model::Expr,
        body: &'a [model::Stmt],
    ) -> StatementKind {
        let list = self.infer(list, None);
        let element = match list.ty.element() {
            Some(element) => element,
            None => {
                let title = format!("`each` goes through a list or a set, not {}", self.named(&list.ty));
                self.push(MISMATCH.at(list.span, title));
                Ty::Unknown
            }
        };
        let outer = self.scope.locals.len();
        let local = self.bind(name, element);
        let body = self.body(body);
        self.scope.locals.truncate(outer);
        StatementKind::Each { local, list, body }
    }

    /// Checks the arguments of `as (userId: x)` against the declaration of `caller`.
    fn caller_of(&mut self, args: &'a model::Args) -> Vec<(AttributeId, Expr)> {
        let program = self.program;
        let mut parts: Vec<(AttributeId, Expr)> = Vec::new();
        for spread in &args.spreads {
            self.push(ARGUMENT.at(spread.span, "`as` names each part of the caller"));
        }
        for (at, (name, value)) in args.values.iter().enumerate() {
            // A bare name refers to the part of that name.
            let bare = value.as_name().and_then(|bare| program.caller.find(bare));
            let id = match name {
                Some(name) => program.caller.find(&name.text),
                None => bare.or_else(|| program.caller.entries().nth(at).map(|(id, _)| id)),
            };
            match (id, name) {
                (Some(id), _) => {
                    let attribute = &program.caller[id];
                    if parts.iter().any(|(earlier, _)| *earlier == id) {
                        self.push(ARGUMENT.at(value.span, format!("`{}` is given twice", attribute.name)));
                    }
                    let wanted = Wanted::attribute(program, attribute, attribute.span);
                    parts.push((id, self.want(value, &wanted)));
                }
                (None, Some(name)) => {
                    let known = program.caller.iter().map(|attribute| &*attribute.name);
                    self.unknown("part of the caller", &name.text, name.span, known);
                }
                (None, None) => {
                    let title = format!("a caller has {} parts", program.caller.len());
                    self.push(ARGUMENT.at(value.span, title));
                }
            }
        }
        parts
    }

    /// The span of a local's declaration, if it is an optional parameter without a default.
    pub(super) fn optional_parameter(&self, local: LocalId) -> Option<sortkey_diagnostics::Span> {
        let found = self.scope.locals.iter().find(|each| each.id == local)?;
        self.optional.contains(&local).then_some(found.span)
    }
}
