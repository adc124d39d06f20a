//! What may come back: live items of the entity, of the caller's tenant, that satisfy the pattern.

use sortkey_design::Design;
use sortkey_design::facts::{Source, source};
use sortkey_design::model::*;
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
        let design = &scope.shared.design;
        let first = self.entity(scope);
        if let (1, None, Some(proof)) = (self.entities.len(), &self.held, &first.proof)
            && first.anatomy.is_whole(scope, &item)
        {
            let view = View::stored(first.at, &item);
            let passes = proof.holds(scope, &item, self.pattern.including_expired.is_some())
                && (self.pattern.including_deleted.is_some() || !is_deleted(scope, view)?)
                && sieve.lets_through(scope, 0, view)?;
            return match passes {
                true => Hit::stored(scope, first, item).map(Some),
                false => first.contradiction(scope, &item).map_or(Ok(None), Err),
            };
        }
        let Some((at, info)) = self.owner(scope, &item) else { return Ok(None) };
        if let Some(held) = &self.held {
            let mut fields = info.decode(design, &item);
            from_keys(scope, info, &item, &mut fields);
            from_defaults(scope, info, &mut fields);
            // Nothing is known of what the index does not hold, its default least of all.
            fields.retain(|name, _| held.iter().any(|each| each == name));
            let passes = self.passes(scope, sieve, at, View::of(info.at, &fields))?;
            return if passes { Hit::decoded(scope, info, fields).map(Some) } else { Ok(None) };
        }
        let Some(item) = info.interpret_ours(scope, item)? else { return Ok(None) };
        if info.shares_table && !info.makes(design, &item) {
            return info.contradiction(scope, &item).map_or(Ok(None), Err);
        }
        match self.passes(scope, sieve, at, View::stored(info.at, &item))? {
            true => Hit::stored(scope, info, item).map(Some),
            false => Ok(None),
        }
    }

    fn passes(
        &self,
        scope: &Scope<'_>,
        sieve: &Sieve<'_>,
        at: usize,
        view: View<'_>,
    ) -> Result<bool, Failure> {
        let live = (self.pattern.including_expired.is_some() || !is_expired(scope, view))
            && (self.pattern.including_deleted.is_some() || !is_deleted(scope, view)?);
        if !live || !is_ours(scope, view) {
            return Ok(false);
        }
        sieve.lets_through(scope, at, view)
    }

    /// What is asked of items in this call.
    pub(super) fn sieve(&self, scope: &Scope<'_>) -> Sieve<'_> {
        if self.pattern.condition.is_none() && self.pattern.filter.is_none() {
            return Sieve(Vec::new());
        }
        let design = &scope.shared.design;
        let of = |at: &usize| {
            let conjuncts = self.pattern.conditions().into_iter().chain(self.pattern.filters());
            conjuncts.filter(|each| self.applies(scope, &design.entities[*at], each)).collect()
        };
        Sieve(self.entities.iter().map(of).collect())
    }

    /// Whether a condition is asked at all (an optional parameter that is left out drops it), and of attributes that the
    /// item holds (the others were answered by the path).
    fn applies(&self, scope: &Scope<'_>, entity: &Entity, conjunct: &Expr) -> bool {
        let range = matches!(&conjunct.kind, ExprKind::Binary { right, .. } if matches!(right.kind, ExprKind::Range { .. }));
        let names = conjunct.names();
        let dropped = !range
            && names.iter().any(|name| {
                self.pattern.param(name).is_some_and(|param| param.optional)
                    && scope.get(name).is_none_or(Val::is_absent)
            });
        let held = names.iter().all(|name| {
            scope.has(name)
                || entity.attribute(name).is_none()
                || self.held.as_ref().is_none_or(|held| held.iter().any(|each| each == name))
        });
        !dropped && held
    }

    /// The attributes that an index holds of an item; none if it holds all, or if the path is no index.
    pub(super) fn held_by_index(&self, design: &Design) -> Option<Vec<String>> {
        let Route::Index(at, _) = &self.route else { return None };
        let table = &design.tables[self.table_at];
        let index = &table.indexes[*at];
        let projected: &[Name] = match &index.projection {
            None | Some(Projection::All) => return None,
            Some(Projection::Keys) => &[],
            Some(Projection::Include(names)) => names,
        };
        let stored = table.key.attributes().chain(index.key.attributes()).chain(projected);
        let mut held: Vec<String> = Vec::new();
        for name in stored {
            held.push(name.text.clone());
            let entity = &design.entities[self.entities[0]];
            if let Some(Source::Template(template)) = source(entity, &name.text) {
                held.extend(template.slots().map(|slot| slot.text.clone()));
            }
        }
        Some(held)
    }
}

/// Whether an item is past its time, though it may still be stored.
pub(crate) fn is_expired(scope: &Scope<'_>, item: View<'_>) -> bool {
    let Some(ttl) = &scope.shared.entities[item.entity].ttl else { return false };
    matches!(item.get(scope.shared, ttl).as_deref(), Some(Val::Time(time_ms)) if *time_ms <= scope.now_ms)
}

/// Whether an item counts as deleted, though it is stored.
pub(crate) fn is_deleted(scope: &Scope<'_>, item: View<'_>) -> Result<bool, Failure> {
    match &scope.shared.design.entities[item.entity].deleted {
        Some(deleted) => scope.fresh().holds(deleted, Some(item)),
        None => Ok(false),
    }
}

/// Whether an item is the caller's; `system` owns everything.
pub(crate) fn is_ours(scope: &Scope<'_>, item: View<'_>) -> bool {
    let tenant = &scope.shared.design.entities[item.entity].tenant;
    let (Some(caller), Some(tenant)) = (&scope.caller, tenant) else { return true };
    caller.get(&tenant.text).is_some_and(|own| item.has(scope.shared, &tenant.text, own))
}

/// A computed value, which is of its declared type or an error.
fn conforming(
    scope: &Scope<'_>,
    info: &EntityInfo,
    attribute: &Attribute,
    value: Val,
) -> Result<Val, Failure> {
    let name = &attribute.name.text;
    Admit::computed(scope).keeping_empty().attribute(attribute, value, name).map_err(|failure| {
        let message = format!("{}, computed for a {}", failure.message, info.name);
        Failure { kind: FailureKind::CheckFailed, message, field: Some(name.clone()) }
    })
}

/// Attributes that are computed when they are read, those inside objects included.
pub(crate) fn add_virtual(scope: &Scope<'_>, info: &EntityInfo, fields: &mut Fields) -> Result<(), Failure> {
    let design = &scope.shared.design;
    if !info.anatomy.has_virtual {
        return Ok(());
    }
    for attribute in &info.of(design).attributes {
        let name = &attribute.name.text;
        if let (true, Some(fill)) = (attribute.has("virtual"), &attribute.value) {
            let value = scope.fresh().eval(&fill.value, Some(View::of(info.at, fields)))?;
            let value = conforming(scope, info, attribute, value)?;
            if !value.is_absent() {
                fields.insert(name.clone(), value);
            }
        }
        if let (Type::Object { attributes }, Some(Val::Map(inner))) =
            (design.type_of(attribute), fields.get_mut(name))
        {
            for nested in attributes.iter().filter(|each| each.has("virtual")) {
                let Some(fill) = &nested.value else { continue };
                let value = scope.fresh().fill(nested, &fill.value, inner)?;
                let value = conforming(scope, info, nested, value)?;
                inner.insert(nested.name.text.clone(), value);
            }
        }
    }
    Ok(())
}
