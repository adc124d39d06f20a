//! Whether a body uses what it is given: precise, since names are resolved.

use crate::program::{
    Action, BindValue, Conjunct, Expr, ExprKind, ItemKey, LocalId, Operation, Pattern, Statement,
    StatementKind, Value,
};

/// Whether an operation uses a parameter.
pub fn by_operation(operation: &Operation, local: LocalId) -> bool {
    let idempotent = operation.idempotent.iter().flat_map(|each| &each.by);
    idempotent.into_iter().any(|id| operation.signature.parameters[*id].local == local)
        || operation.signature.parameters.iter().any(|each| by_default(each.default.as_ref(), local))
        || operation.requires.iter().any(|expr| in_expr(expr, local))
        || in_body(&operation.body, local)
        || operation.handlers.iter().any(|(_, body)| in_body(body, local))
}

/// Whether a pattern uses a parameter.
pub fn by_pattern(pattern: &Pattern, local: LocalId) -> bool {
    let bound = pattern.binds.iter().any(|bind| match &bind.value {
        BindValue::Parameter(id) => *id == local,
        BindValue::Expr(expr) | BindValue::In(expr) => in_expr(expr, local),
        BindValue::All => false,
    });
    let asked = |conjuncts: &[Conjunct]| {
        conjuncts.iter().any(|each| each.drops.contains(&local) || in_expr(&each.expr, local))
    };
    bound
        || asked(&pattern.conditions)
        || asked(&pattern.filters)
        || pattern.sieve.iter().any(|conjuncts| asked(conjuncts))
        || pattern.signature.parameters.iter().any(|each| by_default(each.default.as_ref(), local))
        || pattern.requires.iter().any(|expr| in_expr(expr, local))
}

fn by_default(default: Option<&Expr>, local: LocalId) -> bool {
    default.is_some_and(|expr| in_expr(expr, local))
}

/// The parser bounds how deep blocks nest, so this may recurse.
fn in_body(body: &[Statement], local: LocalId) -> bool {
    body.iter().any(|statement| match &statement.kind {
        StatementKind::Let { value, .. } | StatementKind::Do(value) | StatementKind::Expect { value, .. } => {
            match value {
                Value::Expr(expr) => in_expr(expr, local),
                Value::Action(action) => in_action(action, local),
            }
        }
        StatementKind::Transact(body) => in_body(body, local),
        StatementKind::As { caller, body } => {
            caller.iter().any(|(_, expr)| in_expr(expr, local)) || in_body(body, local)
        }
        StatementKind::Each { list, body, .. } => in_expr(list, local) || in_body(body, local),
        StatementKind::Require { condition: expr, .. } | StatementKind::Return(expr) => in_expr(expr, local),
        StatementKind::Race { bodies, .. } => bodies.iter().any(|body| in_body(body, local)),
        StatementKind::Given { arguments, result, .. } => {
            arguments.iter().map(|(_, expr)| expr).chain(result).any(|expr| in_expr(expr, local))
        }
        StatementKind::Did { arguments, .. } => arguments.iter().any(|(_, expr)| in_expr(expr, local)),
        StatementKind::Advance { .. } | StatementKind::Work => false,
    })
}

fn in_action(action: &Action, local: LocalId) -> bool {
    let fields = action.fields.iter().flat_map(|field| field.element.iter().chain([&field.value]));
    let conditions = action.condition.iter().chain(&action.when);
    action.spreads.contains(&local)
        || action.takes.iter().any(|(_, from)| *from == local)
        || action.key.iter().any(|key| in_key(key, local))
        || fields.chain(conditions).any(|expr| in_expr(expr, local))
}

fn in_key(key: &ItemKey, local: LocalId) -> bool {
    key.spreads.contains(&local) || key.values.iter().any(|(_, expr)| in_expr(expr, local))
}

/// Whether an expression uses a name of a body.
pub fn in_expr(expr: &Expr, local: LocalId) -> bool {
    let mut found = false;
    expr.walk(&mut |each| {
        found |= match &each.kind {
            ExprKind::Local(other) => *other == local,
            ExprKind::Object { spreads, .. } => spreads.contains(&local),
            ExprKind::Call { arguments, .. } => arguments.spreads.contains(&local),
            ExprKind::ItemAt(key) => key.spreads.contains(&local),
            _ => false,
        };
    });
    found
}
