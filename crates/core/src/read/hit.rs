//! A stored item that a pattern may return.
//!
//! Most answers only pass through: the item stays in the form in which it is stored, and becomes JSON straight from it.

use sortkey_design::program::EntityId;
use sortkey_value::Item;

use super::add_virtual;
use crate::Failure;
use crate::catalog::EntityInfo;
use crate::evaluate::{Scope, View};
use crate::values::{Fields, Record, Val};

/// An item that was found.
#[derive(Clone, Debug)]
pub(crate) enum Hit {
    /// As it is stored, with its entity.
    Stored(EntityId, Item),
    /// With attributes that are computed when it is read.
    Decoded(Box<Record>),
}

impl Hit {
    /// A hit of a whole stored item. Its computed attributes are computed now.
    pub(crate) fn stored(scope: &Scope<'_>, info: &EntityInfo, item: Item) -> Result<Hit, Failure> {
        match info.anatomy.has_virtual {
            true => Hit::decoded(scope, info, info.decode(&scope.shared.program, &item)),
            false => Ok(Hit::Stored(info.at, item)),
        }
    }

    /// A hit whose attributes are in hand.
    pub(crate) fn decoded(scope: &Scope<'_>, info: &EntityInfo, mut fields: Fields) -> Result<Hit, Failure> {
        add_virtual(scope, info, &mut fields)?;
        Ok(Hit::Decoded(Box::new(Record { entity: info.at, fields, shown: Vec::new() })))
    }

    /// The entity that it is an item of.
    pub(crate) fn entity(&self) -> EntityId {
        match self {
            Hit::Stored(entity, _) => *entity,
            Hit::Decoded(record) => record.entity,
        }
    }

    /// A look at it.
    pub(crate) fn view(&self) -> View<'_> {
        match self {
            Hit::Stored(entity, item) => View::stored(*entity, item),
            Hit::Decoded(record) => View::of(record.entity, &record.fields),
        }
    }

    /// The item in hand.
    pub(crate) fn into_val(self, scope: &Scope<'_>) -> Val {
        match self {
            Hit::Stored(entity, item) => {
                let info = &scope.shared.entities[entity];
                Val::item(entity, info.decode(&scope.shared.program, &item))
            }
            Hit::Decoded(record) => Val::Item(record),
        }
    }
}
