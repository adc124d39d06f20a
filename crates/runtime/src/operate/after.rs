//! Whether an operation goes on with what an action stored: only then is it read back where the request does not tell.

use sortkey_design::model::WriteVerb;
use sortkey_design::program::{
    Action, Expr, ExprKind, Field, LocalId, Operation, Statement, StatementKind, Value,
};

/// Whether the result of an action is returned, or used by what comes later.
pub(super) fn is_result_seen(operation: &Operation, action: &Action) -> bool {
    let Some(site) = find(&operation.body, action, None) else {
        return operation.handlers.iter().any(|(_, body)| is_named_later(body, action));
    };
    let is_last =
        |statement: &Statement| operation.body.last().is_some_and(|last| std::ptr::eq(last, statement));
    let yields = match site.block {
        // A transaction yields the first item that it makes.
        Some(block) => is_last(block) && first_made(block).is_some_and(|first| std::ptr::eq(first, action)),
        None => is_last(site.statement),
    };
    let around = site.block.unwrap_or(site.statement);
    yields || site.local.is_some_and(|local| is_used(&operation.body, local, around))
}

struct Site<'a> {
    statement: &'a Statement,
    /// What its result is bound to.
    local: Option<LocalId>,
    /// The transaction that it is in.
    block: Option<&'a Statement>,
}

/// The parser bounds how deep blocks nest, so this may recurse.
fn find<'a>(body: &'a [Statement], action: &Action, block: Option<&'a Statement>) -> Option<Site<'a>> {
    body.iter().find_map(|statement| match &statement.kind {
        StatementKind::Let { local, value: Value::Action(each), .. } => {
            std::ptr::eq(&**each, action).then_some(Site { statement, local: Some(*local), block })
        }
        StatementKind::Do(Value::Action(each)) => {
            std::ptr::eq(&**each, action).then_some(Site { statement, local: None, block })
        }
        StatementKind::Transact(body) => find(body, action, Some(statement)),
        StatementKind::Each { body, .. } => find(body, action, block),
        _ => None,
    })
}

fn is_named_later(body: &[Statement], action: &Action) -> bool {
    find(body, action, None).is_some_and(|site| {
        site.local.is_some_and(|local| is_used(body, local, site.block.unwrap_or(site.statement)))
    })
}

fn first_made(block: &Statement) -> Option<&Action> {
    let StatementKind::Transact(body) = &block.kind else { return None };
    body.iter().find_map(|statement| match &statement.kind {
        StatementKind::Let { value: Value::Action(action), .. }
        | StatementKind::Do(Value::Action(action)) => {
            let makes = matches!(action.verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Upsert);
            makes.then_some(&**action)
        }
        _ => None,
    })
}

/// Whether a local is used outside of a statement.
fn is_used(body: &[Statement], local: LocalId, except: &Statement) -> bool {
    body.iter().filter(|statement| !std::ptr::eq(*statement, except)).any(|statement| match &statement.kind {
        StatementKind::Let { value, .. } | StatementKind::Do(value) | StatementKind::Expect { value, .. } => {
            in_value(value, local)
        }
        StatementKind::Transact(body) | StatementKind::As { body, .. } => is_used(body, local, except),
        StatementKind::Each { list, body, .. } => in_expr(list, local) || is_used(body, local, except),
        StatementKind::Require { condition: expr, .. } | StatementKind::Return(expr) => in_expr(expr, local),
        StatementKind::Race { bodies, .. } => bodies.iter().any(|body| is_used(body, local, except)),
        StatementKind::Advance { .. } => false,
    })
}

fn in_value(value: &Value, local: LocalId) -> bool {
    match value {
        Value::Expr(expr) => in_expr(expr, local),
        Value::Action(action) => {
            let key = action.key.iter().flat_map(|key| &key.values).any(|(_, value)| in_expr(value, local));
            let copied = action.key.iter().flat_map(|key| &key.spreads).chain(&action.spreads);
            let in_field = |field: &Field| {
                in_expr(&field.value, local) || field.element.iter().any(|each| in_expr(each, local))
            };
            key || copied.into_iter().any(|each| *each == local)
                || action.fields.iter().any(in_field)
                || action.condition.iter().chain(&action.when).any(|expr| in_expr(expr, local))
        }
    }
}

fn in_expr(expr: &Expr, local: LocalId) -> bool {
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
