//! What a change touches beside what it names: derived attributes, conditional ones, templates, checks, unique values.

use sortkey_design::model::*;

use super::Plan;
use super::changes::To;
use crate::Failure;
use crate::anatomy::inputs;
use crate::catalog::EntityInfo;
use crate::condition::Compiler;
use crate::evaluate::{Scope, View};
use crate::values::{Admit, Fields, Val};

/// What is touched, in the order of the design.
pub(super) struct Touched<'a> {
    /// Attributes to be computed again.
    pub(super) attributes: Vec<&'a Attribute>,
    /// Templates to be rendered again.
    pub(super) templates: Vec<&'a Template>,
    /// Checks that speak of something that changes.
    pub(super) checks: Vec<&'a Check>,
    /// Whether the item must be read: something that is needed is not in hand.
    pub(super) needs_item: bool,
    /// The attributes that decide what is computed.
    names: Vec<&'a str>,
}

impl<'a> Touched<'a> {
    pub(super) fn by(scope: &Scope<'a>, plan: &Plan<'_>) -> Touched<'a> {
        let entity = plan.info.of(&scope.shared.design);
        let mut changed: Vec<&str> = Vec::new();
        for change in &plan.changes {
            changed.extend(entity.attribute(&change.path[0]).map(|attribute| attribute.name.text.as_str()));
        }
        let attributes = attributes(entity, &mut changed);
        let concerned = |names: &[&str]| names.iter().any(|name| changed.contains(name));
        let templates: Vec<&Template> =
            entity.templates.iter().filter(|template| concerned(&template_inputs(template))).collect();
        let checks: Vec<&Check> =
            entity.checks.iter().filter(|check| concerned(&check.condition.names())).collect();
        // A guard goes when its owner counts as deleted, and expires when its owner does.
        let ttl = scope.shared.entities[plan.info.at].ttl.as_deref();
        let lives = entity.deleted.iter().flat_map(Expr::names).chain(ttl);
        let lives: Vec<&str> = lives.collect();
        let guard_inputs = |unique: &'a Unique| [unique_inputs(unique), lives.clone()].concat();
        let uniques: Vec<&Unique> =
            entity.uniques.iter().filter(|unique| plan.gone || concerned(&guard_inputs(unique))).collect();
        let mut names: Vec<&str> = Vec::new();
        names.extend(attributes.iter().flat_map(|attribute| inputs(attribute)));
        names.extend(templates.iter().flat_map(|template| template_inputs(template)));
        names.retain(|name| entity.attribute(name).is_some());
        let in_hand = |name: &&str| in_hand(entity, plan, name, &attributes);
        let mut needs_item = !names.iter().all(in_hand) || !uniques.is_empty();
        needs_item |= plan.changes.iter().any(|change| is_of_item(entity, plan, change));
        names.extend(uniques.iter().flat_map(|unique| guard_inputs(unique)));
        // A check on a number that is counted up must see the number.
        let counted = |name: &&str| {
            plan.changes.iter().any(|change| change.op != FieldOp::Set && change.path[0] == **name)
        };
        needs_item |= checks.iter().any(|check| check.condition.names().iter().any(counted));
        Touched { attributes, templates, checks, needs_item, names }
    }

    /// Computes the touched attributes, each after those it depends on.
    pub(super) fn recompute(
        &self,
        scope: &Scope<'_>,
        info: &EntityInfo,
        image: &mut Fields,
    ) -> Result<(), Failure> {
        let bare = scope.bare();
        let admit = Admit::computed(&bare);
        for attribute in &self.attributes {
            let name = &attribute.name.text;
            let view = View::of(info.at, image);
            let present = match &attribute.when {
                Some(when) => bare.holds(when, Some(view))?,
                None => true,
            };
            let value = match (&attribute.value, present) {
                (_, false) => Val::Absent,
                (Some(Fill { derived: true, value }), true) => {
                    let value = bare.eval(value, Some(view))?;
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
        let name = &change.path[0];
        self.attributes.iter().any(|each| each.name.is(name)) && image.get(name).is_some_and(Val::is_absent)
    }

    /// The stored attributes that must be unchanged for what was computed from them to be right.
    pub(super) fn consulted(&self, scope: &Scope<'_>, plan: &Plan<'_>) -> Vec<String> {
        let entity = plan.info.of(&scope.shared.design);
        let compiler = Compiler { scope, entity: plan.info.at, defaults: None };
        let mut names: Vec<&str> = self.names.clone();
        names.extend(self.checks.iter().flat_map(|check| check.condition.names()));
        names.extend(
            plan.condition.iter().flat_map(|condition| condition.names()).filter(|name| !scope.has(name)),
        );
        for change in &plan.changes {
            if may_empty(entity, change) {
                names.push(&change.path[0]);
            }
            let when = entity.attribute(&change.path[0]).and_then(|attribute| attribute.when.as_ref());
            names.extend(when.into_iter().flat_map(Expr::names));
            if let To::OfItem(expr) = &change.to {
                names.extend(expr.names().into_iter().filter(|name| !scope.has(name)));
            }
        }
        let mut members = Vec::new();
        if let Some(expr) = plan.condition {
            expr.walk(&mut |each| {
                if let ExprKind::Member { base, name } = &each.kind
                    && base.is_name("it")
                    && compiler.concerns_item(each)
                {
                    members.push(name.text.as_str());
                }
            });
        }
        names.extend(members);
        for (_, _, rule) in plan.transitions(scope) {
            // The states themselves, and what their `if` speaks of.
            names.extend(
                entity
                    .attributes
                    .iter()
                    .map(|each| each.name.text.as_str())
                    .filter(|name| rule.mentions(name)),
            );
        }
        names.extend(entity.states.iter().filter_map(|states| {
            let first = states.path.first()?.text.as_str();
            plan.changes.iter().any(|change| change.path[0] == first).then_some(first)
        }));
        let stored = |name: &&str| entity.attribute(name).is_some_and(Attribute::is_stored);
        let mut names: Vec<String> = names.into_iter().filter(stored).map(str::to_owned).collect();
        names.sort();
        names.dedup();
        names.retain(|name| !plan.known.contains_key(name));
        names
    }
}

/// Attributes that change because others do; what they change counts on.
fn attributes<'a>(entity: &'a Entity, changed: &mut Vec<&'a str>) -> Vec<&'a Attribute> {
    let mut touched: Vec<&Attribute> = Vec::new();
    // Each round finds at least one more, so there are at most as many rounds as attributes.
    for _ in 0..=entity.attributes.len() {
        let next = entity.attributes.iter().find(|attribute| {
            let own = attribute.name.text.as_str();
            let depends = match &attribute.value {
                Some(fill) if fill.derived => {
                    let names = inputs(attribute);
                    names.contains(&"now") || names.iter().any(|name| changed.contains(name))
                }
                _ => attribute.when.iter().flat_map(Expr::names).any(|name| changed.contains(&name)),
            };
            let known = touched.iter().any(|each| each.name == attribute.name);
            attribute.is_stored()
                && depends
                && !known
                && (attribute.when.is_some() || !changed.contains(&own))
        });
        let Some(next) = next else { break };
        touched.push(next);
        changed.push(&next.name.text);
    }
    touched
}

fn template_inputs(template: &Template) -> Vec<&str> {
    let slots = template.slots().map(|name| name.text.as_str());
    slots.chain(template.when.iter().flat_map(Expr::names)).collect()
}

fn unique_inputs(unique: &Unique) -> Vec<&str> {
    let names = unique.names.iter().map(|name| name.text.as_str());
    names.chain(unique.when.iter().flat_map(Expr::names)).collect()
}

/// Whether the new value of an attribute is known without reading the item.
fn in_hand(entity: &Entity, plan: &Plan<'_>, name: &str, computed: &[&Attribute]) -> bool {
    let transient = entity.attribute(name).is_some_and(|attribute| !attribute.is_stored());
    let recomputed = computed.iter().any(|attribute| attribute.name.is(name) && attribute.is_derived());
    transient || recomputed || plan.known.contains_key(name) || plan.sets().any(|(set, _)| set == name)
}

/// Whether a change cannot be written without knowing the item.
fn is_of_item(entity: &Entity, plan: &Plan<'_>, change: &super::Change) -> bool {
    let attribute = entity.attribute(&change.path[0]);
    let inside_json =
        change.path.len() > 1 && attribute.is_some_and(|attribute| matches!(attribute.ty, Type::Json { .. }));
    let sealed_under_unknown =
        attribute.and_then(|attribute| attribute.annotation("encrypted")).is_some_and(|annotation| {
            annotation.args.iter().any(|(_, argument)| match &argument.kind {
                ExprKind::Text { value } => {
                    let slots = value.split('{').skip(1).filter_map(|part| part.split('}').next());
                    slots.into_iter().any(|slot| {
                        !plan.known.contains_key(slot) && !plan.sets().any(|(set, _)| set == slot)
                    })
                }
                _ => false,
            })
        });
    matches!(change.to, To::OfItem(_)) || inside_json || sealed_under_unknown || may_empty(entity, change)
}

/// Whether a change may take the last member out of a set that no item may lack.
fn may_empty(entity: &Entity, change: &super::Change) -> bool {
    let attribute = entity.attribute(&change.path[0]);
    change.op == FieldOp::Subtract
        && matches!(change.ty, Type::Set { .. })
        && change.path.len() == 1
        && attribute.is_some_and(|attribute| !attribute.optional)
}
