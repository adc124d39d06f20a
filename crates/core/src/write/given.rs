//! The attributes that a statement gives: those of its key, and those it writes.

use sortkey_design::program::{Action, AttributeId, Entity, ItemKey};
use sortkey_value::AttributeValue;

use crate::answer::opened;
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::read::{derive, is_deleted, is_expired, is_ours};
use crate::values::{Admit, Fields, Val};
use crate::{Failure, FailureKind};

/// The attributes that an action's key arguments give, admitted. The short form takes them from its parameters.
pub(crate) fn key_fields(
    scope: &Scope<'_>,
    info: &EntityInfo,
    key: Option<&ItemKey>,
    view: Option<View<'_>>,
) -> Result<Fields, Failure> {
    let entity = info.of(&scope.shared.program);
    let mut given: Vec<(AttributeId, Val)> = Vec::new();
    if let Some(key) = key {
        for (name, value) in key.spreads.iter().filter_map(|spread| scope.spread(*spread)).flatten() {
            given.extend(entity.attributes.find(name).map(|id| (id, value.clone())));
        }
        for (id, value) in &key.values {
            given.push((*id, scope.eval(value, view)?));
        }
    }
    // An id of another form is not wrong, there is just no such item.
    // Stored values are checked when they are stored.
    let admit = Admit::computed(scope).finding();
    let mut known = Fields::new();
    for (id, value) in given {
        let inputs = info.is_key(id) || feeds_key(entity, info, id);
        if !inputs || value.is_absent() {
            continue;
        }
        let attribute = &entity.attributes[id];
        known.insert(attribute.name.clone(), admit.attribute(attribute, value, &attribute.name)?);
    }
    if let Some(tenant) = entity.tenant
        && info.is_key(tenant.attribute)
        && let name = info.name_of(tenant.attribute)
        && !known.contains_key(name)
        && let Some(own) = scope.caller.as_ref().and_then(|caller| caller.get(name))
    {
        known.insert(name.clone(), own.clone());
    }
    derive(scope, info.at, &mut known)?;
    let mut keys = info.keys.iter().map(|id| info.name_of(*id));
    if let Some(missing) = keys.find(|name| !known.contains_key(name)) {
        return Err(Failure::invalid(
            &**missing,
            format!("`{missing}` is required: it is part of the key of {}", info.name),
        ));
    }
    Ok(known)
}

/// The attributes of a key under which an item may be made.
pub(super) fn for_storing(scope: &Scope<'_>, info: &EntityInfo, known: Fields) -> Result<Fields, Failure> {
    let (entity, admit) = (info.of(&scope.shared.program), Admit::computed(scope));
    let admitted = known.into_iter().map(|(name, value)| match entity.attributes.find(&name) {
        Some(id) => admit.attribute(&entity.attributes[id], value, &name).map(|value| (name, value)),
        None => Ok((name, value)),
    });
    admitted.collect()
}

/// Whether a key attribute is derived from this one.
fn feeds_key(entity: &Entity, info: &EntityInfo, id: AttributeId) -> bool {
    info.keys.iter().any(|key| {
        let fill = entity.attributes[*key].fill.as_ref();
        fill.is_some_and(|fill| fill.derived && fill.value.attributes().contains(&id))
    })
}

/// The attributes that an action writes, with explicit ones winning over copied ones.
pub(super) fn given_fields(scope: &Scope<'_>, info: &EntityInfo, action: &Action) -> Result<Fields, Failure> {
    let entity = info.of(&scope.shared.program);
    let mut given = Fields::new();
    for (id, local) in &action.takes {
        if let Some(value) = scope.get(*local) {
            given.insert(info.name_of(*id).clone(), value.clone());
        }
    }
    for (name, value) in action.spreads.iter().filter_map(|spread| scope.spread(*spread)).flatten() {
        let attribute = entity.attributes.find(name).map(|id| &entity.attributes[id]);
        if let Some(attribute) = attribute.filter(|each| !each.is_derived() && !value.is_absent()) {
            given.insert(attribute.name.clone(), unsealed(scope, value.clone())?);
        }
    }
    Ok(given)
}

/// A value as it is written to another place: what is encrypted for the item it comes from is opened first.
pub(crate) fn unsealed(scope: &Scope<'_>, value: Val) -> Result<Val, Failure> {
    let Val::Sealed(bytes) = &value else { return Ok(value) };
    for (entity, fields) in scope.items() {
        let mut sealed = fields.iter().filter(|(_, each)| matches!(each, Val::Sealed(own) if own == bytes));
        let attributes = &scope.shared.program.entities[entity].attributes;
        if let Some(id) = sealed.next().and_then(|(name, _)| attributes.find(name)) {
            return opened(scope, entity, id, fields);
        }
    }
    Ok(value)
}

/// Refuses a key that belongs to another tenant before any request is made.
pub(crate) fn only_ours(scope: &Scope<'_>, info: &EntityInfo, known: &Fields) -> Result<(), Failure> {
    let entity = info.of(&scope.shared.program);
    match (entity.tenant, &scope.caller) {
        (Some(tenant), Some(_))
            if known.contains_key(info.name_of(tenant.attribute))
                && !is_ours(scope, View::of(info.at, known)) =>
        {
            Err(not_found(info))
        }
        _ => Ok(()),
    }
}

/// Refuses an item that is not live or not the caller's.
pub(crate) fn only_live(scope: &Scope<'_>, info: &EntityInfo, fields: &Fields) -> Result<(), Failure> {
    let view = View::of(info.at, fields);
    let hidden = is_expired(scope, view) || is_deleted(scope, view)? || !is_ours(scope, view);
    if hidden { Err(not_found(info)) } else { Ok(()) }
}

/// There is no such item, or none that the caller may see.
pub(crate) fn not_found(info: &EntityInfo) -> Failure {
    Failure::new(FailureKind::NotFound, format!("there is no such {}", info.name))
}

/// The caller's own value of the attribute that names the owner, as it is stored.
pub(super) fn own_tenant(
    scope: &Scope<'_>,
    info: &EntityInfo,
    tenant: AttributeId,
) -> Result<AttributeValue, Failure> {
    let name = info.name_of(tenant);
    let own = scope.caller.as_ref().and_then(|caller| caller.get(name));
    own.and_then(|own| info.encode(&scope.shared.program, tenant, own))
        .ok_or_else(|| Failure::new(FailureKind::Unauthenticated, format!("the caller has no `{name}`")))
}
