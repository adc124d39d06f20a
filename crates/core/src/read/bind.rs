//! What a pattern binds: one set of known attributes for each query it makes.

use std::sync::Arc;

use sortkey_design::model::ReadVerb;
use sortkey_design::program::{Bind, BindValue, Bound, Conjunct, EntityId, Expr, ExprKind, Fill, Says, Type};

use super::Read;
use crate::evaluate::{Scope, View};
use crate::values::{Admit, Fields, Val};
use crate::{Failure, FailureKind};

/// More queries than this are a mistake of the design or of the caller.
const MAX_BRANCHES: usize = 1_000;

impl Read {
    /// The known attributes, once per value of each `in`. A list of another tenant's items is not found, one item absent.
    pub(super) fn branches(&self, scope: &Scope<'_>) -> Result<Vec<Fields>, Failure> {
        let entity = self.entity(scope).of(&scope.shared.program);
        let admit = Admit::computed(scope).finding();
        let mut branches = vec![Fields::with_capacity(self.pattern.binds.len())];
        for bind in &self.pattern.binds {
            let attribute = match bind.to {
                Bound::Attribute(id) => Some(&entity.attributes[id]),
                Bound::Stored(_) => None,
            };
            let name = match bind.to {
                Bound::Attribute(id) => &entity.attributes[id].name,
                Bound::Stored(id) => &entity.templates[id].name,
            };
            let admitted = |value: Val| match attribute {
                Some(attribute) => admit.attribute(attribute, value, name),
                None => Ok(value),
            };
            let values = match &bind.value {
                BindValue::Parameter(local) => {
                    let value = admitted(scope.get(*local).cloned().unwrap_or_default())?;
                    with(&mut branches, name, value);
                    continue;
                }
                BindValue::Expr(expr) => {
                    let value = admitted(scope.eval(expr, None)?)?;
                    with(&mut branches, name, value);
                    continue;
                }
                BindValue::All => every_value(attribute.map(|each| &*each.ty)),
                BindValue::In(list) => distinct(scope.eval(list, None)?),
            };
            let values = values.into_iter().map(admitted).collect::<Result<Vec<Val>, Failure>>()?;
            branches = product(&branches, name, &values);
            if branches.len() > MAX_BRANCHES {
                return Err(Failure::invalid(
                    &**name,
                    format!("`{name}` has more than {MAX_BRANCHES} values"),
                ));
            }
        }
        for conjunct in &self.pattern.conditions {
            if let (Says::Equal(Bound::Attribute(id)), Some(value)) = (conjunct.says, compared(conjunct)) {
                let attribute = &entity.attributes[id];
                let value = admit.attribute(attribute, scope.eval(value, None)?, &attribute.name)?;
                with(&mut branches, &attribute.name, value);
            }
        }
        branches.retain(|branch| self.is_ours(scope, branch));
        if branches.is_empty()
            && (self.pattern.is_list() || matches!(self.pattern.verb, ReadVerb::Sum | ReadVerb::Count))
            && self.names_tenant(scope)
            && scope.caller.is_some()
        {
            return Err(Failure::new(
                FailureKind::NotFound,
                format!("`{}` finds nothing of another tenant", self.pattern.name),
            ));
        }
        branches.iter_mut().try_for_each(|branch| derive(scope, self.first(), branch))?;
        Ok(branches)
    }

    /// Whether the arguments say whose items are asked for.
    fn names_tenant(&self, scope: &Scope<'_>) -> bool {
        let tenant = self.entity(scope).of(&scope.shared.program).tenant;
        tenant.is_some_and(|tenant| {
            let bind = self.pattern.bind(Bound::Attribute(tenant.attribute));
            matches!(bind, Some(Bind { value: BindValue::Parameter(_), .. }))
        })
    }

    /// Whether the tenant that the arguments name is the caller's own.
    pub(super) fn is_ours(&self, scope: &Scope<'_>, branch: &Fields) -> bool {
        let entity = self.entity(scope).of(&scope.shared.program);
        let (Some(caller), Some(tenant)) = (&scope.caller, entity.tenant) else { return true };
        let name = &entity.attributes[tenant.attribute].name;
        match branch.get(name) {
            Some(value) => caller.get(name).is_some_and(|own| own.same(value)),
            None => true,
        }
    }
}

/// What a condition compares an attribute with.
fn compared(conjunct: &Conjunct) -> Option<&Expr> {
    match &conjunct.expr.kind {
        ExprKind::Binary { right, .. } => Some(right),
        _ => None,
    }
}

/// Computes the derived attributes that follow from the known ones.
pub(crate) fn derive(scope: &Scope<'_>, entity_id: EntityId, known: &mut Fields) -> Result<(), Failure> {
    let entity = &scope.shared.program.entities[entity_id];
    for (id, inputs) in &scope.shared.entities[entity_id].anatomy.derived {
        let attribute = &entity.attributes[*id];
        let Some(Fill { value, .. }) = &attribute.fill else { continue };
        let is_known = |id| known.contains_key(&entity.attributes[id].name);
        if is_known(*id) || !inputs.iter().all(|input| is_known(*input)) {
            continue;
        }
        let computed = scope.eval(value, Some(View::of(entity_id, known)))?;
        let computed = Admit::computed(scope).attribute(attribute, computed, &attribute.name)?;
        known.insert(attribute.name.clone(), computed);
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
fn product(branches: &[Fields], name: &Arc<str>, values: &[Val]) -> Vec<Fields> {
    let joined = |branch: &Fields, value: &Val| {
        let mut branch = branch.clone();
        if values.len() > 1 || !value.is_absent() {
            branch.insert(name.clone(), value.clone());
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
        Some(Type::Enum(words)) => words.words.iter().map(|word| Val::text(&**word)).collect(),
        Some(Type::Int { min: Some(min), max: Some(max) }) => {
            (*min..=*max).take(MAX_BRANCHES + 1).map(Val::integer).collect()
        }
        _ => Vec::new(),
    }
}
