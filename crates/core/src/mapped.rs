//! Items made of values that an item of another design gave: what a migration stores.
//!
//! Such an item is older than the moment at which it is written. An attribute that the time or chance fills keeps what the
//! mapping gives it; everything that follows from the item alone is derived as for a new one.

use sortkey_design::program::{EntityId, Expr, ExprKind, Type};
use sortkey_value::{Item, Map, ValueRef};

use crate::answer::opened;
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::generate::new_id;
use crate::values::{Admit, Fields, Val};
use crate::write::{checked, complete, stored};
use crate::{Failure, Ids};

/// All attributes of a stored item, encrypted ones opened; an error that names the item if the design cannot read it.
pub fn read_whole(scope: &Scope<'_>, info: &EntityInfo, item: &Item) -> Result<Fields, Failure> {
    let mut fields = info.read(scope, item)?;
    if info.anatomy.has_encrypted {
        for attribute in info.anatomy.attributes().iter().filter(|each| each.is_encrypted) {
            if matches!(fields.get(&attribute.name), Some(Val::Sealed(_))) {
                let value = opened(scope, info.at, attribute.id, &fields)?;
                fields.insert(attribute.name.clone(), value);
            }
        }
    }
    Ok(fields)
}

/// An item of the values that a mapping gives, checked and as it is stored, with all its attributes.
pub fn mapped(scope: &Scope<'_>, info: &EntityInfo, given: Fields) -> Result<(Fields, Item), Failure> {
    let entity = info.of(&scope.shared.program);
    let admit = Admit::computed(scope);
    let mut fields = Fields::new();
    for (name, value) in given {
        let Some(id) = entity.attributes.find(&name) else { continue };
        let value = admit.attribute(&entity.attributes[id], value, &name)?;
        if !value.is_absent() {
            fields.insert(name, value);
        }
    }
    settle(scope, info, &mut fields)?;
    complete(scope, info, &fields, None)?;
    checked(scope, info, &fields)?;
    let item = stored(scope, info, &fields)?;
    for name in info.parts() {
        match item.get(name) {
            None | Some(ValueRef::S("")) => {
                let message = format!("`{name}` is part of the key of {}, and has no value", info.name);
                return Err(Failure::invalid(&**name, message));
            }
            Some(_) => {}
        }
    }
    Ok((fields, item))
}

/// Fills what is not given, and derives what follows from the item alone.
fn settle(scope: &Scope<'_>, info: &EntityInfo, fields: &mut Fields) -> Result<(), Failure> {
    let entity = info.of(&scope.shared.program);
    for settled in &info.anatomy.settled {
        let attribute = &entity.attributes[settled.id];
        let name = &settled.name;
        if let Some(when) = &attribute.when
            && !scope.holds(when, Some(View::of(info.at, fields)))?
        {
            fields.remove(name);
            continue;
        }
        let Some(fill) = attribute.fill.as_ref().filter(|_| attribute.is_stored()) else { continue };
        let is_given = fields.contains_key(name);
        let keeps = if fill.derived { is_given && !settled.is_pure } else { is_given || attribute.optional };
        if keeps {
            continue;
        }
        if matches!(fill.value.kind, ExprKind::New) {
            let message = format!("`{name}` is made anew for every item: the mapping has to give it");
            return Err(Failure::invalid(&**name, message));
        }
        let value = scope.fill(attribute, &fill.value, View::of(info.at, fields))?;
        // A value that is derived from something that is not stored stays as it was given.
        if value.is_absent() && is_given {
            continue;
        }
        let value = Admit::computed(scope).attribute(attribute, value, name)?;
        match value.is_absent() {
            true => drop(fields.remove(name)),
            false => fields.insert(name.clone(), value),
        }
    }
    Ok(())
}

/// The id or token that a seed makes for an attribute; none for types that have no `new`.
pub fn id_of_seed(seed: [u8; 32], now_ms: i64, ty: &Type) -> Option<String> {
    new_id(&Ids::from_seed(seed), now_ms, ty).ok().flatten()
}

/// The key that attributes of an entity make; none if one is missing.
pub fn key_of(scope: &Scope<'_>, info: &EntityInfo, fields: &Fields) -> Option<Map> {
    crate::read::key_of(scope, info, fields)
}

/// Whether an expression reads neither the time nor chance nor another item.
pub fn is_pure(expr: &Expr) -> bool {
    crate::interpret::is_pure(expr)
}

impl Scope<'_> {
    /// Puts an item in reach of `->`.
    pub fn bring(&mut self, entity: EntityId, fields: Fields) {
        self.refer(entity, fields);
    }

    /// Whether a condition on an item holds.
    pub fn accepts(&self, condition: &Expr, view: View<'_>) -> Result<bool, Failure> {
        self.holds(condition, Some(view))
    }
}
