//! The changes of an update, gathered from its fields, its parameters and the states it enters.

use std::sync::Arc;

use sortkey_design::model::{FieldOp, Op, WriteVerb};
use sortkey_design::program::{Action, Attribute, AttributeId, Expr, Field, States, Type};

use super::expression::default_of;
use super::inside::{admitted, at, inside, put};
use super::{Plan, way};
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::values::{Admit, Fields, Val, arithmetic, lacking};
use crate::write::given::{given_fields, unsealed};
use crate::{Failure, FailureKind};

/// One change.
#[derive(Clone, Debug)]
pub(in crate::write) struct Change {
    pub(in crate::write) attribute: AttributeId,
    /// The attribute's name, and the way into it.
    pub(in crate::write) path: Vec<Arc<str>>,
    pub(in crate::write) op: FieldOp,
    pub(in crate::write) to: To,
    /// The type of what is at the path.
    pub(in crate::write) ty: Arc<Type>,
}

/// The new value of an attribute, or the amount of its change.
#[derive(Clone, Debug)]
pub(in crate::write) enum To {
    /// A value in hand; what is absent is removed.
    Value(Val),
    /// Something that the item takes part in.
    OfItem(Expr),
}

/// The changes of an action.
pub(super) fn gather(
    scope: &Scope<'_>,
    info: &EntityInfo,
    action: &Action,
    known: &Fields,
) -> Result<Vec<Change>, Failure> {
    let attributes = &info.of(&scope.shared.program).attributes;
    let admit = Admit::computed(scope);
    let mut changes: Vec<Change> = Vec::new();
    for (name, value) in given_fields(scope, info, action)? {
        let Some(id) = attributes.find(&name) else { continue };
        let attribute = &attributes[id];
        let fixed = known.contains_key(&name) || info.is_key(id);
        if fixed || (attribute.flags.immutable && action.verb == WriteVerb::Update) {
            continue;
        }
        let to = To::Value(admit.attribute(attribute, value, &name)?);
        let (path, ty) = (vec![name], Arc::clone(&attribute.ty));
        changes.push(Change { attribute: id, path, op: FieldOp::Set, to, ty });
    }
    for field in &action.fields {
        let change = change(scope, info, field)?;
        if known.contains_key(&change.path[0]) && info.is_key(change.attribute) {
            let name = &change.path[0];
            return Err(Failure::invalid(&**name, format!("`{name}` is part of the key and cannot change")));
        }
        changes.retain(|earlier| earlier.path != change.path);
        changes.push(change);
    }
    for change in &changes {
        refuse(&attributes[change.attribute], change, action.verb)?;
    }
    Ok(changes)
}

fn refuse(attribute: &Attribute, change: &Change, verb: WriteVerb) -> Result<(), Failure> {
    let name = &*attribute.name;
    if attribute.is_derived() && change.path.len() == 1 {
        return Err(Failure::invalid(name, format!("`{name}` is derived and cannot be given")));
    }
    if attribute.flags.immutable && verb == WriteVerb::Update {
        return Err(Failure::invalid(name, format!("`{name}` cannot be changed")));
    }
    let removes =
        matches!(&change.to, To::Value(Val::Absent)) && change.op == FieldOp::Set && change.path.len() == 1;
    if removes && !attribute.may_be_absent() {
        return Err(lacking(name, matches!(*change.ty, Type::Set { .. })));
    }
    Ok(())
}

fn change(scope: &Scope<'_>, info: &EntityInfo, field: &Field) -> Result<Change, Failure> {
    let program = &scope.shared.program;
    let attribute = &info.of(program).attributes[field.path.attribute];
    let mut path = way(info, &field.path);
    let shown = path.join(".");
    let unknown = || Failure::invalid(&shown, format!("{} has no `{shown}`", info.name));
    if let Some(element) = &field.element {
        let key = scope.eval(element, None)?;
        let key = key.as_text().ok_or_else(unknown)?;
        if key.is_empty() {
            return Err(Failure::invalid(&shown, format!("a key of `{shown}` cannot be empty")));
        }
        path.push(key.into());
    }
    let (ty, declared) = inside(program, attribute, &path[1..]).ok_or_else(unknown)?;
    let to = match field.value.concerns_item() {
        true => To::OfItem(field.value.clone()),
        false => {
            let value = unsealed(scope, scope.eval(&field.value, None)?)?;
            let admit = Admit::computed(scope);
            To::Value(match field.op {
                FieldOp::Set => admitted(&admit, (&ty, declared), value, &shown)?,
                FieldOp::Add | FieldOp::Subtract => delta(&admit, &ty, value, &shown)?,
            })
        }
    };
    let removes = matches!(to, To::Value(Val::Absent)) && field.op == FieldOp::Set;
    let required = declared.is_some_and(|attribute| !attribute.may_be_absent());
    if removes && path.len() > 1 && required {
        return Err(lacking(&shown, matches!(*ty, Type::Set { .. })));
    }
    Ok(Change { attribute: field.path.attribute, path, op: field.op, to, ty })
}

/// The amount of a change: a number of any sign, members of a set, elements of a list.
fn delta(admit: &Admit<'_>, ty: &Type, value: Val, field: &str) -> Result<Val, Failure> {
    match (ty, value) {
        (Type::Int { .. }, value) => admit.value(&Type::Int { min: None, max: None }, value, field),
        (Type::Set { of, .. }, value) if value.members().is_none() => {
            admit.value(of, value, field).map(|member| Val::Set(vec![member]))
        }
        (ty, value) => admit.value(ty, value, field),
    }
}

