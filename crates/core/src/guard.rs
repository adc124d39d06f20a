//! Guards: one item per unique value, in the entity's own table.
//!
//! Both key attributes are `unique#Entity#attributes#values`; `owner` is the key of the item that has the value. A guard
//! is in no index, carries its owner's expiry, and counts as absent when that has passed. Items that were there before
//! the clause get theirs when the design is deployed.

use sha2::{Digest, Sha256};
use sortkey_design::model::Stored;
use sortkey_design::program::{Entity, KeyPart, Source, Unique, UniqueId};
use sortkey_value::{AttributeValue, Item, Map, Number, ValueRef};

use crate::Failure;
use crate::catalog::{EntityInfo, GUARD};
use crate::evaluate::{Scope, View};
use crate::template::{canonical, escape};
use crate::values::{Fields, normalize};

/// The key of a table's record of its guards. No entity has an empty name, so no guard has this key.
pub const MARKER: &str = "unique##covered";

/// The key of a table's record of the layout of its items.
pub const LAYOUT: &str = "unique##layout";

/// The key of a table's record of the design that was deployed last.
pub const DESIGN: &str = "unique##design";

/// The attribute that holds the owner's key, where no key is called so.
pub(crate) const OWNER: &str = "owner";

/// Longer values are replaced by their digest: a sort key has at most 1,024 bytes.
const MAX_BYTES: usize = 900;

/// The key of the guard of some values; none if one of them is absent.
pub(crate) fn key(scope: &Scope<'_>, info: &EntityInfo, unique: UniqueId, fields: &Fields) -> Option<Map> {
    let entity = info.of(&scope.shared.program);
    let mut values = Vec::new();
    for id in &entity.uniques[unique].attributes {
        let attribute = &entity.attributes[*id];
        let value = fields.get(&attribute.name)?;
        // A value that was stored before the attribute was normalised counts as what it would be now.
        let text = match attribute.normalize.is_empty() {
            true => canonical(Some(&attribute.ty), value)?,
            false => canonical(Some(&attribute.ty), &normalize(attribute, value.clone()))?,
        };
        values.push(escape(&text, &['#']));
    }
    let values = bounded(values.join("#"));
    Some(reserved_key(scope, info, &format!("{}{values}", info.guards[unique])))
}

/// A text, or its digest where it is too long for a key.
pub(crate) fn bounded(text: String) -> String {
    match text.len() > MAX_BYTES {
        true => format!("sha256:{}", crate::evaluate::hex(&Sha256::digest(text.as_bytes()))),
        false => text,
    }
}

/// How the keys of a clause's guards begin.
pub(crate) fn prefix(entity: &Entity, unique: &Unique) -> String {
    format!("{GUARD}{}#{}#", entity.name, unique.guard)
}

/// The guard under a key: whose it is, and until when.
pub fn item(scope: &Scope<'_>, info: &EntityInfo, key: &Map, owner: &Map, fields: &Fields) -> Map {
    let mut item = key.clone();
    item.insert(info.aside(OWNER), AttributeValue::M(owner.clone()));
    let program = &scope.shared.program;
    if let Some(ttl) = info.of(program).ttl
        && let Some(value) = fields.get(info.name_of(ttl))
    {
        let name = || info.name_of(ttl).to_string();
        item.extend(info.encode(program, ttl, value).map(|value| (name(), value)));
    }
    item
}

/// The key of the item that a guard belongs to.
pub fn owner(info: &EntityInfo, guard: &Item) -> Option<Map> {
    let Some(ValueRef::M(owner)) = guard.get(&info.aside(OWNER)) else { return None };
    Some(sortkey_value::order::map(owner.iter().map(|(name, value)| (name.to_owned(), value.to_owned()))))
}

/// The key of the guard that an item holds; none if the clause does not concern it.
pub fn held(
    scope: &Scope<'_>,
    info: &EntityInfo,
    unique: UniqueId,
    fields: &Fields,
) -> Result<Option<Map>, Failure> {
    if let Some(when) = &info.of(&scope.shared.program).uniques[unique].when
        && !scope.holds(when, Some(View::of(info.at, fields)))?
    {
        return Ok(None);
    }
    Ok(key(scope, info, unique, fields))
}

/// A key of the entity's table that no entity can have.
pub fn reserved_key(scope: &Scope<'_>, info: &EntityInfo, text: &str) -> Map {
    let entity = info.of(&scope.shared.program);
    let stored = |part: &KeyPart| match part.source {
        Some(Source::Attribute(id)) => entity.attributes[id].ty.stored(),
        _ => Stored::S,
    };
    let value = |part: &KeyPart| match stored(part) {
        Stored::N => AttributeValue::N(Number::ZERO),
        Stored::B => AttributeValue::B(text.as_bytes().to_vec()),
        _ => AttributeValue::S(text.to_owned()),
    };
    sortkey_value::order::map(entity.key.parts().map(|part| (part.stored.to_string(), value(part))))
}
