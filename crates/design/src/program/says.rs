//! The restriction that a condition puts on one attribute, in the form in which keys can answer it.

use super::{Bound, Expr, ExprKind};
use crate::model::Op;

/// The restriction of one attribute or stored text by a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// `a = x`
    Equal(Bound),
    /// `a < x`, `a in x..y` and so on: one stretch of the order.
    Range(Bound),
    /// `a starts with x`
    Prefix(Bound),
    /// `a exists`
    Exists(Bound),
    /// Anything else.
    Other,
}

impl Says {
    /// Classifies a condition on the item in view.
    pub fn of(expr: &Expr) -> Says {
        let bound = |expr: &Expr| match &expr.kind {
            ExprKind::Attribute(id) => Some(Bound::Attribute(*id)),
            ExprKind::Stored(id) => Some(Bound::Stored(*id)),
            _ => None,
        };
        match &expr.kind {
            ExprKind::Binary { op, left, right } => match (op, bound(left)) {
                (Op::Eq, Some(bound)) => Says::Equal(bound),
                (Op::Lt | Op::LtEq | Op::Gt | Op::GtEq, Some(bound)) => Says::Range(bound),
                (Op::In, Some(bound)) if matches!(right.kind, ExprKind::Range { .. }) => Says::Range(bound),
                (Op::StartsWith, Some(bound)) => Says::Prefix(bound),
                _ => Says::Other,
            },
            ExprKind::Exists(operand) => bound(operand).map_or(Says::Other, Says::Exists),
            _ => Says::Other,
        }
    }

    /// The attribute or stored text that the condition constrains.
    pub fn about(self) -> Option<Bound> {
        match self {
            Says::Equal(bound) | Says::Range(bound) | Says::Prefix(bound) | Says::Exists(bound) => {
                Some(bound)
            }
            Says::Other => None,
        }
    }
}
