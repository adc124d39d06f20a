//! Whether anybody looks at what a write yields: a later statement, or whoever called the operation.
//!
//! A transaction answers nothing. What it stored has to be read where it is not known before and somebody wants it.

use crate::model::*;

/// Whether the result of an action is looked at once it is stored.
pub fn is_result_seen(operation: &Operation, action: &Action) -> bool {
    let Some(site) = find(&operation.body, action, None) else {
        return operation.handlers.iter().any(|(_, body)| named_later(body, action));
    };
    let is_last = |statement: &Stmt| operation.body.last().is_some_and(|last| std::ptr::eq(last, statement));
    let yields = match site.block {
        // A transaction yields the first item that it makes.
        Some(block) => is_last(block) && may_be_first(block, action),
        None => is_last(site.statement),
    };
    let around = site.block.unwrap_or(site.statement);
    yields || site.name.is_some_and(|name| mentioned(&operation.body, name, around))
}

struct Site<'a> {
    statement: &'a Stmt,
    name: Option<&'a Name>,
    /// The transaction that it is in.
    block: Option<&'a Stmt>,
}

/// The parser bounds how deep blocks nest, so this may recurse.
fn find<'a>(body: &'a [Stmt], action: &Action, block: Option<&'a Stmt>) -> Option<Site<'a>> {
    body.iter().find_map(|statement| match &statement.kind {
        StmtKind::Let { name, value: Value::Action(each), .. } => {
            std::ptr::eq(&**each, action).then_some(Site { statement, name: Some(name), block })
        }
        StmtKind::Do { value: Value::Action(each) } => {
            std::ptr::eq(&**each, action).then_some(Site { statement, name: None, block })
        }
        StmtKind::Transact { body } => find(body, action, Some(statement)),
        StmtKind::Each { body, .. } => find(body, action, block),
        _ => None,
    })
}

fn named_later(body: &[Stmt], action: &Action) -> bool {
    find(body, action, None).is_some_and(|site| {
        site.name.is_some_and(|name| mentioned(body, name, site.block.unwrap_or(site.statement)))
    })
}

/// Whether an action may be the first of a block that makes an item: whatever makes one before it does so perhaps.
fn may_be_first(block: &Stmt, action: &Action) -> bool {
    let StmtKind::Transact { body } = &block.kind else { return false };
    let mut candidates = Vec::new();
    gather_first(body, &mut candidates);
    candidates.into_iter().any(|each| std::ptr::eq(each, action))
}

/// Gathers what may be made first, and says whether one of it surely is.
fn gather_first<'a>(body: &'a [Stmt], found: &mut Vec<&'a Action>) -> bool {
    body.iter().any(|statement| match &statement.kind {
        StmtKind::Let { value: Value::Action(action), .. }
        | StmtKind::Do { value: Value::Action(action) } => {
            let makes = matches!(action.verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Upsert);
            found.extend(makes.then_some(&**action));
            makes && action.when.is_none()
        }
        StmtKind::Each { body, .. } => {
            // There may be no element at all.
            gather_first(body, found);
            false
        }
        _ => false,
    })
}

/// Whether a name is mentioned outside of a statement.
fn mentioned(body: &[Stmt], name: &Name, except: &Stmt) -> bool {
    body.iter().filter(|statement| !std::ptr::eq(*statement, except)).any(|statement| match &statement.kind {
        StmtKind::Let { value, .. } | StmtKind::Do { value } | StmtKind::Expect { value, .. } => {
            in_value(value, name)
        }
        StmtKind::Transact { body } | StmtKind::As { body, .. } => mentioned(body, name, except),
        StmtKind::Each { list, body, .. } => in_expr(list, name) || mentioned(body, name, except),
        StmtKind::Require { condition: expr, .. } | StmtKind::Return { value: expr } => in_expr(expr, name),
        StmtKind::Race { bodies, .. } => bodies.iter().any(|body| mentioned(body, name, except)),
        StmtKind::Advance { .. } => false,
    })
}

fn in_value(value: &Value, name: &Name) -> bool {
    match value {
        Value::Expr(expr) => in_expr(expr, name),
        Value::Action(action) => {
            let key = action.key.iter().flat_map(|args| &args.values).any(|(_, value)| in_expr(value, name));
            let spreads = action.key.iter().flat_map(|args| &args.spreads).chain(&action.fields.spreads);
            let fields = action.fields.fields.iter();
            key || spreads.into_iter().any(|spread| spread == name)
                || fields.into_iter().any(|field| in_expr(&field.value, name) || is_shorthand(field, name))
                || action.condition.iter().chain(&action.when).any(|expr| in_expr(expr, name))
        }
    }
}

/// `{ x }` stands for `x: x`.
fn is_shorthand(field: &Field, name: &Name) -> bool {
    matches!(field.path.as_slice(), [only] if only == name)
}

fn in_expr(expr: &Expr, name: &Name) -> bool {
    let mut found = false;
    expr.walk(&mut |each| {
        found |= match &each.kind {
            ExprKind::Name { name: other } => name.is(other),
            ExprKind::Object { fields } => fields.spreads.contains(name),
            ExprKind::Call { args, .. } => args.spreads.contains(name),
            _ => false,
        };
    });
    found
}