/// Adds what is written on entering a state, where the statement does not write it itself.
pub(super) fn enter(scope: &Scope<'_>, plan: &mut Plan<'_>) -> Result<(), Failure> {
    let entity = plan.info.of(&scope.shared.program);
    let mut entered = Vec::new();
    for states in &entity.states {
        let Some(state) = state_set(plan, states) else { continue };
        let is_entered = |each: &Arc<str>| **each == *state;
        for enter in states.enters.iter().filter(|enter| enter.states.iter().any(is_entered)) {
            for field in &enter.fields {
                entered.push(change(scope, plan.info, field)?);
            }
        }
    }
    for change in entered {
        if !plan.changes.iter().any(|earlier| earlier.path == change.path) {
            plan.changes.push(change);
        }
    }
    Ok(())
}

/// The state that a plan sets, if it sets one.
pub(super) fn state_set(plan: &Plan<'_>, states: &States) -> Option<String> {
    let path = way(plan.info, &states.path);
    plan.changes.iter().find_map(|change| match &change.to {
        To::Value(Val::Text(state)) if change.op == FieldOp::Set && change.path == path => {
            Some(state.clone())
        }
        _ => None,
    })
}

/// An item with a version counts its changes.
pub(super) fn count_version(scope: &Scope<'_>, plan: &mut Plan<'_>) {
    let entity = plan.info.of(&scope.shared.program);
    if let Some((id, attribute)) = entity.attributes.entries().find(|(_, each)| each.flags.version) {
        let path = vec![attribute.name.clone()];
        plan.changes.retain(|change| change.path != path);
        let ty = Arc::new(Type::Int { min: None, max: None });
        let to = To::Value(Val::integer(1));
        plan.changes.push(Change { attribute: id, path, op: FieldOp::Add, to, ty });
    }
}

impl Plan<'_> {
    /// Puts every change into an image of the item.
    pub(super) fn apply_to_item(
        &self,
        scope: &Scope<'_>,
        old: &Fields,
        new: &mut Fields,
    ) -> Result<(), Failure> {
        let program = &scope.shared.program;
        let entity = self.info.of(program);
        let keeps = |change: &&Change| {
            self.verb == WriteVerb::Upsert && entity.attributes[change.attribute].flags.immutable
        };
        // An attribute that an `upsert` gives once and for all may have been given before.
        for change in self.changes.iter().filter(|each| !keeps(each) || !old.contains_key(&each.path[0])) {
            let shown = change.path.join(".");
            let admit = Admit::computed(scope);
            let value = match &change.to {
                To::Value(value) => value.clone(),
                To::OfItem(expr) => scope.eval(expr, Some(View::of(self.info.at, old)))?,
            };
            let before = match at(new, &change.path) {
                Some(before) => before.clone(),
                None if change.op != FieldOp::Set => default_of(scope, self.info, change)?,
                None => Val::Absent,
            };
            let value = changed(change.op, before, value)
                .ok_or_else(|| Failure::invalid(&shown, format!("`{shown}` cannot be changed by this")))?;
            let declared = inside(program, &entity.attributes[change.attribute], &change.path[1..]);
            let value = admitted(&admit, (&change.ty, declared.and_then(|(_, each)| each)), value, &shown);
            let value = match (value, &*change.ty) {
                (Err(_), Type::Int { .. } | Type::Decimal { .. }) if change.op != FieldOp::Set => {
                    return Err(leaves_range(&shown));
                }
                (value, _) => value?,
            };
            put(new, &change.path, value);
        }
        self.complete_parents(scope, old, new)
    }
}

/// A number that is counted to where its type does not reach.
pub(super) fn leaves_range(path: &str) -> Failure {
    Failure::new(FailureKind::CheckFailed, format!("`{path}` would leave its range")).at(path)
}

fn changed(op: FieldOp, before: Val, value: Val) -> Option<Val> {
    match (op, before, value) {
        (FieldOp::Set, _, value) => Some(value),
        // Nothing is added or taken away.
        (FieldOp::Add | FieldOp::Subtract, before, Val::Absent) => Some(before),
        (FieldOp::Add, Val::Absent, value) => Some(value),
        (FieldOp::Subtract, Val::Absent, Val::Number(number)) => Some(Val::Number(number.negated())),
        (FieldOp::Add, Val::Number(before), Val::Number(by)) => {
            arithmetic(Op::Add, before, by).map(Val::Number)
        }
        (FieldOp::Subtract, Val::Number(before), Val::Number(by)) => {
            arithmetic(Op::Sub, before, by).map(Val::Number)
        }
        (FieldOp::Add, Val::List(mut before), Val::List(more)) => {
            before.extend(more);
            Some(Val::List(before))
        }
        (FieldOp::Add, Val::Set(mut before), Val::Set(more)) => {
            before.extend(more);
            Some(Val::Set(before))
        }
        (FieldOp::Subtract, Val::Set(mut before), Val::Set(less)) => {
            before.retain(|each| !less.contains(each));
            Some(Val::Set(before))
        }
        (FieldOp::Subtract, Val::Absent, Val::Set(_)) => Some(Val::Absent),
        _ => None,
    }
}
