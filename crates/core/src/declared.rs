//! The errors that a declaration can end with by the design's own words: `else` names, and the failures of its verbs.

use std::collections::BTreeSet;

use sortkey_design::Design;
use sortkey_design::facts::{actions, calls};
use sortkey_design::model::{Operation, Stmt, StmtKind, WriteVerb};

use crate::FailureKind;

/// The kinds of failures that an operation declares, each once, by name.
pub fn declared_errors(design: &Design, operation: &Operation) -> Vec<FailureKind> {
    let mut names = BTreeSet::new();
    let mut kinds = Vec::new();
    let mut seen = BTreeSet::from([operation.name.text.as_str()]);
    let mut open = vec![operation];
    // The errors of the operations that it calls are its errors too.
    while let Some(operation) = open.pop() {
        own(design, operation, &mut names, &mut kinds);
        let called = calls(operation).into_iter().filter_map(|name| design.operation(name));
        open.extend(called.filter(|called| seen.insert(called.name.text.as_str())));
    }
    kinds.extend(names.into_iter().map(FailureKind::Declared));
    let mut seen = BTreeSet::new();
    kinds.retain(|kind| seen.insert(kind.name().to_owned()));
    kinds
}

/// The errors of an operation's own statements.
fn own(design: &Design, operation: &Operation, names: &mut BTreeSet<String>, kinds: &mut Vec<FailureKind>) {
    statements(&operation.body, &mut |name| {
        names.insert(name.to_owned());
    });
    for site in actions(operation) {
        let action = site.action;
        names.extend(action.error.iter().map(|name| name.text.clone()));
        kinds.extend(match action.verb {
            WriteVerb::Create => Some(FailureKind::AlreadyExists),
            WriteVerb::Update | WriteVerb::Delete | WriteVerb::Purge => Some(FailureKind::NotFound),
            WriteVerb::Check if action.error.is_none() => Some(FailureKind::CheckFailed),
            _ => None,
        });
        let Some(entity) = design.entity(&action.entity.text) else { continue };
        if matches!(action.verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Update | WriteVerb::Upsert) {
            names
                .extend(entity.uniques.iter().filter_map(|unique| Some(unique.error.as_ref()?.text.clone())));
            names.extend(entity.checks.iter().filter_map(|check| Some(check.error.as_ref()?.text.clone())));
        }
        let moves = |path: &[sortkey_design::model::Name]| {
            path.first().is_some_and(|name| action.fields.get(&name.text).is_some())
        };
        if action.verb == WriteVerb::Update && entity.states.iter().any(|states| moves(&states.path)) {
            kinds.push(FailureKind::InvalidTransition);
        }
    }
}

/// Calls `visit` with the names after `else` of all statements; the parser bounds how deep they nest.
fn statements(body: &[Stmt], visit: &mut dyn FnMut(&str)) {
    let mut open: Vec<&Stmt> = body.iter().collect();
    while let Some(statement) = open.pop() {
        match &statement.kind {
            StmtKind::Let { error, .. } | StmtKind::Require { error, .. } => {
                error.iter().for_each(|name| visit(&name.text));
            }
            StmtKind::Transact { body } | StmtKind::Each { body, .. } => open.extend(body),
            _ => {}
        }
    }
}
