//! Whether the result of a write is used: by a later statement, or as the result of the operation.
//!
//! A transaction returns no items.
//! An item it stored has to be read if its values are not known before and are used later.

use sortkey_design::facts::used::in_expr;
use sortkey_design::model::WriteVerb;
use sortkey_design::program::{Action, LocalId, Operation, Statement, StatementKind, Value};

/// Whether the result of an action is looked at once it is stored.
pub fn is_result_seen(operation: &Operation, action: &Action) -> bool {
    let Some(site) = find(&operation.body, action, None) else {
        return operation.handlers.iter().any(|(_, body)| named_later(body, action));
    };
    let is_last =
        |statement: &Statement| operation.body.last().is_some_and(|last| std::ptr::eq(last, statement));
    let yields = match site.block {
        // A transaction yields the first item that it makes.
        Some(block) => is_last(block) && may_be_first(block, action),
        None => is_last(site.statement),
    };
    let around = site.block.unwrap_or(site.statement);
    yields || site.local.is_some_and(|local| mentioned(&operation.body, local, around))
}

struct Site<'a> {
    statement: &'a Statement,
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

fn named_later(body: &[Statement], action: &Action) -> bool {
    find(body, action, None).is_some_and(|site| {
        site.local.is_some_and(|local| mentioned(body, local, site.block.unwrap_or(site.statement)))
    })
}

/// Whether an action may make the first item of its block: those before it are conditional.
pub(super) fn may_be_first(block: &Statement, action: &Action) -> bool {
    let StatementKind::Transact(body) = &block.kind else { return false };
    let mut candidates = Vec::new();
    gather_first(body, &mut candidates);
    candidates.into_iter().any(|each| std::ptr::eq(each, action))
}

/// Collects the actions that may make the first item, and returns whether one of them certainly does.
fn gather_first<'a>(body: &'a [Statement], found: &mut Vec<&'a Action>) -> bool {
    body.iter().any(|statement| match &statement.kind {
        StatementKind::Let { value: Value::Action(action), .. }
        | StatementKind::Do(Value::Action(action)) => {
            let makes = matches!(action.verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Upsert);
            found.extend(makes.then_some(&**action));
            makes && action.when.is_none()
        }
        StatementKind::Each { body, .. } => {
            // There may be no element at all.
            gather_first(body, found);
            false
        }
        _ => false,
    })
}

/// Whether a local is mentioned outside of a statement.
pub(super) fn mentioned(body: &[Statement], local: LocalId, except: &Statement) -> bool {
    let others = body.iter().filter(|statement| !std::ptr::eq(*statement, except));
    others.into_iter().any(|statement| match &statement.kind {
        StatementKind::Let { value, .. } | StatementKind::Do(value) | StatementKind::Expect { value, .. } => {
            in_value(value, local)
        }
        StatementKind::Transact(body) | StatementKind::As { body, .. } => mentioned(body, local, except),
        StatementKind::Each { list, body, .. } => in_expr(list, local) || mentioned(body, local, except),
        StatementKind::Require { condition: expr, .. } | StatementKind::Return(expr) => in_expr(expr, local),
        StatementKind::Race { bodies, .. } => bodies.iter().any(|body| mentioned(body, local, except)),
        StatementKind::Given { arguments, result, .. } => {
            arguments.iter().map(|(_, each)| each).chain(result).any(|expr| in_expr(expr, local))
        }
        StatementKind::Did { arguments, .. } => arguments.iter().any(|(_, expr)| in_expr(expr, local)),
        StatementKind::Advance { .. } | StatementKind::Work => false,
    })
}

fn in_value(value: &Value, local: LocalId) -> bool {
    match value {
        Value::Expr(expr) => in_expr(expr, local),
        Value::Action(action) => {
            let key = action.key.iter().flat_map(|key| &key.values).map(|(_, value)| value);
            let fields = action.fields.iter().flat_map(|field| field.element.iter().chain([&field.value]));
            let conditions = action.condition.iter().chain(&action.when);
            action.key.iter().flat_map(|key| &key.spreads).chain(&action.spreads).any(|each| *each == local)
                || key.chain(fields).chain(conditions).any(|expr| in_expr(expr, local))
        }
    }
}
