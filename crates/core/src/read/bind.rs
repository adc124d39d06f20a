//! The bindings of a pattern: one set of known attributes for each query it makes.

use std::borrow::Cow;

use sortkey_design::model::Op;
use sortkey_design::program::{
    AttributeId, Bind, BindValue, Bound, Entity, EntityId, Expr, ExprKind, Fill, LocalId, Pattern, Type,
};
use sortkey_plan::GivenBy;

use super::Read;
use crate::evaluate::Scope;
use crate::values::{Admit, Known, Val, Values};
use crate::{Failure, FailureKind};

/// More queries than this are a mistake of the design or of the caller.
const MAX_BRANCHES: usize = 1_000;

impl Read {
    /// The known values of each query: one set for every combination of those of `in` and `all`. A list of another tenant's
    /// items is not found, one item absent.
    pub(super) fn branches<'s>(&self, scope: &'s Scope<'_>) -> Result<Vec<Known<'s>>, Failure> {
        if self.may_ask_for_nothing && self.asks_for_nothing(scope)? {
            return Ok(Vec::new());
        }
        let entity = self.entity(scope).of(&scope.shared.program);
        let admit = Admit::computed(scope).finding();
        let mut branches = vec![Known::with_capacity(self.plan.given.len() + 1)];
        for given in &self.plan.given {
            let admitted = |value: Val| match given.to {
                Bound::Attribute(id) => {
                    let attribute = &entity.attributes[id];
                    admit.attribute(attribute, value, &attribute.name)
                }
                Bound::Stored(_) => Ok(value),
            };
            let values = match self.source(given.by) {
                // An argument for the attribute itself is admitted already.
                Some(Source::Parameter(local)) => {
                    let Some(value) = scope.get(local) else { continue };
                    let value = match self.is_of(local, given.to) {
                        true => Cow::Borrowed(value),
                        false => Cow::Owned(admitted(value.clone())?),
                    };
                    with(&mut branches, given.to, value);
                    continue;
                }
                Some(Source::Value(expr)) => {
                    with(&mut branches, given.to, Cow::Owned(admitted(scope.eval(expr, None)?)?));
                    continue;
                }
                Some(Source::Every) => every_value(entity, given.to),
                Some(Source::Each(list)) => scope.eval(list, None)?.members().unwrap_or_default().to_vec(),
                None => continue,
            };
            // Values that are different as they are given may be one value as it is stored.
            let values = distinct(values.into_iter().map(admitted).collect::<Result<_, Failure>>()?);
            branches = product(&branches, given.to, &values);
            if branches.len() > MAX_BRANCHES {
                let name = name_of(entity, given.to);
                let message = format!("`{name}` has more than {MAX_BRANCHES} values");
                return Err(Failure::invalid(name, message));
            }
        }
        branches.retain(|branch| self.is_ours(scope, branch));
        if branches.is_empty()
            && (self.pattern.is_list() || self.summarises())
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

    /// Whether a key is compared with a value that is absent: no item has that. An optional parameter that is left out is not
    /// such a value, and drops what it is compared with.
    fn asks_for_nothing(&self, scope: &Scope<'_>) -> Result<bool, Failure> {
        for expr in compared(&self.pattern) {
            let mut is_dropped = false;
            expr.walk(&mut |each| {
                if let ExprKind::Local(local) = each.kind {
                    is_dropped |= scope.get(local).is_none_or(Val::is_absent);
                }
            });
            if !is_dropped && scope.eval(expr, None)?.is_absent() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The source of a known value.
    fn source(&self, by: GivenBy) -> Option<Source<'_>> {
        match by {
            GivenBy::Bind(at) | GivenBy::Every(at) | GivenBy::Each(at) => {
                Some(match &self.pattern.binds.get(at)?.value {
                    BindValue::Parameter(local) => Source::Parameter(*local),
                    BindValue::Expr(expr) => Source::Value(expr),
                    BindValue::All => Source::Every,
                    BindValue::In(list) => Source::Each(list),
                })
            }
            GivenBy::Condition(at) => match &self.pattern.conditions.get(at)?.expr.kind {
                ExprKind::Binary { right, .. } => Some(Source::Value(right)),
                _ => None,
            },
        }
    }

    /// Whether a parameter belongs to an attribute of the entity itself,
    /// so that its argument was admitted as one. A default was not.
    pub(super) fn is_of(&self, local: LocalId, to: Bound) -> bool {
        let Bound::Attribute(id) = to else { return false };
        let parameter = self.pattern.signature.parameters.iter().find(|each| each.local == local);
        parameter.is_some_and(|each| each.attribute == Some((self.first(), id)) && each.default.is_none())
    }

    /// Whether an argument names the tenant whose items are asked for.
    fn names_tenant(&self, scope: &Scope<'_>) -> bool {
        let tenant = self.entity(scope).of(&scope.shared.program).tenant;
        tenant.is_some_and(|tenant| {
            let bind = self.pattern.bind(Bound::Attribute(tenant.attribute));
            matches!(bind, Some(Bind { value: BindValue::Parameter(_), .. }))
        })
    }

    /// Whether the tenant that the arguments name is the caller's own.
    fn is_ours(&self, scope: &Scope<'_>, branch: &Known<'_>) -> bool {
        let entity = self.entity(scope).of(&scope.shared.program);
        let (Some(caller), Some(tenant)) = (&scope.caller, entity.tenant) else { return true };
        let name = &entity.attributes[tenant.attribute].name;
        match branch.get(Bound::Attribute(tenant.attribute)) {
            Some(value) => caller.get(name).is_some_and(|own| own.same(value)),
            None => true,
        }
    }
}

/// The source of a known value.
enum Source<'r> {
    Parameter(LocalId),
    Value(&'r Expr),
    /// Every value of the type, one query each.
    Every,
    /// Every element of a list, one query each.
    Each(&'r Expr),
}

/// The values that a pattern compares attributes with, as far as they may be absent and are no parameters.
pub(super) fn compared(pattern: &Pattern) -> impl Iterator<Item = &Expr> {
    let bound = pattern.binds.iter().filter_map(|bind| match &bind.value {
        BindValue::Expr(expr) => Some(expr),
        _ => None,
    });
    let conditions = pattern.conditions.iter().filter_map(|conjunct| match &conjunct.expr.kind {
        ExprKind::Binary {
            op: Op::Eq | Op::Lt | Op::LtEq | Op::Gt | Op::GtEq | Op::StartsWith,
            right,
            ..
        } => Some(&**right),
        _ => None,
    });
    bound.chain(conditions).filter(|expr| may_be_nothing(expr))
}

/// Whether a value may be absent that is neither a parameter nor written in the text. The bounds of a range are left out
/// one by one.
fn may_be_nothing(expr: &Expr) -> bool {
    let is_plain = matches!(
        expr.kind,
        ExprKind::Local(_)
            | ExprKind::Setting(_)
            | ExprKind::Number(_)
            | ExprKind::Text(_)
            | ExprKind::Word(_)
            | ExprKind::Bool(_)
            | ExprKind::Now
            | ExprKind::Range { .. }
    );
    !is_plain && !expr.concerns_item()
}

/// Computes the derived attributes that follow from the known ones.
pub(crate) fn derive(scope: &Scope<'_>, entity_id: EntityId, known: &mut impl Values) -> Result<(), Failure> {
    let entity = &scope.shared.program.entities[entity_id];
    for (id, inputs) in &scope.shared.entities[entity_id].anatomy.derived {
        let attribute = &entity.attributes[*id];
        let Some(Fill { value, .. }) = &attribute.fill else { continue };
        let is_known = |id: AttributeId| known.value(entity, id).is_some();
        if is_known(*id) || !inputs.iter().all(|input| is_known(*input)) {
            continue;
        }
        let computed = scope.eval(value, Some(known.view(entity_id)))?;
        let computed = Admit::computed(scope).attribute(attribute, computed, &attribute.name)?;
        known.set(entity, *id, computed);
    }
    Ok(())
}

/// Adds a value to every branch; what is absent is not known.
fn with<'s>(branches: &mut [Known<'s>], of: Bound, value: Cow<'s, Val>) {
    match branches {
        _ if value.is_absent() => {}
        [branch] => branch.put(of, value),
        branches => branches.iter_mut().for_each(|branch| branch.put(of, value.clone())),
    }
}

/// Every branch with every value. One value alone that is absent is not known.
fn product<'s>(branches: &[Known<'s>], of: Bound, values: &[Val]) -> Vec<Known<'s>> {
    let joined = |branch: &Known<'s>, value: &Val| {
        let mut branch = branch.clone();
        if values.len() > 1 || !value.is_absent() {
            branch.put(of, Cow::Owned(value.clone()));
        }
        branch
    };
    branches.iter().flat_map(|branch| values.iter().map(move |value| joined(branch, value))).collect()
}

/// The name of something that is bound.
fn name_of(entity: &Entity, of: Bound) -> &str {
    match of {
        Bound::Attribute(id) => &entity.attributes[id].name,
        Bound::Stored(id) => &entity.templates[id].name,
    }
}

fn distinct(given: Vec<Val>) -> Vec<Val> {
    let mut values: Vec<Val> = Vec::with_capacity(given.len());
    for value in given {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

/// Every value of a bounded type, in order.
fn every_value(entity: &Entity, of: Bound) -> Vec<Val> {
    let Bound::Attribute(id) = of else { return Vec::new() };
    match &*entity.attributes[id].ty {
        Type::Bool => vec![Val::Bool(false), Val::Bool(true)],
        Type::Enum(words) => words.words.iter().map(|word| Val::text(&**word)).collect(),
        Type::Int { min: Some(min), max: Some(max) } => {
            (*min..=*max).take(MAX_BRANCHES + 1).map(Val::integer).collect()
        }
        _ => Vec::new(),
    }
}
