//! What may come back: live items of the entity, of the caller's tenant, that satisfy the pattern.

use std::sync::Arc;

use sortkey_design::Program;
use sortkey_design::program::{Attribute, BindValue, Bound, Conjunct, Entity, Expr, KeyPart, Source, Type};
use sortkey_value::Item;

use super::{Hit, Read, Route};
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::interpret::{from_defaults, from_keys};
use crate::values::{Admit, Fields, Val};
use crate::{Failure, FailureKind};

/// The conditions that a call asks of items, for each entity of its pattern; none if it asks nothing.
pub(super) struct Sieve<'a>(Vec<Vec<&'a Expr>>);

impl Sieve<'_> {
    fn lets_through(&self, scope: &Scope<'_>, at: usize, item: View<'_>) -> Result<bool, Failure> {
        for conjunct in self.0.get(at).into_iter().flatten() {
            if !scope.holds(conjunct, Some(item))? {
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
        let program = &scope.shared.program;
        let first = self.entity(scope);
        if let (1, None, Some(proof)) = (self.pattern.entities.len(), &self.held, &first.proof)
            && let Some(is_proven) = proof.holds(scope, &item, self.pattern.with_expired)
        {
            let view = View::stored(first.at, &item);
            let passes = is_proven
                && (self.pattern.with_deleted || !is_deleted(scope, view)?)
                && sieve.lets_through(scope, 0, view)?;
            return match passes {
                true => Hit::stored(scope, first, item).map(Some),
                false => first.contradiction(scope, &item).map_or(Ok(None), Err),
            };
        }
        let Some((at, info)) = self.owner(scope, &item) else { return Ok(None) };
        if let Some(held) = &self.held {
            let mut fields = info.decode(program, &item);
            from_keys(scope, info, &item, &mut fields);
            from_defaults(scope, info, &mut fields);
            // Nothing is known of what the index does not hold, its default least of all.
            fields.retain(|name, _| held.iter().any(|each| **each == *name));
            let asked = self.with_bound(scope, info, &fields);
            let passes = self.passes(scope, sieve, at, View::of(info.at, &asked))?;
            return if passes { Hit::decoded(scope, info, fields).map(Some) } else { Ok(None) };
        }
        let Some(item) = info.interpret_ours(scope, item)? else { return Ok(None) };
        if info.shares_table && !info.makes(program, &item) {
            return info.contradiction(scope, &item).map_or(Ok(None), Err);
        }
        match self.passes(scope, sieve, at, View::stored(info.at, &item))? {
            true => Hit::stored(scope, info, item).map(Some),
            false => Ok(None),
        }
    }

    /// What an index holds of an item, and what its key was asked for: a key does not always tell what it was made of.
    fn with_bound(&self, scope: &Scope<'_>, info: &EntityInfo, held: &Fields) -> Fields {
        let mut known = held.clone();
        for bind in self.pattern.binds.iter().filter(|_| info.at == self.first()) {
            if let (Bound::Attribute(id), BindValue::Parameter(local)) = (bind.to, &bind.value)
                && let Some(value) = scope.get(*local).filter(|value| !value.is_absent())
            {
                known.get_or_insert_with(info.name_of(id).clone(), || value.clone());
            }
        }
        known
    }

    fn passes(
        &self,
        scope: &Scope<'_>,
        sieve: &Sieve<'_>,
        at: usize,
        view: View<'_>,
    ) -> Result<bool, Failure> {
        let live = (self.pattern.with_expired || !is_expired(scope, view))
            && (self.pattern.with_deleted || !is_deleted(scope, view)?);
        if !live || !is_ours(scope, view) {
            return Ok(false);
        }
        sieve.lets_through(scope, at, view)
    }

    /// What is asked of items in this call.
    pub(super) fn sieve<'r>(&'r self, scope: &Scope<'_>) -> Sieve<'r> {
        if self.pattern.conditions.is_empty() && self.pattern.filters.is_empty() {
            return Sieve(Vec::new());
        }
        let entities = self.pattern.entities.iter().map(|id| &scope.shared.program.entities[*id]);
        let of = |(entity, conjuncts): (&Entity, &'r Vec<Conjunct>)| {
            let asked = conjuncts.iter().filter(|each| self.applies(scope, entity, each));
            asked.map(|each| &each.expr).collect()
        };
        Sieve(entities.zip(&self.pattern.sieve).map(of).collect())
    }

    /// Whether a condition is asked at all (an optional parameter that is left out drops it), and of attributes that the
    /// item holds (the others were answered by the path).
    fn applies(&self, scope: &Scope<'_>, entity: &Entity, conjunct: &Conjunct) -> bool {
        let is_left_out = |local: &_| scope.get(*local).is_none_or(Val::is_absent);
        if conjunct.drops.iter().any(is_left_out) {
            return false;
        }
        let Some(held) = &self.held else { return true };
        conjunct.expr.attributes().iter().all(|id| held.contains(&entity.attributes[*id].name))
    }

    /// The attributes that an index holds of an item; none if it holds all, or if the path is no index.
    pub(super) fn held_by_index(&self, program: &Program) -> Option<Vec<Arc<str>>> {
        let Route::Index(id, _) = &self.route else { return None };
        let index = &program.tables[self.table_id].indexes[*id];
        let entity = &program.entities[self.first()];
        let mut held: Vec<Arc<str>> = Vec::new();
        let mut hold = |part: &KeyPart| {
            held.push(part.stored.clone());
            if let Some(Source::Template(id)) = part.source {
                held.extend(entity.templates[id].slots().map(|slot| entity.attributes[slot].name.clone()));
            }
        };
        entity.key.parts().chain(self.filled(program).parts()).for_each(&mut hold);
        // What is copied and is a template's text tells the template's slots as well.
        for name in index.projects.as_ref()? {
            let template = entity.templates.entries().find(|(_, each)| each.name == *name);
            hold(&KeyPart { stored: name.clone(), source: template.map(|(id, _)| Source::Template(id)) });
        }
        Some(held)
    }
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

/// A computed value, which is of its declared type or an error.
fn conforming(
    scope: &Scope<'_>,
    info: &EntityInfo,
    attribute: &Attribute,
    value: Val,
) -> Result<Val, Failure> {
    let name = &attribute.name;
    Admit::computed(scope).keeping_empty().attribute(attribute, value, name).map_err(|failure| {
        let message = format!("{}, computed for a {}", failure.message, info.name);
        Failure { kind: FailureKind::CheckFailed, message, field: Some(name.to_string()) }
    })
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
            let value = scope.eval(&fill.value, Some(View::of(info.at, fields)))?;
            let value = conforming(scope, info, attribute, value)?;
            if !value.is_absent() {
                fields.insert(name.clone(), value);
            }
        }
        if let (Type::Object(id), Some(Val::Map(inner))) = (&*attribute.ty, fields.get_mut(name)) {
            let attributes = &program.objects[*id].attributes;
            for nested in attributes.iter().filter(|each| each.flags.computed) {
                let Some(fill) = &nested.fill else { continue };
                let value = scope.fill(nested, &fill.value, View::object(attributes, inner))?;
                let value = conforming(scope, info, nested, value)?;
                inner.insert(nested.name.clone(), value);
            }
        }
    }
    Ok(())
}
