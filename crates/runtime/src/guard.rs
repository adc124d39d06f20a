//! Guards: one item per unique value, in the entity's own table.
//!
//! Both key attributes are `unique#Entity#attributes#values`; `owner` is the key of the item that has the value. A guard
//! is in no index, carries its owner's expiry, and counts as absent when that has passed.

use sha2::{Digest, Sha256};
use sortkey_design::facts::{Source, source};
use sortkey_design::model::{Stored, Unique};
use sortkey_value::{AttributeValue, Map, Number};

use crate::Failure;
use crate::catalog::{EntityInfo, GUARD};
use crate::evaluate::{Scope, View};
use crate::template::{canonical, escape};
use crate::values::Fields;

/// The attribute that holds the owner's key, where no key is called so.
pub(crate) const OWNER: &str = "owner";

/// Longer values are replaced by their digest: a sort key has at most 1,024 bytes.
const MAX_BYTES: usize = 900;

/// The key of the guard of some values; none if one of them is absent.
pub(crate) fn key(scope: &Scope<'_>, info: &EntityInfo, unique: &Unique, fields: &Fields) -> Option<Map> {
    let design = &scope.shared.design;
    let entity = info.of(design);
    let mut values = Vec::new();
    for name in &unique.names {
        let ty = entity.attribute(&name.text).map(|attribute| design.type_of(attribute));
        values.push(escape(&canonical(ty, fields.get(&name.text)?)?, &['#']));
    }
    let names: Vec<&str> = unique.names.iter().map(|name| name.text.as_str()).collect();
    let mut values = values.join("#");
    if values.len() > MAX_BYTES {
        values = format!("sha256:{}", crate::evaluate::hex(&Sha256::digest(values.as_bytes())));
    }
    Some(reserved_key(scope, info, &format!("{GUARD}{}#{}#{values}", info.name, names.join(","))))
}

/// The key of the guard that an item holds; none if the clause does not concern it.
pub(crate) fn held(
    scope: &Scope<'_>,
    info: &EntityInfo,
    unique: &Unique,
    fields: &Fields,
) -> Result<Option<Map>, Failure> {
    if let Some(when) = &unique.when
        && !scope.bare().holds(when, Some(View::of(info.at, fields)))?
    {
        return Ok(None);
    }
    Ok(key(scope, info, unique, fields))
}

/// A key of the entity's table that no entity can have.
pub(crate) fn reserved_key(scope: &Scope<'_>, info: &EntityInfo, text: &str) -> Map {
    let design = &scope.shared.design;
    let entity = info.of(design);
    let stored = |name: &str| match source(entity, name) {
        Some(Source::Natural(attribute)) => design.type_of(attribute).stored(),
        _ => Stored::S,
    };
    let value = |name: &str| match stored(name) {
        Stored::N => AttributeValue::N(Number::ZERO),
        Stored::B => AttributeValue::B(text.as_bytes().to_vec()),
        _ => AttributeValue::S(text.to_owned()),
    };
    let names = std::iter::once(&info.partition).chain(&info.sort);
    names.map(|name| (name.clone(), value(name))).collect()
}
