//! The restriction that a condition puts on one attribute.

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

/// Classifies a conjunct.
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
pub(super) fn attribute(expr: &Expr) -> Option<&str> {
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
