//! The errors that an operation can end with by the design's own words: `else` names, and the failures of its verbs.

use std::collections::BTreeSet;

use sortkey_design::Program;
use sortkey_design::model::WriteVerb;
use sortkey_design::program::{
    Action, Callee, ErrorId, Expr, ExprKind, OperationId, Statement, StatementKind, Value,
};

use crate::FailureKind;

/// The kinds of failures that an operation declares, each once, those with names of the design last and by name.
pub fn declared_errors(program: &Program, operation: OperationId) -> Vec<FailureKind> {
    let mut found = Found::default();
    let mut seen = vec![operation];
    found.called.push(operation);
    // The errors of the operations that it calls are its errors too.
    while let Some(id) = found.called.pop() {
        let operation = &program.operations[id];
        let handlers = operation.handlers.iter().map(|(_, body)| body);
        std::iter::once(&operation.body).chain(handlers).for_each(|body| found.body(program, body));
        found.called.retain(|called| !seen.contains(called));
        seen.extend(&found.called);
    }
    let mut names: Vec<_> = found.errors.iter().map(|error| &*program.errors[*error]).collect();
    sortkey_value::order::sort(&mut names);
    let mut kinds: Vec<FailureKind> = Vec::new();
    for kind in found.kinds.into_iter().chain(names.into_iter().map(FailureKind::of_name)) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

#[derive(Default)]
struct Found {
    errors: BTreeSet<ErrorId>,
    kinds: Vec<FailureKind>,
    called: Vec<OperationId>,
}

impl Found {
    /// The parser bounds how deep blocks nest, so this may recurse.
    fn body(&mut self, program: &Program, body: &[Statement]) {
        for statement in body {
            match &statement.kind {
                StatementKind::Let { value, error, .. } => {
                    self.errors.extend(error);
                    self.value(program, value);
                }
                StatementKind::Do(value) | StatementKind::Expect { value, .. } => self.value(program, value),
                StatementKind::Require { condition, error } => {
                    self.errors.extend(error);
                    self.calls(condition);
                }
                StatementKind::Return(expr) => self.calls(expr),
                StatementKind::Each { list, body, .. } => {
                    self.calls(list);
                    self.body(program, body);
                }
                StatementKind::Transact(body) | StatementKind::As { body, .. } => self.body(program, body),
                StatementKind::Race { bodies, .. } => {
                    bodies.iter().for_each(|body| self.body(program, body));
                }
                StatementKind::Advance { .. }
                | StatementKind::Given { .. }
                | StatementKind::Did { .. }
                | StatementKind::Work => {}
            }
        }
    }

    fn value(&mut self, program: &Program, value: &Value) {
        match value {
            Value::Action(action) => self.action(program, action),
            Value::Expr(expr) => self.calls(expr),
        }
    }

    fn action(&mut self, program: &Program, action: &Action) {
        self.errors.extend(action.error);
        self.kinds.extend(match action.verb {
            WriteVerb::Create => Some(FailureKind::AlreadyExists),
            WriteVerb::Update | WriteVerb::Delete | WriteVerb::Purge => Some(FailureKind::NotFound),
            WriteVerb::Check if action.error.is_none() => Some(FailureKind::CheckFailed),
            _ => None,
        });
        let entity = &program.entities[action.entity];
        if matches!(action.verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Update | WriteVerb::Upsert) {
            self.errors.extend(entity.uniques.iter().filter_map(|unique| unique.error));
            self.errors.extend(entity.checks.iter().filter_map(|check| check.error));
        }
        let sets = |id| {
            action.fields.iter().any(|field| field.path.attribute == id)
                || action.takes.iter().any(|(taken, _)| *taken == id)
        };
        if action.verb == WriteVerb::Update && entity.states.iter().any(|states| sets(states.path.attribute))
        {
            self.kinds.push(FailureKind::InvalidTransition);
        }
        action.when.iter().chain(&action.condition).for_each(|expr| self.calls(expr));
        action.fields.iter().for_each(|field| self.calls(&field.value));
    }

    fn calls(&mut self, expr: &Expr) {
        expr.walk(&mut |each| {
            if let ExprKind::Call { callee: Callee::Operation(id), .. } = each.kind {
                self.called.push(id);
            }
        });
    }
}
