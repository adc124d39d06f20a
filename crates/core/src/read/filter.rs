//! The filter of results: live items of the entity, of the caller's tenant, that satisfy the pattern.

use sortkey_design::program::{Attribute, AttributeId, BindValue, Bound, Conjunct, Expr, LocalId, Type};
use sortkey_diagnostics::a;
use sortkey_plan::Held;
use sortkey_value::Item;

use super::{Hit, Read};
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::interpret::{from_defaults, from_keys};
use crate::proof::{Asks, Sure};
use crate::values::{Admit, Fields, Known, Val};
use crate::{Failure, FailureKind};

/// The conditions of a call on the items of a response.
pub(super) struct Sieve<'a> {
    /// The conditions for each entity of the pattern.
    conditions: Vec<Vec<&'a Expr>>,
    /// The facts that follow from the key of the request.
    sure: Option<Sure<'a>>,
    /// The known values of the queries; checked only for attributes that a key merely narrows down.
    known: &'a [Known<'a>],
}

impl Sieve<'_> {
    fn lets_through(&self, scope: &Scope<'_>, at: usize, item: View<'_>) -> Result<bool, Failure> {
        for conjunct in self.conditions.get(at).into_iter().flatten() {
            // Of an item that a condition cannot be evaluated for, it does not hold.
            let holds = match scope.holds(conjunct, Some(item)) {
                Err(failure) if failure.kind == FailureKind::Invalid => false,
                holds => holds?,
            };
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Read {
    /// A stored item, if the pattern may return it.
    pub(super) fn admitted(
        &self,
        scope: &Scope<'_>,
        sieve: &Sieve<'_>,
        item: Item,
    ) -> Result<Option<Hit>, Failure> {
        let (at, info) = match self.pattern.entities.len() {
            1 => (0, self.entity(scope)),
            _ => match self.owner(scope, &item) {
                Some(owner) => owner,
                None => return Ok(None),
            },
        };
        if let Some(held) = self.held(at) {
            return self.admitted_part(scope, sieve, (at, info), held, &item);
        }
        let asks = Asks {
            with_expired: self.pattern.with_expired,
            with_deleted: self.pattern.with_deleted,
            sure: sieve.sure.as_ref(),
        };
        let Some(item) = info.visible(scope, item, asks)? else { return Ok(None) };
        let view = View::stored(info.at, &item);
        match self.has_known(scope, sieve, view) && sieve.lets_through(scope, at, view)? {
            true => Hit::stored(scope, info, item).map(Some),
            false => Ok(None),
        }
    }

    /// The part of an item that an index holds, if the pattern may return it.
    fn admitted_part(
        &self,
        scope: &Scope<'_>,
        sieve: &Sieve<'_>,
        (at, info): (usize, &EntityInfo),
        held: &Held,
        item: &Item,
    ) -> Result<Option<Hit>, Failure> {
        let program = &scope.shared.program;
        if !info.owns(program, item) {
            return Ok(None);
        }
        let mut fields = info.decode(program, item);
        from_keys(scope, info, item, &mut fields);
        from_defaults(scope, info, &mut fields);
        // Nothing is known of what the index does not hold, its default least of all.
        let attribute = |name: &str| info.anatomy.attribute(name).map(|each| each.id);
        fields.retain(|name, _| attribute(name).is_some_and(|id| held.attributes.contains(id)));
        let asked = self.with_bound(scope, info, held, &fields);
        let view = View::held(info.at, &asked, item);
        let is_live = (self.pattern.with_expired || !is_expired(scope, view))
            && (self.pattern.with_deleted || !is_deleted(scope, view)?);
        let is_asked_for = is_live && is_ours(scope, view) && self.has_known(scope, sieve, view);
        match is_asked_for && sieve.lets_through(scope, at, view)? {
            true => Hit::decoded(scope, info, fields).map(Some),
            false => Ok(None),
        }
    }

    /// Whether an item has the values that its key only narrows down, as one of the queries asked for them.
    fn has_known(&self, scope: &Scope<'_>, sieve: &Sieve<'_>, item: View<'_>) -> bool {
        // `narrowed` names attributes of the first entity.
        if self.plan.narrowed.is_empty() || item.entity() != Some(self.first()) {
            return true;
        }
        let has = |known: &Known<'_>, id: AttributeId| {
            known.get(Bound::Attribute(id)).is_none_or(|value| item.has(scope.shared, id, value))
        };
        sieve.known.iter().any(|known| self.plan.narrowed.iter().all(|id| has(known, *id)))
    }

    /// The part of an item that an index holds, with the arguments of its key,
    /// from which they cannot always be recovered.
    fn with_bound(&self, scope: &Scope<'_>, info: &EntityInfo, held: &Held, fields: &Fields) -> Fields {
        let mut known = fields.clone();
        for bind in self.pattern.binds.iter().filter(|_| info.at == self.first()) {
            if let (Bound::Attribute(id), BindValue::Parameter(local)) = (bind.to, &bind.value)
                && held.attributes.contains(id)
                && let Some(value) = scope.get(*local).filter(|value| !value.is_absent())
            {
                known.get_or_insert_with(info.name_of(id).clone(), || value.clone());
            }
        }
        known
    }

    /// The conditions on the items of some queries.
    pub(super) fn sieve<'r>(&'r self, scope: &Scope<'_>, known: &'r [Known<'r>]) -> Sieve<'r> {
        let proof = self.entity(scope).proof.as_ref().filter(|_| self.pattern.entities.len() == 1);
        // With several queries there are several keys, and the origin of an item is unknown.
        let sure = match (proof, known) {
            (Some(proof), [known]) => Some(proof.sure(scope, &self.plan.key, known)),
            _ => None,
        };
        if self.pattern.conditions.is_empty() && self.pattern.filters.is_empty() {
            return Sieve { conditions: Vec::new(), sure, known };
        }
        let asked = |conjunct: &&Conjunct| is_asked(scope, conjunct);
        let of = |(conjuncts, residual): (&'r Vec<Conjunct>, &Vec<usize>)| {
            let conjuncts = residual.iter().filter_map(|at| conjuncts.get(*at));
            conjuncts.filter(asked).map(|each| &each.expr).collect()
        };
        let conditions = self.pattern.sieve.iter().zip(&self.plan.residual).map(of).collect();
        Sieve { conditions, sure, known }
    }

    /// The part that the path holds of an item of the entity at a place; none if it holds all.
    fn held(&self, at: usize) -> Option<&Held> {
        self.plan.held.as_ref()?.get(at)
    }
}

/// Whether a condition is asked in a call: one that uses an optional parameter is not asked where that is left out.
pub(super) fn is_asked(scope: &Scope<'_>, conjunct: &Conjunct) -> bool {
    !conjunct.drops.iter().any(|local| is_left_out(scope, *local))
}

/// Whether an optional parameter is left out, which drops the conditions that use it.
fn is_left_out(scope: &Scope<'_>, local: LocalId) -> bool {
    scope.get(local).is_none_or(Val::is_absent)
}

/// Whether an item is past its time, though it may still be stored.
pub fn is_expired(scope: &Scope<'_>, item: View<'_>) -> bool {
    let ttl = item.entity().and_then(|entity| scope.shared.program.entities[entity].ttl);
    let Some(ttl) = ttl else { return false };
    matches!(item.get(scope.shared, ttl).as_deref(), Some(Val::Time(time_ms)) if *time_ms <= scope.now_ms)
}

/// Whether an item counts as deleted, though it is stored.
pub fn is_deleted(scope: &Scope<'_>, item: View<'_>) -> Result<bool, Failure> {
    let entity = item.entity().map(|entity| &scope.shared.program.entities[entity]);
    match entity.and_then(|entity| entity.deleted.as_ref()) {
        Some(deleted) => scope.holds(deleted, Some(item)),
        None => Ok(false),
    }
}

/// Whether an item is the caller's; `system` owns everything.
pub(crate) fn is_ours(scope: &Scope<'_>, item: View<'_>) -> bool {
    let entity = item.entity().map(|entity| &scope.shared.program.entities[entity]);
    let tenant = entity.and_then(|entity| Some((entity, entity.tenant?.attribute)));
    let (Some(caller), Some((entity, tenant))) = (&scope.caller, tenant) else { return true };
    let own = caller.get(&entity.attributes[tenant].name);
    own.is_some_and(|own| item.has(scope.shared, tenant, own))
}

/// A computed value. One that cannot be computed, or is not of its declared type, is absent: its item can still be read.
fn conforming(scope: &Scope<'_>, attribute: &Attribute, value: Result<Val, Failure>) -> Result<Val, Failure> {
    let admit = Admit::computed(scope).keeping_empty();
    match value.and_then(|value| admit.attribute(attribute, value, &attribute.name)) {
        Err(failure) if failure.kind == FailureKind::Invalid => Ok(Val::Absent),
        value => value,
    }
}

/// The value of an attribute that is computed from an item when it is read; absent if the attribute is not computed.
pub(crate) fn computed(
    scope: &Scope<'_>,
    info: &EntityInfo,
    id: AttributeId,
    item: View<'_>,
) -> Result<Val, Failure> {
    let attribute = &info.of(&scope.shared.program).attributes[id];
    match attribute.fill.as_ref().filter(|_| attribute.flags.computed) {
        Some(fill) => conforming(scope, attribute, scope.eval(&fill.value, Some(item))),
        None => Ok(Val::Absent),
    }
}

/// Refuses an item with a value that can be computed and is not of its declared type: a new one is not made so.
pub(crate) fn computes(scope: &Scope<'_>, info: &EntityInfo, fields: &Fields) -> Result<(), Failure> {
    let attributes = &info.of(&scope.shared.program).attributes;
    for attribute in attributes.iter().filter(|each| each.flags.computed) {
        let Some(fill) = &attribute.fill else { continue };
        let Ok(value) = scope.eval(&fill.value, Some(View::of(info.at, fields))) else { continue };
        let admitted = Admit::computed(scope).keeping_empty().attribute(attribute, value, &attribute.name);
        if let Err(failure) = admitted {
            let message = format!("{}, computed for {}", failure.message, a(&info.name));
            return Err(Failure::new(FailureKind::CheckFailed, message).at(attribute.name.to_string()));
        }
    }
    Ok(())
}

/// Attributes that are computed when they are read, those inside objects included.
pub(crate) fn add_virtual(scope: &Scope<'_>, info: &EntityInfo, fields: &mut Fields) -> Result<(), Failure> {
    let program = &scope.shared.program;
    if !info.anatomy.has_virtual {
        return Ok(());
    }
    for attribute in info.of(program).attributes.iter() {
        let name = &attribute.name;
        if let (true, Some(fill)) = (attribute.flags.computed, &attribute.fill) {
            let value = scope.eval(&fill.value, Some(View::of(info.at, fields)));
            let value = conforming(scope, attribute, value)?;
            if !value.is_absent() {
                fields.insert(name.clone(), value);
            }
        }
        if let (Type::Object(id), Some(Val::Map(inner))) = (&*attribute.ty, fields.get_mut(name)) {
            let attributes = &program.objects[*id].attributes;
            for nested in attributes.iter().filter(|each| each.flags.computed) {
                let Some(fill) = &nested.fill else { continue };
                let value = scope.fill(nested, &fill.value, View::object(attributes, inner));
                let value = conforming(scope, nested, value)?;
                if !value.is_absent() {
                    inner.insert(nested.name.clone(), value);
                }
            }
        }
    }
    Ok(())
}
