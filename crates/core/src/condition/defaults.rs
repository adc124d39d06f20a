//! Attributes that an item may lack and reads as having: conditions on them hold for what they read as.

use std::sync::Arc;

use sortkey_design::model::Op;
use sortkey_design::program::{Expr, ExprKind};

use super::{Compiler, Condition, Operand, Placeholders};
use crate::Failure;
use crate::evaluate::View;
use crate::values::Fields;

impl Compiler<'_> {
    /// Whether a path is an attribute that every item reads as having.
    pub(super) fn assumed(&self, path: &[Arc<str>]) -> bool {
        matches!(path, [name] if self.scope.shared.assumed[self.entity].contains_key(name))
    }

    /// A missing attribute reads as its default. Every way in which attributes of a comparison may be missing is decided
    /// here, and DynamoDB compares only what is there.
    pub(super) fn with_defaults(
        &self,
        expr: &Expr,
        compiled: Option<Condition>,
        into: &mut Placeholders,
    ) -> Result<Option<Condition>, Failure> {
        let Some(Condition::Text(text)) = &compiled else { return Ok(compiled) };
        let mut known = self.defaults.cloned().unwrap_or_default();
        known.extend(self.scope.shared.assumed[self.entity].clone());
        known.extend(self.after.cloned().unwrap_or_default());
        let mut paths: Vec<Vec<Arc<str>>> = Vec::new();
        let ExprKind::Binary { left, right, .. } = &expr.kind else { return Ok(compiled) };
        for side in [left, right] {
            if let Some(Operand::Path(path, _) | Operand::Size(path)) = self.operand(side)?
                && known.contains_key(&path[0])
                && !paths.contains(&path)
            {
                paths.push(path);
            }
        }
        match paths.as_slice() {
            [] => Ok(compiled),
            [path] if self.compares_with_value(left, right)? => {
                let holds = self.scope.holds(expr, Some(View::of(self.entity, &known)))?;
                let missing = format!("attribute_not_exists({})", into.path(path));
                // DynamoDB holds `<>` for true where the attribute is missing, and everything else for false.
                let differs = matches!(expr.kind, ExprKind::Binary { op: Op::NotEq, .. });
                Ok(Some(Condition::Text(match holds {
                    true => format!("{missing} OR ({text})"),
                    false if differs => format!("NOT ({missing}) AND ({text})"),
                    false => text.clone(),
                })))
            }
            // Both sides are attributes: what one of them reads as is compared with the other.
            _ => self.with_either_default(expr, (left, right), &known, text, into).map(Some),
        }
    }

    /// Whether one side of a comparison does not depend on the item.
    fn compares_with_value(&self, left: &Expr, right: &Expr) -> Result<bool, Failure> {
        Ok(!self.concerns_item(left) || !self.concerns_item(right))
    }

    fn with_either_default(
        &self,
        expr: &Expr,
        (left, right): (&Expr, &Expr),
        known: &Fields,
        text: &str,
        into: &mut Placeholders,
    ) -> Result<Condition, Failure> {
        let ExprKind::Binary { op, .. } = &expr.kind else { return Ok(Condition::Text(text.to_owned())) };
        let view = View::of(self.entity, known);
        let side = |expr: &Expr| -> Result<_, Failure> {
            Ok(match self.operand(expr)? {
                Some(Operand::Path(path, _)) if known.contains_key(&path[0]) => {
                    Some((path, self.scope.eval(expr, Some(view))?))
                }
                _ => None,
            })
        };
        let missing = |path: &[Arc<str>], into: &mut Placeholders| {
            Condition::Text(format!("attribute_not_exists({})", into.path(path)))
        };
        let (one, other) = (side(left)?, side(right)?);
        let mut present = Condition::Text(text.to_owned());
        for (path, _) in one.iter().chain(&other) {
            present = missing(path, into).not().and(present);
        }
        let mut whole = present;
        if let (Some((path, default)), Some(operand)) = (&one, self.operand(right)?) {
            let compared = self.compare(*op, Operand::Value(default.clone()), operand, into);
            let there = other.as_ref().map_or(Condition::Always, |(path, _)| missing(path, into).not());
            whole = whole.or(missing(path, into).and(there).and(compared.unwrap_or(Condition::Never)));
        }
        if let (Some((path, default)), Some(operand)) = (&other, self.operand(left)?) {
            let compared = self.compare(*op, operand, Operand::Value(default.clone()), into);
            let there = one.as_ref().map_or(Condition::Always, |(path, _)| missing(path, into).not());
            whole = whole.or(missing(path, into).and(there).and(compared.unwrap_or(Condition::Never)));
        }
        if let (Some((left, _)), Some((right, _))) = (&one, &other) {
            let holds = Condition::from(self.scope.holds(expr, Some(view))?);
            whole = whole.or(missing(left, into).and(missing(right, into)).and(holds));
        }
        Ok(whole)
    }
}
