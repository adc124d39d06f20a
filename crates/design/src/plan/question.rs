//! What a pattern asks, in the form in which keys can be compared with it.

use crate::facts::{Condition, Known, condition};
use crate::model::*;

/// A pattern as a question about one entity.
#[derive(Clone)]
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
    /// Optional attributes that only items which have them are asked for.
    pub(super) had: Vec<&'a str>,
    /// That an item is not deleted, unless the pattern wants deleted ones too.
    lives: Option<Expr>,
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
        let deleted = entity.deleted.as_ref().filter(|_| pattern.including_deleted.is_none());
        let lives = deleted.map(|deleted| Expr {
            kind: ExprKind::Not { operand: Box::new(deleted.clone()) },
            span: deleted.span,
        });
        Question { design, pattern, entity, bound, conditions, bind_conditions, had: Vec::new(), lives }
    }

    /// The same question about the items that have some optional attributes.
    pub(super) fn having(&self, names: &[&'a str]) -> Question<'a> {
        Question { had: names.to_vec(), ..self.clone() }
    }

    /// Everything that holds for the items asked for, whatever is left out. An attribute that equals something is there, so
    /// what it is there for (`when`) holds too.
    pub(super) fn known(&self) -> Known<'_> {
        let conditions = self.asked().map(|(expr, _)| *expr);
        let asked = self.asked().filter_map(|(_, condition)| condition.attribute());
        let present = self.bound.iter().copied().chain(asked);
        let whens = present.filter_map(|name| match self.entity.attribute(name) {
            Some(attribute) => attribute.when.as_ref(),
            None => self.entity.template(name)?.when.as_ref(),
        });
        let filters = self.pattern.filters().into_iter().filter(|expr| !self.may_be_dropped(expr));
        let stated = conditions.chain(filters).chain(&self.bind_conditions).chain(&self.lives);
        let conditions = stated.chain(whens.flat_map(Expr::conjuncts)).collect();
        self.knowing(conditions, self.bound.clone())
    }

    /// The conditions of `where` that hold for every live item of which some conditions hold and some attributes are
    /// there: an index that holds only such items answers them.
    pub(super) fn answered_by(&self, when: &[&'a Expr], present: &[&'a str]) -> Vec<&'a Expr> {
        let conditions = when.iter().flat_map(|each| each.conjuncts()).chain(&self.lives).collect();
        let known = self.knowing(conditions, present.to_vec());
        self.conditions.iter().map(|(expr, _)| *expr).filter(|expr| known.implies(expr)).collect()
    }

    fn knowing<'k>(&'k self, conditions: Vec<&'k Expr>, present: Vec<&'k str>) -> Known<'k> {
        let parameters = self.pattern.params.iter().map(|param| param.name.text.as_str()).collect();
        Known { design: self.design, entity: self.entity, conditions, present, parameters }
    }

    /// The conditions that every call asks.
    pub(super) fn asked(&self) -> impl Iterator<Item = &(&'a Expr, Condition<'a>)> {
        self.conditions.iter().filter(|(expr, _)| !self.may_be_dropped(expr))
    }

    /// Whether a call may leave out what a condition asks with. A range asks something while it has one of its bounds.
    fn may_be_dropped(&self, expr: &Expr) -> bool {
        let optional = |expr: &Expr| {
            let names = expr.names().into_iter();
            names.filter_map(|name| self.pattern.param(name)).any(|param| param.optional)
        };
        match &expr.kind {
            ExprKind::Binary { op: Op::In, right, .. } => match &right.kind {
                ExprKind::Range { low, high } => low.iter().chain(high).all(|bound| optional(bound)),
                _ => optional(expr),
            },
            _ => optional(expr),
        }
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
