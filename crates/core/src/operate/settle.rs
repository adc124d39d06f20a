//! Expressions that make requests: calls of patterns, operations, rules and entities are settled first, the rest is
//! evaluated in memory. `and`, `or`, `implies` and `choose` ask only what they must.

use futures_util::future::BoxFuture;
use sortkey_design::model::Op;
use sortkey_design::program::{Expr, ExprKind};

use super::Runner;
use crate::Failure;
use crate::evaluate::{Scope, View};
use crate::values::Val;

impl<'a> Runner<'_, 'a> {
    /// The value of an expression.
    pub fn value<'f>(
        &'f self,
        scope: &'f mut Scope<'a>,
        expr: &'f Expr,
        view: Option<View<'f>>,
    ) -> BoxFuture<'f, Result<Val, Failure>> {
        Box::pin(async move {
            if !expr.makes_requests() {
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
                ExprKind::Not(operand) => Ok(Val::Bool(!self.truth(scope, operand, view).await?)),
                ExprKind::Choose { arms, otherwise } => {
                    for (condition, value) in arms {
                        if self.truth(scope, condition, view).await? {
                            return self.value(scope, value, view).await;
                        }
                    }
                    match otherwise {
                        Some(value) => self.value(scope, value, view).await,
                        None => Ok(Val::Absent),
                    }
                }
                ExprKind::With { item, condition } => {
                    let item = self.value(scope, item, view).await?;
                    let Val::Item(record) = &item else { return Ok(Val::Bool(false)) };
                    let inner = View::of(record.entity, &record.fields);
                    Ok(Val::Bool(scope.holds(condition, Some(inner))?))
                }
                ExprKind::Rule { rule, arguments } => self.rule(scope, *rule, arguments, view).await,
                ExprKind::Call { callee, arguments } => self.call(scope, *callee, arguments, view).await,
                ExprKind::ItemAt(key) => self.item_at(scope, key, view).await,
                ExprKind::AsStored(item) => self.stored(scope, item).await,
                _ => {
                    let mut inner = scope.clone();
                    let mut calls = Vec::new();
                    outermost(expr, &mut calls);
                    for call in calls {
                        let value = self.value(scope, call, view).await?;
                        inner.settle(call, value);
                    }
                    inner.eval(expr, view)
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

/// The expressions inside one that take a request, or decide which requests are made, without those inside them. The parser
/// bounds how deep expressions nest.
fn outermost<'e>(expr: &'e Expr, found: &mut Vec<&'e Expr>) {
    let asks = match expr.kind {
        ExprKind::With { .. }
        | ExprKind::Rule { .. }
        | ExprKind::Call { .. }
        | ExprKind::ItemAt(_)
        | ExprKind::AsStored(_) => true,
        _ => expr.is_lazy() && expr.makes_requests(),
    };
    match asks {
        true => found.push(expr),
        false => expr.children(&mut |child| outermost(child, found)),
    }
}
