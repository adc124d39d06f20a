//! The types of the results of patterns and operations.

use std::sync::Arc;

use super::Elaboration;
use super::types::entity_id;
use crate::model::{self, ReadVerb, StmtKind};
use crate::program::Ty;

/// The maximum depth to which the result of an operation is followed through called operations.
const MAX_CALLS: usize = 8;

impl Elaboration<'_, '_> {
    /// The type of the result of a pattern.
    pub(super) fn pattern_result(&self, pattern: &model::Pattern) -> Ty {
        let last = pattern.then.as_ref().or(pattern.entities.first());
        let item = last.and_then(|name| entity_id(self.design, &name.text)).map_or(Ty::Unknown, Ty::Item);
        match pattern.verb {
            ReadVerb::Get => item,
            ReadVerb::List | ReadVerb::Scan => Ty::List(Arc::new(item)),
            ReadVerb::Collect => Ty::List(Arc::new(Ty::Unknown)),
            ReadVerb::Count => Ty::Number,
            ReadVerb::Exists => Ty::Bool,
            ReadVerb::Sum if pattern.summed.len() == 1 => Ty::Number,
            ReadVerb::Sum => Ty::Unknown,
        }
    }

    /// The type of the result of an operation.
    pub(super) fn operation_result(&self, operation: &model::Operation, depth: usize) -> Ty {
        if operation.short.is_some() {
            return match operation.body.first().map(|stmt| &stmt.kind) {
                Some(StmtKind::Do { value }) => self.value_result(value, depth),
                _ => Ty::Unknown,
            };
        }
        let mut found = Ty::Unknown;
        let mut open: Vec<&model::Stmt> = operation.body.iter().rev().collect();
        let mut lets: Vec<(&model::Name, &model::Value)> = Vec::new();
        while let Some(statement) = open.pop() {
            match &statement.kind {
                StmtKind::Let { name, value, .. } => lets.push((name, value)),
                StmtKind::Transact { body } => open.extend(body.iter().rev()),
                StmtKind::Return { value } => {
                    let bound =
                        value.as_name().and_then(|name| lets.iter().rev().find(|(bound, _)| bound.is(name)));
                    if let Some((_, value)) = bound {
                        found = self.value_result(value, depth);
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn value_result(&self, value: &model::Value, depth: usize) -> Ty {
        match value {
            model::Value::Action(action) => {
                entity_id(self.design, &action.entity.text).map_or(Ty::Unknown, Ty::Item)
            }
            model::Value::Expr(model::Expr { kind: model::ExprKind::Call { callee, .. }, .. })
                if depth < MAX_CALLS =>
            {
                let name = callee.as_name().unwrap_or_default();
                match (self.design.pattern(name), self.design.operation(name)) {
                    (Some(pattern), _) => self.pattern_result(pattern),
                    (_, Some(operation)) => self.operation_result(operation, depth + 1),
                    _ => Ty::Unknown,
                }
            }
            model::Value::Expr(_) => Ty::Unknown,
        }
    }
}
