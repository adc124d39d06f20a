//! What a change touches beside what it names: derived attributes, conditional ones, templates, checks, unique values.

use std::sync::Arc;

use sortkey_design::model::FieldOp;
use sortkey_design::program::{
    AliasPiece, AttributeId, Check, Entity, Expr, Fill, Template, TemplateId, Type, Unique,
};

use super::Plan;
use super::changes::To;
use crate::Failure;
use crate::anatomy::inputs;
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::values::{Admit, Fields, Val};

/// What is touched, in the order of the design.
pub(super) struct Touched<'a> {
    /// Attributes to be computed again.
    pub(super) attributes: Vec<AttributeId>,
    /// Templates to be rendered again.
    pub(super) templates: Vec<TemplateId>,
    /// Checks that speak of something that changes.
    pub(super) checks: Vec<&'a Check>,
    /// Whether the item must be read: something that is needed is not in hand.
    pub(super) needs_item: bool,
    /// The attributes that decide what is computed.
    inputs: Vec<AttributeId>,
}

impl<'a> Touched<'a> {
    pub(super) fn by(scope: &Scope<'a>, plan: &Plan<'_>) -> Touched<'a> {
        let entity = plan.info.of(&scope.shared.program);
        let mut changed: Vec<AttributeId> = plan.changes.iter().map(|change| change.attribute).collect();
        let attributes = attributes(entity, &mut changed);
        let concerned = |ids: &[AttributeId]| ids.iter().any(|id| changed.contains(id));
        let templates = entity.templates.entries();
        let templates: Vec<TemplateId> = templates
            .filter(|(_, template)| concerned(&template_inputs(template)))
            .map(|(id, _)| id)
            .collect();
        let checks: Vec<&Check> =
            entity.checks.iter().filter(|check| concerned(&check.condition.attributes())).collect();
        // A guard goes when its owner counts as deleted, and expires when its owner does.
        let lives = entity.deleted.iter().flat_map(Expr::attributes).chain(entity.ttl);
        let lives: Vec<AttributeId> = lives.collect();
        let guard_inputs = |unique: &Unique| [unique_inputs(unique), lives.clone()].concat();
        let uniques: Vec<&Unique> =
            entity.uniques.iter().filter(|unique| plan.gone || concerned(&guard_inputs(unique))).collect();
        let mut needed: Vec<AttributeId> = Vec::new();
        needed.extend(attributes.iter().flat_map(|id| inputs(&entity.attributes[*id])));
        needed.extend(templates.iter().flat_map(|id| template_inputs(&entity.templates[*id])));
        let in_hand = |id: &AttributeId| in_hand(entity, plan, *id, &attributes);
        let mut needs_item = !needed.iter().all(in_hand) || !uniques.is_empty();
        needs_item |= plan.changes.iter().any(|change| is_of_item(entity, plan, change));
        needed.extend(uniques.iter().flat_map(|unique| guard_inputs(unique)));
        // A check on a number that is counted up must see the number.
        let counted = |id: &AttributeId| {
            plan.changes.iter().any(|change| change.op != FieldOp::Set && change.attribute == *id)
        };
        needs_item |= checks.iter().any(|check| check.condition.attributes().iter().any(counted));
        Touched { attributes, templates, checks, needs_item, inputs: needed }
    }

    /// Computes the touched attributes, each after those it depends on.
    pub(super) fn recompute(
        &self,
        scope: &Scope<'_>,
        info: &EntityInfo,
        image: &mut Fields,
    ) -> Result<(), Failure> {
        let admit = Admit::computed(scope);
        for id in &self.attributes {
            let attribute = &info.of(&scope.shared.program).attributes[*id];
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
        self.attributes.contains(&change.attribute) && image.get(&change.path[0]).is_some_and(Val::is_absent)
    }

    /// The stored attributes that must be unchanged for what was computed from them to be right, by their names.
    pub(super) fn consulted(&self, scope: &Scope<'_>, plan: &Plan<'_>) -> Vec<Arc<str>> {
        let entity = plan.info.of(&scope.shared.program);
        let mut ids = self.inputs.clone();
        ids.extend(self.checks.iter().flat_map(|check| check.condition.attributes()));
        ids.extend(plan.condition.iter().flat_map(|condition| condition.attributes()));
        for change in &plan.changes {
            if may_empty(entity, change) {
                ids.push(change.attribute);
            }
            ids.extend(entity.attributes[change.attribute].when.iter().flat_map(Expr::attributes));
            if let To::OfItem(expr) = &change.to {
                ids.extend(expr.attributes());
            }
        }
        for (_, _, rule) in plan.transitions(scope) {
            // The states themselves, and what their `if` speaks of.
            ids.extend(rule.attributes());
        }
        ids.extend(
            entity
                .states
                .iter()
                .map(|states| states.path.attribute)
                .filter(|state| plan.changes.iter().any(|change| change.attribute == *state)),
        );
        ids.retain(|id| entity.attributes[*id].is_stored());
        let mut names: Vec<Arc<str>> = ids.into_iter().map(|id| plan.info.name_of(id).clone()).collect();
        names.sort();
        names.dedup();
        names.retain(|name| !plan.known.contains_key(name));
        names
    }
}

