//! The attributes that a change touches besides those it names, as planned for the arguments of this call.

use std::sync::Arc;

use sortkey_design::model::WriteVerb;
use sortkey_design::program::{AttributeId, Check, Entity, Fill, TemplateId};
use sortkey_plan::{AttributeSet, Effects, effects};

use super::Plan;
use super::changes::To;
use crate::Failure;
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::values::{Admit, Fields, Val};

/// The consequences of a change.
pub(super) struct Touched<'a> {
    entity: &'a Entity,
    effects: Effects,
}

impl<'a> Touched<'a> {
    pub(super) fn by(scope: &Scope<'a>, plan: &Plan<'_>) -> Touched<'a> {
        let program = &scope.shared.program;
        let entity = plan.info.of(program);
        // An update that marks an item as deleted has the consequences of a deletion.
        let verb = if plan.gone { WriteVerb::Delete } else { plan.verb };
        let known = plan.known.keys().filter_map(|name| entity.attributes.find(name)).collect();
        let mut change = sortkey_plan::Change { verb, known, ..sortkey_plan::Change::default() };
        for each in &plan.changes {
            let of_item = match &each.to {
                To::OfItem(value) => Some(value),
                To::Value(_) => None,
            };
            change.add(each.attribute, each.path.len() > 1, each.op, of_item);
        }
        Touched { entity, effects: effects(program, plan.info.at, &change) }
    }

    /// Whether the item must be read before it is written.
    pub(super) fn needs_item(&self) -> bool {
        !self.effects.needs.is_empty()
    }

    /// The attributes that are computed again, each behind those that it depends on.
    pub(super) fn attributes(&self) -> &[AttributeId] {
        &self.effects.recomputes
    }

    /// The templates that are rendered again.
    pub(super) fn templates(&self) -> &[TemplateId] {
        &self.effects.templates
    }

    /// The checks that mention an attribute that changes.
    pub(super) fn checks(&self) -> impl Iterator<Item = &'a Check> {
        self.effects.checks.iter().map(|at| &self.entity.checks[*at])
    }

    /// Computes the touched attributes.
    pub(super) fn recompute(
        &self,
        scope: &Scope<'_>,
        info: &EntityInfo,
        image: &mut Fields,
    ) -> Result<(), Failure> {
        let admit = Admit::computed(scope);
        for id in self.attributes() {
            let attribute = &self.entity.attributes[*id];
            let name = &attribute.name;
            let view = View::of(info.at, image);
            let present = match &attribute.when {
                Some(when) => scope.holds(when, Some(view))?,
                None => true,
            };
            let value = match (&attribute.fill, present) {
                (_, false) => Val::Absent,
                (Some(Fill { derived: true, value }), true) => {
                    let value = scope.eval(value, Some(view))?;
                    admit.attribute(attribute, value, name)?
                }
                (_, true) => continue,
            };
            image.insert(name.clone(), value);
        }
        Ok(())
    }

    /// Whether an attribute goes although it is given, because its `when` does not hold.
    pub(super) fn takes_away(&self, change: &super::Change, image: &Fields) -> bool {
        self.attributes().contains(&change.attribute)
            && image.get(&change.path[0]).is_some_and(Val::is_absent)
    }

    /// The stored attributes that must be unchanged for what was computed from them to be right, by their names: what the
    /// plan consults, and what the conditions of this change were decided by.
    pub(super) fn consulted(&self, scope: &Scope<'_>, plan: &Plan<'_>) -> Vec<Arc<str>> {
        let attributes = &self.entity.attributes;
        let mut consulted: AttributeSet = self.effects.consults.clone();
        consulted.extend(plan.condition.iter().flat_map(|condition| attributes.deciding(condition)));
        // The states themselves, and the attributes in their `if`.
        consulted.extend(plan.transitions(scope).iter().flat_map(|(_, _, rule)| attributes.deciding(rule)));
        let states = self.entity.states.iter().map(|states| states.path.attribute);
        consulted.extend(states.filter(|id| plan.changes.iter().any(|change| change.attribute == *id)));
        let stored = consulted.iter().filter(|id| self.entity.attributes[*id].is_stored());
        let mut names: Vec<Arc<str>> = stored.map(|id| plan.info.name_of(id).clone()).collect();
        names.retain(|name| !plan.known.contains_key(name));
        sortkey_value::order::sort(&mut names);
        names
    }
}
