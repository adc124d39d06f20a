//! An item brought to the form in which the design stores it now.
//!
//! Deployment uses it for items of an earlier version. Only what follows from the item alone is computed: an attribute that
//! is filled by the time, by chance or by another item keeps what it has. The write happens only if nothing that the new
//! form was computed from has changed, so writers may be at work meanwhile.

use std::sync::Arc;

use sortkey_design::program::{Attribute, Fill};
use sortkey_value::{AttributeValue, Item, Map};

use crate::anatomy::Settled;
use crate::answer::opened;
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::internals::Change;
use crate::interpret::{from_defaults, from_keys, is_pure};
use crate::read::key_of;
use crate::values::{Admit, Fields, Val, normalize};
use crate::write::{Act, Test, Write, check_failed, rendered, stored_value};
use crate::{Failure, FailureKind};

/// An item of an earlier version on its way.
#[derive(Clone, Debug, Default)]
pub struct Moved {
    /// The item under the names that attributes have now.
    pub item: Item,
    /// Values that the earlier version encrypted otherwise, or not at all, as they are without encryption.
    pub plain: Fields,
    /// Attributes whose default is stored where an item lacks them.
    pub filled: Vec<Arc<str>>,
}

/// The item as the design stores it now; an error if the design does not allow what the item has.
pub fn target(scope: &Scope<'_>, info: &EntityInfo, moved: &Moved) -> Result<Map, Failure> {
    let entity = info.of(&scope.shared.program);
    let (mut fields, sealed) = known(scope, info, moved)?;
    let mut target = moved.item.to_map();
    let mut changed: Vec<Arc<str>> = normalised(info, entity.attributes.iter(), &mut fields);
    from_keys(scope, info, &moved.item, &mut fields);
    from_defaults(scope, info, &mut fields);
    for settled in &info.anatomy.settled {
        let attribute = &entity.attributes[settled.id];
        if attribute.is_stored() && !info.is_key(settled.id) {
            changed.extend(settle(scope, info, settled, attribute, &mut fields, &mut target)?);
        }
    }
    changed.extend(moved.plain.iter().map(|(name, _)| name.clone()));
    changed.extend(moved.filled.iter().cloned());
    for attribute in info.anatomy.attributes().iter().filter(|each| each.is_encrypted && each.is_stored) {
        let is_plain = target.contains_key(&*attribute.name) && !sealed.contains(&attribute.name);
        changed.extend(is_plain.then(|| attribute.name.clone()));
    }
    for name in changed {
        let Some(attribute) = info.anatomy.attribute(&name).filter(|each| each.is_stored) else { continue };
        let value = fields.get(&name).cloned().unwrap_or_default();
        match stored_value(scope, info, attribute.id, &value, &fields)? {
            Some(stored) => target.insert(name.to_string(), stored),
            None => target.remove(&*name),
        };
    }
    for template in entity.templates.iter().filter(|each| !info.parts().any(|part| each.name == *part)) {
        match rendered(scope, info, template, &fields)? {
            Some(text) => target.insert(template.name.to_string(), AttributeValue::S(text)),
            None => target.remove(&*template.name),
        };
    }
    if let Some(kind) = &info.kind {
        target.insert(kind.to_string(), AttributeValue::S(info.name.to_string()));
    }
    Ok(target)
}

/// The first check of the entity that an item breaks.
pub fn broken_check(scope: &Scope<'_>, info: &EntityInfo, item: &Item) -> Result<Option<Failure>, Failure> {
    let fields = info.decode_leniently(scope, item);
    for check in &info.of(&scope.shared.program).checks {
        if !scope.holds(&check.condition, Some(View::of(info.at, &fields)))? {
            return Ok(Some(check_failed(&scope.shared.program, info, check)));
        }
    }
    Ok(None)
}

/// Whether an item lies under the key that the design makes of its attributes now, normalised and derived.
pub fn keeps_key(scope: &Scope<'_>, info: &EntityInfo, item: &Item) -> Result<bool, Failure> {
    let entity = info.of(&scope.shared.program);
    let mut fields = info.decode_leniently(scope, item);
    for id in &info.keys {
        let attribute = &entity.attributes[*id];
        let Some(value) = fields.get(&attribute.name).cloned() else { continue };
        let value = match &attribute.fill {
            Some(Fill { derived: true, value }) if is_pure(value) => {
                scope.fill(attribute, value, View::of(info.at, &fields))?
            }
            _ => value,
        };
        fields.insert(attribute.name.clone(), normalize(attribute, value));
    }
    Ok(key_of(scope, info, &fields).is_none_or(|key| key == info.key_of(item)))
}