/// Attributes that change because others do; what they change counts on.
fn attributes(entity: &Entity, changed: &mut Vec<AttributeId>) -> Vec<AttributeId> {
    let mut touched: Vec<AttributeId> = Vec::new();
    // Each round finds at least one more, so there are at most as many rounds as attributes.
    for _ in 0..=entity.attributes.len() {
        let next = entity.attributes.entries().find(|(id, attribute)| {
            let depends = match &attribute.fill {
                Some(fill) if fill.derived => {
                    let is_stamp =
                        std::iter::once(&fill.value).chain(&attribute.when).any(Expr::depends_on_time);
                    is_stamp || inputs(attribute).iter().any(|input| changed.contains(input))
                }
                _ => attribute.when.iter().flat_map(Expr::attributes).any(|id| changed.contains(&id)),
            };
            attribute.is_stored()
                && depends
                && !touched.contains(id)
                && (attribute.when.is_some() || !changed.contains(id))
        });
        let Some((next, _)) = next else { break };
        touched.push(next);
        changed.push(next);
    }
    touched
}

fn template_inputs(template: &Template) -> Vec<AttributeId> {
    template.slots().chain(template.when.iter().flat_map(Expr::attributes)).collect()
}

fn unique_inputs(unique: &Unique) -> Vec<AttributeId> {
    unique.attributes.iter().copied().chain(unique.when.iter().flat_map(Expr::attributes)).collect()
}

/// Whether the new value of an attribute is known without reading the item.
fn in_hand(entity: &Entity, plan: &Plan<'_>, id: AttributeId, computed: &[AttributeId]) -> bool {
    let attribute = &entity.attributes[id];
    let recomputed = computed.contains(&id) && attribute.is_derived();
    !attribute.is_stored() || recomputed || is_given(plan, &attribute.name)
}

/// Whether the key or the change says what an attribute is.
fn is_given(plan: &Plan<'_>, name: &Arc<str>) -> bool {
    plan.known.contains_key(name) || plan.sets().any(|(set, _)| set == name)
}

/// Whether a change cannot be written without knowing the item.
fn is_of_item(entity: &Entity, plan: &Plan<'_>, change: &super::Change) -> bool {
    let attribute = &entity.attributes[change.attribute];
    let inside_json = change.path.len() > 1 && matches!(*attribute.ty, Type::Json { .. });
    let is_unknown = |piece: &AliasPiece| match piece {
        AliasPiece::Slot(id) => !is_given(plan, plan.info.name_of(*id)),
        AliasPiece::Literal(_) => false,
    };
    let sealed_under_unknown = attribute.encrypted.iter().flatten().any(is_unknown);
    matches!(change.to, To::OfItem(_)) || inside_json || sealed_under_unknown || may_empty(entity, change)
}

/// Whether a change may take the last member out of a set that no item may lack.
fn may_empty(entity: &Entity, change: &super::Change) -> bool {
    change.op == FieldOp::Subtract
        && matches!(*change.ty, Type::Set { .. })
        && change.path.len() == 1
        && !entity.attributes[change.attribute].optional
}
