//! Whether the only write of a worker's body is the last thing that it does.
//!
//! Then that write can give the lease back: nothing is written after it, and nothing after it can fail and start a handler.

use sortkey_design::model::WriteVerb;
use sortkey_design::program::{
    Callee, Expr, ExprKind, OperationId, Program, Statement, StatementKind, Value,
};

/// Whether a body writes at most once, at its end, and so does each of its handlers.
pub(crate) fn writes_last(program: &Program, operation: OperationId) -> bool {
    let operation = &program.operations[operation];
    ends_so(program, &operation.body)
        && operation.handlers.iter().all(|(_, handler)| ends_so(program, handler))
}

/// The compiler refuses calls in a circle and bounds how deep they nest, so this may recurse.
fn ends_so(program: &Program, body: &[Statement]) -> bool {
    let body = match body {
        // A value that is returned without a call was computed before.
        [before @ .., Statement { kind: StatementKind::Return(value), .. }]
            if !calls(value) && !before.is_empty() =>
        {
            before
        }
        body => body,
    };
    let Some((last, before)) = body.split_last() else { return true };
    if before.iter().any(|statement| writes(program, statement)) {
        return false;
    }
    match &last.kind {
        StatementKind::Transact(_) => true,
        StatementKind::Let { value: Value::Action(_), error: None, .. }
        | StatementKind::Do(Value::Action(_)) => true,
        StatementKind::Let { value: Value::Expr(value), error: None, .. }
        | StatementKind::Do(Value::Expr(value))
        | StatementKind::Return(value) => match &value.kind {
            ExprKind::Call { callee: Callee::Operation(id), arguments } => {
                let called = &program.operations[*id];
                let is_quiet = |expr: &Expr| !writes_in(program, expr);
                called.handlers.iter().all(|(_, handler)| !handler.iter().any(|each| writes(program, each)))
                    && arguments.values.iter().all(|(_, value)| is_quiet(value))
                    && ends_so(program, &called.body)
            }
            _ => !writes_in(program, value),
        },
        _ => !writes(program, last),
    }
}

/// Whether a statement may write.
fn writes(program: &Program, statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Let { value, .. } | StatementKind::Do(value) => match value {
            Value::Action(action) => !matches!(action.verb, WriteVerb::Get | WriteVerb::Check),
            Value::Expr(expr) => writes_in(program, expr),
        },
        StatementKind::Require { condition, .. } => writes_in(program, condition),
        StatementKind::Return(value) => writes_in(program, value),
        StatementKind::Transact(_) => true,
        StatementKind::Each { list, body, .. } => {
            writes_in(program, list) || body.iter().any(|each| writes(program, each))
        }
        _ => false,
    }
}

fn writes_in(program: &Program, expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |each| {
        if let ExprKind::Call { callee: Callee::Operation(id), .. } = &each.kind {
            let operation = &program.operations[*id];
            let handlers = operation.handlers.iter().flat_map(|(_, handler)| handler);
            found |= operation.body.iter().chain(handlers).any(|statement| writes(program, statement));
        }
    });
    found
}

fn calls(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |each| found |= matches!(each.kind, ExprKind::Call { .. }));
    found
}
