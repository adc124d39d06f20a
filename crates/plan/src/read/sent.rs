//! The conditions of a pattern that DynamoDB checks itself: what they drop is read and paid there, but does not travel.
//!
//! Every item that comes is asked again, so no answer depends on them. They are those that DynamoDB decides as the design does.

use std::sync::Arc;

use sortkey_design::model::Op;
use sortkey_design::program::{AttributeId, Entity, Expr, ExprKind, Function, Pattern, Program, Type};

use super::ReadPlan;
use crate::Way;

/// The conditions that the queries of a plan carry, by their places in the sieve of the pattern's entity.
pub fn sent(program: &Program, pattern: &Pattern, plan: &ReadPlan) -> Vec<usize> {
    // An item of another kind, or a part of one, lacks what the conditions name.
    let ([entity], false, None) = (pattern.entities.as_slice(), plan.fetches, &plan.held) else {
        return Vec::new();
    };
    let (Some(conjuncts), Some(residual)) = (pattern.sieve.first(), plan.residual.first()) else {
        return Vec::new();
    };
    if matches!(plan.path.way, Way::Guard(_)) {
        return Vec::new();
    }
    let sender = Sender { program, plan, entity: &program.entities[*entity] };
    let is_sent = |at: &usize| {
        conjuncts.get(*at).is_some_and(|each| each.expr.concerns_item() && sender.decides(&each.expr))
    };
    // The keys answer `where`; what they only narrow down is a few items at the ends of a range.
    let filters = residual.iter().copied().filter(|at| *at >= pattern.conditions.len());
    filters.filter(is_sent).collect()
}

struct Sender<'a> {
    program: &'a Program,
    plan: &'a ReadPlan,
    entity: &'a Entity,
}

impl Sender<'_> {
    /// Whether DynamoDB can decide a condition.
    fn decides(&self, expr: &Expr) -> bool {
        if !expr.concerns_item() {
            return true;
        }
        match &expr.kind {
            ExprKind::Binary { op: Op::And | Op::Or | Op::Implies, left, right } => {
                self.decides(left) && self.decides(right)
            }
            ExprKind::Not(operand) => self.decides(operand),
            ExprKind::Exists(operand) | ExprKind::Absent(operand) => self.path(operand).is_some(),
            ExprKind::Binary { op, left, right } => self.compares(*op, left, right),
            _ => self.path(expr).is_some_and(|ty| *ty == Type::Bool),
        }
    }

    fn compares(&self, op: Op, left: &Expr, right: &Expr) -> bool {
        if let (Op::In, ExprKind::Range { low, high }) = (op, &right.kind) {
            let mut bounds = low.iter().zip([Op::GtEq]).chain(high.iter().zip([Op::LtEq]));
            return bounds.all(|(bound, op)| self.compares(op, left, bound));
        }
        let is_order = matches!(op, Op::Eq | Op::NotEq | Op::Lt | Op::LtEq | Op::Gt | Op::GtEq);
        match (left.concerns_item(), right.concerns_item()) {
            (true, true) => {
                let types = self.path(left).zip(self.path(right));
                is_order && types.is_some_and(|(left, right)| left.stored() == right.stored())
            }
            (true, false) => {
                (is_order || matches!(op, Op::In | Op::Contains | Op::StartsWith)) && self.is_operand(left)
            }
            // `x in it.list` is what `it.list contains x` asks.
            (false, _) => (is_order || op == Op::In) && self.is_operand(right),
        }
    }

    /// Whether an expression is a path into the item, or the size of what is there.
    fn is_operand(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Function { function: Function::Size, arguments } => {
                matches!(arguments.as_slice(), [argument] if self.path(argument).is_some())
            }
            _ => self.path(expr).is_some(),
        }
    }

    /// The type of what a path into the item names; none if the expression is not one that a filter can have.
    fn path(&self, expr: &Expr) -> Option<Arc<Type>> {
        match &expr.kind {
            ExprKind::Attribute(id) => self.attribute(*id),
            ExprKind::Member { base, name } => match &*self.path(base)? {
                Type::Object(id) => {
                    let attributes = &self.program.objects[*id].attributes;
                    attributes.find(name).map(|id| Arc::clone(&attributes[id].ty))
                }
                Type::Map { of, .. } => Some(Arc::clone(of)),
                _ => None,
            },
            ExprKind::Index { base, index } if !index.concerns_item() => match &*self.path(base)? {
                Type::Map { of, .. } => Some(Arc::clone(of)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The type of a stored attribute. DynamoDB refuses filters on the key that is queried.
    fn attribute(&self, id: AttributeId) -> Option<Arc<Type>> {
        let attribute = &self.entity.attributes[id];
        let path = self.plan.path;
        let index = path.index_in(self.program).map(|index| &index.key);
        let mut keys = index.into_iter().chain([&self.program.tables[path.table].key]);
        let is_free = attribute.is_stored() && !keys.any(|key| key.contains(&attribute.name));
        is_free.then(|| Arc::clone(&attribute.ty))
    }
}
