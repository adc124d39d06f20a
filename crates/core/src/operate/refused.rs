//! Failures of statements, in words that callers understand.

use sortkey_design::Program;
use sortkey_design::program::{Callee, ErrorId, Expr, ExprKind, Value};

use crate::{Failure, FailureKind};

/// The failure of a write whose item keeps changing.
pub(super) fn again_and_again() -> Failure {
    Failure::new(FailureKind::Conflict, "the item was changed by others again and again; try later")
}

/// The failure of an error that the design declares.
pub(super) fn raised(program: &Program, error: ErrorId, message: String) -> Failure {
    Failure::new(FailureKind::of_name(&program.errors[error]), message)
}

/// The name of the entity that a `let` looks for, for messages: callers do not see the operation's own names.
pub(super) fn looked_for<'p>(program: &'p Program, value: &Value) -> Option<&'p str> {
    let Value::Expr(Expr { kind: ExprKind::Call { callee: Callee::Pattern(id), .. }, .. }) = value else {
        return None;
    };
    match program.patterns[*id].entities.as_slice() {
        [entity] => Some(&program.entities[*entity].name),
        _ => None,
    }
}
