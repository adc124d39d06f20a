//! Attributes that a condition requires: `x T when c` without `?` is there whenever `c` holds after a write.
//!
//! A change that is made without reading is refused at once where everything is in hand; otherwise DynamoDB decides, by a
//! condition on the stored item.

use std::sync::Arc;

use sortkey_design::program::{Attribute, Expr, ExprKind, Type};

use super::changes::To;
use super::expression::Expression;
use super::touch::Touched;
use super::{Plan, Write};
use crate::Failure;
use crate::evaluate::{Scope, View};
use crate::values::{Admit, Fields, Val, lacking};
use crate::write::Test;
use crate::write::image::stored_value;

/// Demands every attribute that is required after the change; false if a condition cannot be expressed.
pub(super) fn demand(
    scope: &Scope<'_>,
    plan: &Plan<'_>,
    touched: &Touched<'_>,
    in_hand: &Fields,
    (write, expression): (&mut Write, &mut Expression),
) -> Result<bool, Failure> {
    let program = &scope.shared.program;
    let entity = plan.info.of(program);
    if !plan.info.anatomy.has_conditions {
        return Ok(true);
    }
    let required = |(_, each): &(_, &Attribute)| each.is_stored() && !each.optional && !each.is_derived();
    for (id, attribute) in entity.attributes.entries().filter(required) {
        let Some(when) = &attribute.when else { continue };
        let name = &attribute.name;
        let failure = lacking(name, matches!(*attribute.ty, Type::Set { .. }));
        let is_removed = plan.sets().any(|(set, value)| set == name && value.is_absent());
        if touched.attributes().contains(&id) {
            // The inputs of the condition are in hand.
            if plan.gives(name) || !scope.holds(when, Some(View::of(plan.info.at, in_hand)))? {
                continue;
            }
            match default(scope, plan, attribute, in_hand)? {
                _ if is_removed => return Err(failure),
                Some(value) => {
                    let stored = stored_value(scope, plan.info, id, &value, in_hand)?;
                    expression.unless_stored(name, stored, &mut write.placeholders);
                }
                None => drop(write.demand(scope, Test::Present(name.clone()), failure)?),
            }
        } else if is_removed {
            let without = Expr { kind: ExprKind::Not(Box::new(when.clone())), ..when.clone() };
            if !write.demand(scope, plan.afterwards(without), failure)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The value of `=` where the item has none yet.
fn default(
    scope: &Scope<'_>,
    plan: &Plan<'_>,
    attribute: &Attribute,
    in_hand: &Fields,
) -> Result<Option<Val>, Failure> {
    let Some(fill) = &attribute.fill else { return Ok(None) };
    let value = scope.fill(attribute, &fill.value, View::of(plan.info.at, in_hand))?;
    let value = Admit::computed(scope).attribute(attribute, value, &attribute.name)?;
    Ok(Some(value).filter(|value| !value.is_absent()))
}

impl Plan<'_> {
    /// Whether an attribute is there after the change because the change gives it or counts it.
    pub(super) fn gives(&self, name: &str) -> bool {
        let is_given = |to: &To| !matches!(to, To::Value(Val::Absent));
        let is_whole = |path: &[Arc<str>]| matches!(path, [only] if **only == *name);
        self.changes.iter().any(|change| is_whole(&change.path) && is_given(&change.to))
    }
}