/// The write that turns a stored item into another; none if they are the same. It happens only if every attribute that the
/// entity has is still what it was.
pub fn replacing(
    scope: &Scope<'_>,
    info: &EntityInfo,
    stored: &Item,
    target: &Map,
) -> Result<Option<Change>, Failure> {
    let before = stored.to_map();
    let mut names: Vec<Arc<str>> =
        before.keys().chain(target.keys()).map(|name| name.as_str().into()).collect();
    names.retain(|name| before.get(&**name) != target.get(&**name));
    if names.is_empty() {
        return Ok(None);
    }
    sortkey_value::order::sort(&mut names);
    names.dedup();
    let mut write = Write::new(info, info.key_of(stored), Act::Check);
    let (mut set, mut remove) = (Vec::new(), Vec::new());
    for name in &names {
        let alias = write.placeholders.name(name);
        match target.get(&**name) {
            Some(value) => {
                let value = write.placeholders.value(value.clone());
                set.push(format!("{alias} = {value}"));
            }
            None => remove.push(alias),
        }
    }
    let clause = |word: &str, parts: Vec<String>| match parts.is_empty() {
        true => String::new(),
        false => format!("{word} {} ", parts.join(", ")),
    };
    write.act = Act::Update((clause("SET", set) + &clause("REMOVE", remove)).trim_end().to_owned());
    let declared = info.anatomy.attributes().iter().filter(|each| each.is_stored).map(|each| &each.name);
    let beside = info.anatomy.beside.iter().map(|(name, _)| name);
    let mut inputs: Vec<Arc<str>> =
        names.iter().chain(declared).chain(beside).chain([&info.partition]).cloned().collect();
    sortkey_value::order::sort(&mut inputs);
    inputs.dedup();
    for name in inputs {
        let changed = Failure::new(FailureKind::Conflict, format!("the {} was changed meanwhile", info.name));
        let value = before.get(&*name).cloned();
        write.demand(scope, Test::Unchanged(name, value), changed)?;
    }
    Ok(Some(Change::of(write)))
}

/// The value of an encrypted attribute, as the design that this scope belongs to encrypts it. A value that is not encrypted
/// comes back as it is.
pub fn decrypted(scope: &Scope<'_>, info: &EntityInfo, item: &Item, name: &str) -> Result<Val, Failure> {
    let mut fields = info.decode(&scope.shared.program, item);
    from_keys(scope, info, item, &mut fields);
    match (fields.get(name), info.anatomy.attribute(name)) {
        (Some(Val::Sealed(_)), Some(attribute)) => opened(scope, info.at, attribute.id, &fields),
        (value, _) => Ok(value.cloned().unwrap_or_default()),
    }
}

/// The attributes of an item, encrypted values opened, and the names of those that were encrypted.
fn known(scope: &Scope<'_>, info: &EntityInfo, moved: &Moved) -> Result<(Fields, Vec<Arc<str>>), Failure> {
    let mut fields = info.decode(&scope.shared.program, &moved.item);
    let mut sealed = Vec::new();
    if info.anatomy.has_encrypted {
        from_keys(scope, info, &moved.item, &mut fields);
        for attribute in info.anatomy.attributes().iter().filter(|each| each.is_encrypted) {
            let name = &attribute.name;
            if !moved.plain.contains_key(name) && matches!(fields.get(name), Some(Val::Sealed(_))) {
                let value = opened(scope, info.at, attribute.id, &fields)?;
                fields.insert(name.clone(), value);
                sealed.push(name.clone());
            }
        }
    }
    fields.extend(moved.plain.clone());
    Ok((fields, sealed))
}

/// Normalises text; the names of the attributes that change.
fn normalised<'a>(
    info: &EntityInfo,
    attributes: impl Iterator<Item = &'a Attribute>,
    fields: &mut Fields,
) -> Vec<Arc<str>> {
    let mut changed = Vec::new();
    for attribute in attributes.filter(|each| !each.normalize.is_empty() && each.is_stored()) {
        let name = &attribute.name;
        let is_key = info.anatomy.attribute(name).is_some_and(|each| info.is_key(each.id));
        let Some(value) = fields.get(name).filter(|_| !is_key).cloned() else { continue };
        let normal = normalize(attribute, value.clone());
        if normal != value {
            fields.insert(name.clone(), normal);
            changed.push(name.clone());
        }
    }
    changed
}

/// Derives an attribute anew, or takes it away where its `when` does not hold; its name if it changes.
fn settle(
    scope: &Scope<'_>,
    info: &EntityInfo,
    settled: &Settled,
    attribute: &Attribute,
    fields: &mut Fields,
    target: &mut Map,
) -> Result<Option<Arc<str>>, Failure> {
    let name = &settled.name;
    if let Some(when) = attribute.when.as_ref().filter(|when| is_pure(when))
        && !scope.holds(when, Some(View::of(info.at, fields)))?
    {
        fields.remove(name);
        if target.remove(&**name).is_some() && !attribute.is_derived() {
            let message = format!("`{name}` has a value, and its `when` does not hold");
            return Err(Failure::invalid(&**name, message));
        }
        return Ok(None);
    }
    let Some(Fill { derived: true, value }) = &attribute.fill else { return Ok(None) };
    if !settled.is_pure {
        return Ok(None);
    }
    let value = scope.fill(attribute, value, View::of(info.at, fields))?;
    // An attribute that is derived from something that is not stored stays as it is.
    if value.is_absent() {
        return Ok(None);
    }
    let value = Admit::computed(scope).attribute(attribute, value, name)?;
    fields.insert(name.clone(), value);
    Ok(Some(name.clone()))
}
