//! The names of errors: those that a design declares with `else`, and those that every operation can return.

use std::collections::BTreeSet;

use super::Elaboration;
use crate::facts::{actions, calls};
use crate::model::{Design, Entity, Name, Operation, Stmt, StmtKind};
use crate::program::{ErrorId, Id};

/// The maximum depth to which called operations are searched for errors.
const MAX_CALLS: usize = 4;

/// The errors that an operation can return without declaring them.
const BUILT_IN: [&str; 14] = [
    "NotFound",
    "AlreadyExists",
    "InvalidTransition",
    "CheckFailed",
    "Forbidden",
    "Unauthenticated",
    "Invalid",
    "Conflict",
    "TooLarge",
    "Throttled",
    "Unavailable",
    "Internal",
    "Refused",
    "Unsupported",
];

impl<'a> Elaboration<'a, '_> {
    /// The id of an error.
    pub(super) fn error(&mut self, name: &Name) -> ErrorId {
        let known = self.errors.iter().position(|each| name.is(each));
        ErrorId::new(known.unwrap_or_else(|| {
            self.errors.push(name.text.as_str().into());
            self.errors.len() - 1
        }))
    }

    /// Checks that the error of `expect ... fails Name` can occur.
    pub(super) fn known_error(&mut self, error: &Name) {
        let mut known: BTreeSet<&str> = BUILT_IN.into_iter().collect();
        for operation in &self.design.operations {
            known.extend(raised(self.design, operation));
        }
        // A test also writes items without an operation.
        self.design.entities.iter().for_each(|entity| known.extend(declared(entity)));
        if !known.contains(error.text.as_str()) {
            self.unknown("error", &error.text, error.span, known.into_iter());
        }
    }

    /// Checks that the operation can return the error of `on Name { }`.
    pub(super) fn handled_error(&mut self, operation: &'a Operation, error: &Name) {
        let mut known: BTreeSet<&str> = BUILT_IN.into_iter().collect();
        let mut open = vec![(operation, 0)];
        while let Some((each, depth)) = open.pop() {
            known.extend(raised(self.design, each));
            if depth < MAX_CALLS {
                let called = calls(each).into_iter().filter_map(|name| self.design.operation(name));
                open.extend(called.map(|called| (called, depth + 1)));
            }
        }
        if !known.contains(error.text.as_str()) {
            self.unknown(
                &format!("error of `{}`", operation.name),
                &error.text,
                error.span,
                known.into_iter(),
            );
        }
    }
}

/// The errors that an operation declares, by its own `else` and by the rules of the entities it writes.
fn raised<'a>(design: &'a Design, operation: &'a Operation) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    let mut open: Vec<&Stmt> = operation.body.iter().collect();
    while let Some(statement) = open.pop() {
        match &statement.kind {
            StmtKind::Let { error, .. } | StmtKind::Require { error, .. } => {
                found.extend(error.iter().map(|name| name.text.as_str()));
            }
            StmtKind::Transact { body } | StmtKind::Each { body, .. } => open.extend(body),
            _ => {}
        }
    }
    for site in actions(operation) {
        found.extend(site.action.error.iter().map(|name| name.text.as_str()));
        let Some(entity) = design.entity(&site.action.entity.text) else {
            continue;
        };
        found.extend(declared(entity));
    }
    found
}

/// The errors that the rules of an entity declare.
fn declared(entity: &Entity) -> impl Iterator<Item = &str> {
    let uniques = entity.uniques.iter().filter_map(|unique| unique.error.as_ref());
    let checks = entity.checks.iter().filter_map(|check| check.error.as_ref());
    uniques.chain(checks).map(|name| name.text.as_str())
}
