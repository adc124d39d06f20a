//! What a condition says about one attribute, and whether some conditions imply another.

use crate::model::*;

/// A condition on one attribute.
#[derive(Clone, Copy, Debug)]
pub enum Condition<'a> {
    /// `a = x`
    Equal(&'a str, &'a Expr),
    /// `a < x`, `a in x..y` and so on: one stretch of the order.
    Range(&'a str),
    /// `a starts with x`
    Prefix(&'a str),
    /// `a exists`
    Exists(&'a str),
    /// Anything else.
    Other,
}

/// What a conjunct says.
pub fn condition(expr: &Expr) -> Condition<'_> {
    match &expr.kind {
        ExprKind::Binary { op, left, right } => match (op, attribute(left)) {
            (Op::Eq, Some(name)) => Condition::Equal(name, right),
            (Op::Lt | Op::LtEq | Op::Gt | Op::GtEq, Some(name)) => Condition::Range(name),
            (Op::In, Some(name)) if matches!(right.kind, ExprKind::Range { .. }) => Condition::Range(name),
            (Op::StartsWith, Some(name)) => Condition::Prefix(name),
            _ => Condition::Other,
        },
        ExprKind::Exists { operand } => attribute(operand).map_or(Condition::Other, Condition::Exists),
        _ => Condition::Other,
    }
}

/// The attribute an expression names: `status` or `it.status`.
fn attribute(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name { name } => Some(name),
        ExprKind::Member { base, name } if base.is_name("it") => Some(&name.text),
        _ => None,
    }
}

impl<'a> Condition<'a> {
    /// The attribute it is about.
    pub fn attribute(self) -> Option<&'a str> {
        match self {
            Condition::Equal(name, _)
            | Condition::Range(name)
            | Condition::Prefix(name)
            | Condition::Exists(name) => Some(name),
            Condition::Other => None,
        }
    }
}

/// Whether known conditions (and bound attributes) imply a wanted one, for an item of an entity.
///
/// Sound and incomplete: it answers yes only if the wanted condition surely holds.
pub fn implies(entity: &Entity, known: &[&Expr], bound: &[&str], wanted: &Expr) -> bool {
    wanted.conjuncts().into_iter().all(|conjunct| implies_one(entity, known, bound, conjunct))
}

fn implies_one(entity: &Entity, known: &[&Expr], bound: &[&str], wanted: &Expr) -> bool {
    if known.contains(&wanted) || lives(entity, wanted) {
        return true;
    }
    match &wanted.kind {
        ExprKind::Exists { operand } => {
            let Some(name) = attribute(operand) else {
                return false;
            };
            let always = entity.attribute(name).is_some_and(|each| !each.may_be_absent());
            let mentioned = known.iter().any(|each| {
                !matches!(condition(each), Condition::Other) && condition(each).attribute() == Some(name)
            });
            always || mentioned || bound.contains(&name)
        }
        // `a = x` excludes every other constant.
        ExprKind::Binary { op: Op::NotEq, left, right } => {
            let Some(name) = attribute(left) else { return false };
            known.iter().any(|each| match condition(each) {
                Condition::Equal(other, value) => {
                    other == name && is_constant(value) && is_constant(right) && *value != **right
                }
                _ => false,
            })
        }
        ExprKind::Binary { op: Op::Or, left, right } => {
            implies(entity, known, bound, left) || implies(entity, known, bound, right)
        }
        _ => false,
    }
}

/// Reads see live items only, so `status != deleted` holds where `deleted when status = deleted` does.
fn lives(entity: &Entity, wanted: &Expr) -> bool {
    let Some(Expr { kind: ExprKind::Binary { op: Op::Eq, left, right }, .. }) = &entity.deleted else {
        return false;
    };
    match &wanted.kind {
        ExprKind::Binary { op: Op::NotEq, left: a, right: b } => a == left && b == right,
        _ => false,
    }
}

/// A word or a literal: the same wherever it stands. (A parameter would be a name too, but the names on the right
/// of a `when` are members of enums.)
fn is_constant(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Name { .. } | ExprKind::Text { .. } | ExprKind::Number { .. })
}
