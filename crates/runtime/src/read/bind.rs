//! What a pattern binds: one set of known attributes for each query it makes.

use std::sync::Arc;

use sortkey_design::facts::{Condition, condition};
use sortkey_design::model::*;

use super::Read;
use crate::evaluate::{Scope, View};
use crate::values::{Admit, Fields, Val};
use crate::{Failure, FailureKind};

/// More queries than this are a mistake of the design or of the caller.
const MAX_BRANCHES: usize = 1_000;

impl Read {
    /// The known attributes, once per value of each `in`. A list of another tenant's items is not found, one item absent.
    pub(super) fn branches(&self, scope: &Scope<'_>) -> Result<Vec<Fields>, Failure> {
        let design = &scope.shared.design;
        let entity = self.entity(scope).of(design);
        let admit = Admit::computed(scope).finding();
        let mut branches = vec![Fields::with_capacity(self.pattern.binds.len())];
        let anatomy = &self.entity(scope).anatomy;
        let shared_name =
            |name: &str| anatomy.attribute(name).map_or_else(|| name.into(), |each| each.name.clone());
        for bind in &self.pattern.binds {
            let name = &bind.name.text;
            let attribute = entity.attribute(name);
            let admitted = |value: Val| match attribute {
                Some(attribute) => admit.attribute(attribute, value, name),
                None => Ok(value),
            };
            let values = match &bind.value {
                BindValue::Parameter => {
                    let value = admitted(scope.get(name).cloned().unwrap_or_default())?;
                    with(&mut branches, &shared_name(name), value);
                    continue;
                }
                BindValue::Expr(expr) => {
                    let value = admitted(scope.eval(expr, None)?)?;
                    with(&mut branches, &shared_name(name), value);
                    continue;
                }
                BindValue::All => every_value(attribute.map(|each| design.type_of(each))),
                BindValue::In(list) => distinct(scope.eval(list, None)?),
            };
            let values = values.into_iter().map(admitted).collect::<Result<Vec<Val>, Failure>>()?;
            branches = product(&branches, name, &values);
            if branches.len() > MAX_BRANCHES {
                return Err(Failure::invalid(name, format!("`{name}` has more than {MAX_BRANCHES} values")));
            }
        }
        for conjunct in self.pattern.conditions() {
            if let Condition::Equal(name, value) = condition(conjunct)
                && let Some(attribute) = entity.attribute(name)
            {
                let value = admit.attribute(attribute, scope.eval(value, None)?, name)?;
                with(&mut branches, &shared_name(name), value);
            }
        }
        branches.retain(|branch| self.is_ours(scope, entity, branch));
        if branches.is_empty()
            && (self.pattern.is_list() || matches!(self.pattern.verb, ReadVerb::Sum | ReadVerb::Count))
            && self.names_tenant(entity)
            && scope.caller.is_some()
        {
            return Err(Failure::new(
                FailureKind::NotFound,
                format!("`{}` finds nothing of another tenant", self.pattern.name),
            ));
        }
        branches.iter_mut().try_for_each(|branch| derive(scope, self.entities[0], branch))?;
        Ok(branches)
    }

    /// Whether the arguments say whose items are asked for.
    fn names_tenant(&self, entity: &Entity) -> bool {
        let bound = |tenant: &Name| {
            matches!(self.pattern.bind(&tenant.text), Some(Bind { value: BindValue::Parameter, .. }))
        };
        entity.tenant.as_ref().is_some_and(bound)
    }

    /// Whether the tenant that the arguments name is the caller's own.
    pub(super) fn is_ours(&self, scope: &Scope<'_>, entity: &Entity, branch: &Fields) -> bool {
        let (Some(caller), Some(tenant)) = (&scope.caller, &entity.tenant) else { return true };
        match branch.get(&tenant.text) {
            Some(value) => caller.get(&tenant.text).is_some_and(|own| own.same(value)),
            None => true,
        }
    }
}

/// Computes the derived attributes that follow from the known ones.
pub(crate) fn derive(scope: &Scope<'_>, entity_at: usize, known: &mut Fields) -> Result<(), Failure> {
    let design = &scope.shared.design;
    let entity = &design.entities[entity_at];
    for (at, inputs) in &scope.shared.entities[entity_at].anatomy.derived {
        let attribute = &entity.attributes[*at];
        let Some(Fill { value, .. }) = &attribute.value else { continue };
        let name = &attribute.name.text;
        if known.contains_key(name) || !inputs.iter().all(|input| known.contains_key(input)) {
            continue;
        }
        // Only the item's own attributes count: a parameter of the same name is another thing.
        let computed = scope.fresh().eval(value, Some(View::of(entity_at, known)))?;
        let admit = Admit::computed(scope);
        known.insert(name.clone(), admit.attribute(attribute, computed, name)?);
    }
    Ok(())
}

/// Adds a value to every branch; what is absent is not known.
fn with(branches: &mut [Fields], name: &Arc<str>, value: Val) {
    match branches {
        _ if value.is_absent() => {}
        [branch] => branch.insert(name.clone(), value),
        branches => branches.iter_mut().for_each(|branch| branch.insert(name.clone(), value.clone())),
    }
}

/// Every branch with every value. One value alone that is absent is not known.
fn product(branches: &[Fields], name: &str, values: &[Val]) -> Vec<Fields> {
    let joined = |branch: &Fields, value: &Val| {
        let mut branch = branch.clone();
        if values.len() > 1 || !value.is_absent() {
            branch.insert(name, value.clone());
        }
        branch
    };
    branches.iter().flat_map(|branch| values.iter().map(move |value| joined(branch, value))).collect()
}

fn distinct(list: Val) -> Vec<Val> {
    let mut values: Vec<Val> = Vec::new();
    for value in list.members().unwrap_or_default() {
        if !values.contains(value) {
            values.push(value.clone());
        }
    }
    values
}

/// Every value of a bounded type, in order.
fn every_value(ty: Option<&Type>) -> Vec<Val> {
    match ty {
        Some(Type::Bool) => vec![Val::Bool(false), Val::Bool(true)],
        Some(Type::Enum { members, .. }) => members.iter().map(Val::text).collect(),
        Some(Type::Int { min: Some(min), max: Some(max) }) => {
            (*min..=*max).take(MAX_BRANCHES + 1).map(Val::integer).collect()
        }
        _ => Vec::new(),
    }
}
