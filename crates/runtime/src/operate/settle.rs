//! Expressions that make requests: calls of patterns, operations, rules and entities are settled first, the rest is
//! evaluated in memory. `and`, `or` and `implies` ask only what they must.

use futures_util::future::BoxFuture;
use sortkey_design::Design;
use sortkey_design::model::*;

use super::Runner;
use crate::Failure;
use crate::evaluate::{Scope, View};
use crate::values::Val;

impl<'a> Runner<'_, 'a> {
    /// The value of an expression.
    pub(crate) fn value<'f>(
        &'f self,
        scope: &'f mut Scope<'a>,
        expr: &'f Expr,
        view: Option<View<'f>>,
    ) -> BoxFuture<'f, Result<Val, Failure>> {
        Box::pin(async move {
            let design = &scope.shared.design;
            if !has_calls(design, expr) {
                return scope.eval(expr, view);
            }
            match &expr.kind {
                ExprKind::Binary { op: Op::And, left, right } => Ok(Val::Bool(
                    self.truth(scope, left, view).await? && self.truth(scope, right, view).await?,
                )),
                ExprKind::Binary { op: Op::Or, left, right } => Ok(Val::Bool(
                    self.truth(scope, left, view).await? || self.truth(scope, right, view).await?,
                )),
                ExprKind::Binary { op: Op::Implies, left, right } => Ok(Val::Bool(
                    !self.truth(scope, left, view).await? || self.truth(scope, right, view).await?,
                )),
                ExprKind::Not { operand } => Ok(Val::Bool(!self.truth(scope, operand, view).await?)),
                ExprKind::With { base, condition } => {
                    let item = self.value(scope, base, view).await?;
                    let Val::Item(record) = &item else { return Ok(Val::Bool(false)) };
                    let inner = View::of(record.entity, &record.fields);
                    Ok(Val::Bool(scope.holds(condition, Some(inner))?))
                }
                ExprKind::Call { callee, args } if is_call(design, expr) => {
                    let name = callee.as_name().unwrap_or_default();
                    self.call(scope, name, args, view).await
                }
                _ => {
                    let mut calls = Vec::new();
                    let rest = without_calls(design, expr, &mut calls);
                    let mut inner = scope.clone();
                    for (at, call) in calls.iter().enumerate() {
                        let value = self.value(scope, call, view).await?;
                        inner.set(placeholder(at), value);
                    }
                    inner.eval(&rest, view)
                }
            }
        })
    }

    /// Whether a condition holds.
    pub(crate) async fn truth(
        &self,
        scope: &mut Scope<'a>,
        condition: &Expr,
        view: Option<View<'_>>,
    ) -> Result<bool, Failure> {
        Ok(self.value(scope, condition, view).await?.is_true())
    }
}

/// Whether evaluating an expression makes requests.
fn has_calls(design: &Design, expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |each| found |= is_call(design, each));
    found
}

fn is_call(design: &Design, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::With { .. } => true,
        ExprKind::Call { callee, .. } => callee.as_name().is_some_and(|name| {
            name == "stored"
                || design.pattern(name).is_some()
                || design.operation(name).is_some()
                || design.rule(name).is_some()
                || design.entity(name).is_some()
        }),
        _ => false,
    }
}

/// No design can have such a name.
fn placeholder(at: usize) -> String {
    format!("\0{at}")
}

/// The expression with its calls replaced by names, and the calls. The parser bounds how deep expressions nest.
fn without_calls(design: &Design, expr: &Expr, calls: &mut Vec<Expr>) -> Expr {
    if is_call(design, expr) {
        calls.push(expr.clone());
        return Expr { kind: ExprKind::Name { name: placeholder(calls.len() - 1) }, span: expr.span };
    }
    let mut boxed = |inner: &Expr| Box::new(without_calls(design, inner, calls));
    let kind = match &expr.kind {
        ExprKind::Binary { op, left, right } => {
            ExprKind::Binary { op: *op, left: boxed(left), right: boxed(right) }
        }
        ExprKind::Not { operand } => ExprKind::Not { operand: boxed(operand) },
        ExprKind::Negative { operand } => ExprKind::Negative { operand: boxed(operand) },
        ExprKind::Exists { operand } => ExprKind::Exists { operand: boxed(operand) },
        ExprKind::Absent { operand } => ExprKind::Absent { operand: boxed(operand) },
        ExprKind::Range { low, high } => ExprKind::Range {
            low: low.as_ref().map(|each| boxed(each)),
            high: high.as_ref().map(|each| boxed(each)),
        },
        ExprKind::Member { base, name } => ExprKind::Member { base: boxed(base), name: name.clone() },
        ExprKind::Arrow { base, name } => ExprKind::Arrow { base: boxed(base), name: name.clone() },
        ExprKind::Index { base, index } => ExprKind::Index { base: boxed(base), index: boxed(index) },
        ExprKind::List { elements } => {
            ExprKind::List { elements: elements.iter().map(|each| *boxed(each)).collect() }
        }
        ExprKind::Call { callee, args } => {
            let values = args.values.iter().map(|(name, value)| (name.clone(), *boxed(value))).collect();
            ExprKind::Call { callee: callee.clone(), args: Args { values, ..args.clone() } }
        }
        ExprKind::Object { fields } => {
            let inner =
                fields.fields.iter().map(|field| Field { value: *boxed(&field.value), ..field.clone() });
            ExprKind::Object { fields: Fields { fields: inner.collect(), ..fields.clone() } }
        }
        other => other.clone(),
    };
    Expr { kind, span: expr.span }
}
