//! What a statement gives: the attributes of its key, and those it writes.

use std::sync::Arc;

use sortkey_design::model::*;

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
    args: Option<&Args>,
    view: Option<View<'_>>,
) -> Result<Fields, Failure> {
    let design = &scope.shared.design;
    let entity = info.of(design);
    let mut given: Vec<(Arc<str>, Val)> = Vec::new();
    match args {
        None => {
            // The short form: whatever parameter has the name of an attribute.
            for attribute in &entity.attributes {
                if let Some(value) = scope.get(&attribute.name.text) {
                    given.push((attribute.name.text.as_str().into(), value.clone()));
                }
            }
        }
        Some(args) => {
            for spread in &args.spreads {
                let fields = scope.get(&spread.text).and_then(Val::fields).into_iter().flatten();
                given.extend(fields.map(|(name, value)| (name.clone(), value.clone())));
            }
            let mut position = 0;
            for (name, value) in &args.values {
                let attribute = value.as_name().filter(|name| entity.attribute(name).is_some());
                position += usize::from(name.is_none());
                let name = match (name, attribute) {
                    (Some(name), _) => name.text.as_str().into(),
                    (None, Some(name)) => name.into(),
                    (None, None) => {
                        info.keys.get(position - 1).map_or_else(|| "".into(), |key| key.as_str().into())
                    }
                };
                given.push((name, scope.eval(value, view)?));
            }
        }
    }
    // An id of another form is not wrong, there is just no such item. What is stored is checked when it is stored.
    let admit = Admit::computed(scope).finding();
    let mut known = Fields::new();
    for (name, value) in given {
        let Some(attribute) = entity.attribute(&name) else { continue };
        let inputs = info.is_key(&name) || feeds_key(entity, info, &name);
        if !inputs || value.is_absent() {
            continue;
        }
        known.insert(name.clone(), admit.attribute(attribute, value, &name)?);
    }
    if let Some(tenant) = &entity.tenant
        && info.is_key(&tenant.text)
        && !known.contains_key(&tenant.text)
        && let Some(own) = scope.caller.as_ref().and_then(|caller| caller.get(&tenant.text))
    {
        known.insert(tenant.text.clone(), own.clone());
    }
    derive(scope, info.at, &mut known)?;
    if let Some(missing) = info.keys.iter().find(|name| !known.contains_key(name)) {
        return Err(Failure::invalid(
            missing,
            format!("`{missing}` is required: it is part of the key of {}", info.name),
        ));
    }
    Ok(known)
}

/// The attributes of a key under which an item may be made.
pub(super) fn for_storing(scope: &Scope<'_>, info: &EntityInfo, known: Fields) -> Result<Fields, Failure> {
    let (entity, admit) = (info.of(&scope.shared.design), Admit::computed(scope));
    let admitted = known.into_iter().map(|(name, value)| match entity.attribute(&name) {
        Some(attribute) => admit.attribute(attribute, value, &name).map(|value| (name, value)),
        None => Ok((name, value)),
    });
    admitted.collect()
}

/// Whether a key attribute is derived from this one.
fn feeds_key(entity: &Entity, info: &EntityInfo, name: &str) -> bool {
    info.keys.iter().any(|key| {
        let fill = entity.attribute(key).and_then(|attribute| attribute.value.as_ref());
        fill.is_some_and(|fill| fill.derived && fill.value.mentions(name))
    })
}

/// The attributes that an action writes, with explicit ones winning over copied ones.
pub(super) fn given_fields(
    scope: &Scope<'_>,
    info: &EntityInfo,
    action: &Action,
    short: Option<&ShortForm>,
) -> Result<Fields, Failure> {
    let entity = info.of(&scope.shared.design);
    let mut given = Fields::new();
    if let Some(short) = short {
        let named =
            |name: &str| short.names.as_ref().is_none_or(|names| names.iter().any(|each| each.is(name)));
        let takes_all = matches!(action.verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Upsert);
        for attribute in entity.attributes.iter().filter(|attribute| !attribute.is_derived()) {
            let name = &attribute.name.text;
            if let Some(value) = scope.get(name).filter(|_| takes_all || named(name)) {
                given.insert(name.clone(), value.clone());
            }
        }
        return Ok(given);
    }
    for spread in &action.fields.spreads {
        for (name, value) in scope.get(&spread.text).and_then(Val::fields).into_iter().flatten() {
            let copied = entity.attribute(name).is_some_and(|attribute| !attribute.is_derived());
            if copied && !value.is_absent() {
                given.insert(name.clone(), unsealed(scope, value.clone())?);
            }
        }
    }
    Ok(given)
}

/// A value as it is written to another place: what is encrypted for the item it comes from is opened first.
pub(super) fn unsealed(scope: &Scope<'_>, value: Val) -> Result<Val, Failure> {
    let Val::Sealed(bytes) = &value else { return Ok(value) };
    for (entity, fields) in scope.items() {
        let mut sealed = fields.iter().filter(|(_, each)| matches!(each, Val::Sealed(own) if own == bytes));
        if let Some((name, _)) = sealed.next() {
            return opened(scope, entity, name, fields);
        }
    }
    Ok(value)
}

/// Refuses a key that belongs to another tenant before any request is made.
pub(crate) fn only_ours(scope: &Scope<'_>, info: &EntityInfo, known: &Fields) -> Result<(), Failure> {
    let entity = info.of(&scope.shared.design);
    match (&entity.tenant, &scope.caller) {
        (Some(tenant), Some(_))
            if known.contains_key(&tenant.text) && !is_ours(scope, View::of(info.at, known)) =>
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
