//! Workers and their effects: what starts them, what they leave behind, how long they may take.

mod due_item_stays_due;
mod due_without_path;
mod lease_shorter_than_effects;
mod secret_in_effect;
mod worker_starts_itself;
mod worker_without_stream;

use sortkey_design::facts::{actions, calls};
use sortkey_design::model::{Design, ExprKind, Name, Operation, Stmt, StmtKind, Value};

use crate::Lint;

/// The rules of this theme; the order is the order of their codes.
pub(crate) const LINTS: &[&Lint] = &[
    &due_without_path::LINT,
    &worker_without_stream::LINT,
    &due_item_stays_due::LINT,
    &lease_shorter_than_effects::LINT,
    &worker_starts_itself::LINT,
    &secret_in_effect::LINT,
];

/// How far calls of operations are followed.
const MAX_CALLS: usize = 4;

/// Whether an operation writes items of an entity, itself or in what it calls.
fn writes(design: &Design, operation: &Operation, entity: &Name, depth: usize) -> bool {
    let own =
        actions(operation).iter().any(|site| site.action.verb.writes() && site.action.entity == *entity);
    let called = || calls(operation).into_iter().filter_map(|name| design.operation(name));
    own || (depth < MAX_CALLS && called().any(|each| writes(design, each, entity, depth + 1)))
}

/// Calls `found` with the name of every effect of a body. The parser bounds how deep blocks nest.
fn done<'a>(body: &'a [Stmt], found: &mut dyn FnMut(&'a str)) {
    for statement in body {
        match &statement.kind {
            StmtKind::Let { value: Value::Expr(expr), .. } | StmtKind::Do { value: Value::Expr(expr) } => {
                if let ExprKind::Do { call } = &expr.kind
                    && let ExprKind::Call { callee, .. } = &call.kind
                {
                    found(callee.as_name().unwrap_or_default());
                }
            }
            StmtKind::Each { body, .. } | StmtKind::Transact { body } => done(body, found),
            _ => {}
        }
    }
}
