//! Attributes that a condition requires: `x T when c` without `?` is there whenever `c` holds after a write.
//!
//! A change that is made without reading is refused at once where everything is in hand; otherwise DynamoDB decides, by a
//! condition on the stored item.

use sortkey_design::model::*;

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
    let design = &scope.shared.design;
    let entity = plan.info.of(design);
    if !plan.info.anatomy.has_conditions {
        return Ok(true);
    }
    let bare = scope.bare();
    let required = |each: &&Attribute| each.is_stored() && !each.optional && !each.is_derived();
    for attribute in entity.attributes.iter().filter(required) {
        let Some(when) = &attribute.when else { continue };
        let name = &attribute.name.text;
        let failure = lacking(name, matches!(design.type_of(attribute), Type::Set { .. }));
        let is_removed = plan.sets().any(|(set, value)| set == name && value.is_absent());
        if touched.attributes.iter().any(|each| each.name == attribute.name) {
            // What decides is in hand.
            if plan.gives(name) || !bare.holds(when, Some(View::of(plan.info.at, in_hand)))? {
                continue;
            }
            match default(&bare, plan, attribute, in_hand)? {
                _ if is_removed => return Err(failure),
                Some(value) => {
                    let stored = stored_value(scope, plan.info, attribute, &value, in_hand)?;
                    expression.unless_stored(name, stored, &mut write.placeholders);
                }
                None => drop(write.demand(scope, Test::Present(name.clone()), failure)?),
            }
        } else if is_removed {
            let without = Expr { kind: ExprKind::Not { operand: Box::new(when.clone()) }, span: when.span };
            let mut after = scope.bare();
            plan.sets().for_each(|(name, value)| after.set(name, value.clone()));
            if !write.demand(&after, Test::If(without, None), failure)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// What `=` fills in where the item has nothing yet.
fn default(
    bare: &Scope<'_>,
    plan: &Plan<'_>,
    attribute: &Attribute,
    in_hand: &Fields,
) -> Result<Option<Val>, Failure> {
    let Some(fill) = &attribute.value else { return Ok(None) };
    let value = match fill.value.is_name("new") {
        true => bare.new_value(attribute)?,
        false => bare.eval(&fill.value, Some(View::of(plan.info.at, in_hand)))?,
    };
    let value = Admit::computed(bare).attribute(attribute, value, &attribute.name.text)?;
    Ok(Some(value).filter(|value| !value.is_absent()))
}

impl Plan<'_> {
    /// Whether an attribute is there after the change because the change gives it or counts it.
    fn gives(&self, name: &str) -> bool {
        let is_given = |to: &To| !matches!(to, To::Value(Val::Absent));
        self.changes.iter().any(|change| change.path == [name] && is_given(&change.to))
    }
}
