//! What a pattern asks, in the form in which keys can be compared with it.

use crate::facts::{Condition, condition};
use crate::model::*;

/// A pattern as a question about one entity.
pub(super) struct Question<'a> {
    pub(super) design: &'a Design,
    pub(super) pattern: &'a Pattern,
    pub(super) entity: &'a Entity,
    /// Attributes that equal something known.
    pub(super) bound: Vec<&'a str>,
    /// The conjuncts of `where`, each with what it says.
    pub(super) conditions: Vec<(&'a Expr, Condition<'a>)>,
    /// `by name = value` as conditions, for reasoning about sparse indexes.
    bind_conditions: Vec<Expr>,
}

impl<'a> Question<'a> {
    pub(super) fn new(design: &'a Design, pattern: &'a Pattern, entity: &'a Entity) -> Question<'a> {
        let conditions: Vec<_> =
            pattern.conditions().into_iter().map(|expr| (expr, condition(expr))).collect();
        let mut bound: Vec<&str> = pattern.binds.iter().map(|bind| bind.name.text.as_str()).collect();
        bound.extend(conditions.iter().filter_map(|(_, condition)| match condition {
            Condition::Equal(name, _) => Some(*name),
            _ => None,
        }));
        let bind_conditions = pattern.binds.iter().filter_map(bind_condition).collect();
        Question { design, pattern, entity, bound, conditions, bind_conditions }
    }

    /// Everything that holds for the items asked for. An attribute that equals something is there, so what it is
    /// there for (`when`) holds too.
    pub(super) fn known(&self) -> Vec<&Expr> {
        let conditions = self.conditions.iter().map(|(expr, _)| *expr);
        let asked = self.conditions.iter().filter_map(|(_, condition)| condition.attribute());
        let present = self.bound.iter().copied().chain(asked);
        let whens = present.filter_map(|name| self.entity.attribute(name)?.when.as_ref());
        let stated = conditions.chain(self.pattern.filters()).chain(&self.bind_conditions);
        stated.chain(whens.flat_map(Expr::conjuncts)).collect()
    }

    /// The range or prefix asked of an attribute.
    pub(super) fn range_on(&self, attribute: &str) -> Option<&'a Expr> {
        self.conditions.iter().find_map(|(expr, condition)| match condition {
            Condition::Range(name) | Condition::Prefix(name) if *name == attribute => Some(*expr),
            _ => None,
        })
    }
}

fn bind_condition(bind: &Bind) -> Option<Expr> {
    let BindValue::Expr(value) = &bind.value else {
        return None;
    };
    let span = bind.name.span;
    let left = Box::new(Expr { kind: ExprKind::Name { name: bind.name.text.clone() }, span });
    Some(Expr { kind: ExprKind::Binary { op: Op::Eq, left, right: Box::new(value.clone()) }, span })
}
