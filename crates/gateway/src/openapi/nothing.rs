//! Whether an operation that answers something may also answer nothing: 204 beside 200.
//!
//! An empty answer counts as possible unless the program rules it out. A client that is prepared for it loses little; one
//! that is not fails on the first empty answer.

use sortkey_design::Program;
use sortkey_design::model::{Op, WriteVerb};
use sortkey_design::program::{
    Action, Attribute, Callee, Expr, ExprKind, LocalId, Operation, Statement, StatementKind, Ty, Value,
    Yields,
};

/// How far a result is followed through the operations that are called.
const MAX_CALLS: usize = 8;

/// Whether a call may answer nothing although it answers something otherwise.
pub(super) fn is_possible(program: &Program, callee: Callee) -> bool {
    may_be(program, callee, MAX_CALLS)
}

fn may_be(program: &Program, callee: Callee, depth: usize) -> bool {
    let yields = &program.signature(callee).yields;
    match callee {
        Callee::Pattern(_) => matches!(yields, Yields::Item(_)),
        Callee::Effect(_) => false,
        Callee::Operation(id) => {
            let operation = &program.operations[id];
            let returns = |each: &Statement| matches!(each.kind, StatementKind::Return(_));
            match yields {
                Yields::Item(_) if operation.body.iter().any(returns) => {
                    may_return_nothing(program, operation, depth)
                }
                Yields::Item(_) => {
                    let last = operation.body.last().map(actions).unwrap_or_default();
                    last.into_iter().any(may_give_nothing)
                }
                Yields::Value => may_return_nothing(program, operation, depth),
                _ => false,
            }
        }
    }
}

fn may_give_nothing(action: &Action) -> bool {
    action.when.is_some() || (action.verb == WriteVerb::Get && action.error.is_none())
}

/// The actions whose result may be that of a statement: its own, or those of its transaction.
fn actions(statement: &Statement) -> Vec<&Action> {
    match &statement.kind {
        StatementKind::Do(Value::Action(action))
        | StatementKind::Let { value: Value::Action(action), .. } => {
            vec![action]
        }
        StatementKind::Transact(body) => body.iter().flat_map(actions).collect(),
        _ => Vec::new(),
    }
}

fn may_return_nothing(program: &Program, operation: &Operation, depth: usize) -> bool {
    let returned = operation.body.iter().find_map(|statement| match &statement.kind {
        StatementKind::Return(value) => Some(value),
        _ => None,
    });
    returned.is_none_or(|value| may_lack(program, operation, value, depth))
}

fn may_lack(program: &Program, operation: &Operation, value: &Expr, depth: usize) -> bool {
    match &value.kind {
        ExprKind::Local(local) => match bound(&operation.body, *local) {
            Some((_, true)) => false,
            Some((Value::Action(action), false)) => may_give_nothing(action),
            Some((Value::Expr(value), false)) if depth > 0 => may_lack(program, operation, value, depth - 1),
            _ => true,
        },
        ExprKind::Call { callee, .. } if depth > 0 => may_be(program, *callee, depth - 1),
        ExprKind::Of { item, attribute } => {
            let Ty::Item(entity) = &item.ty else { return true };
            let declared = program.entities[*entity].attributes.get(*attribute);
            declared.is_none_or(Attribute::may_be_absent) || may_lack(program, operation, item, depth)
        }
        ExprKind::Binary { op, left, right } => {
            let is_number = matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem);
            is_number && [left, right].into_iter().any(|side| may_lack(program, operation, side, depth))
        }
        ExprKind::Text(_) | ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Word(_) => false,
        ExprKind::Now | ExprKind::New | ExprKind::Exists(_) | ExprKind::Absent(_) => false,
        ExprKind::List(_) | ExprKind::Object { .. } | ExprKind::Not(_) => false,
        _ => true,
    }
}

/// The value of a `let`, and whether an error is raised where there is none.
fn bound(body: &[Statement], wanted: LocalId) -> Option<(&Value, bool)> {
    body.iter().find_map(|statement| match &statement.kind {
        StatementKind::Let { local, value, error, .. } if *local == wanted => Some((value, error.is_some())),
        StatementKind::Transact(body) => bound(body, wanted),
        _ => None,
    })
}
