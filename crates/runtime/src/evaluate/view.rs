//! The item that bare names may mean: one in hand, or one as it is stored, of which only what is asked for is decoded.

use std::borrow::Cow;

use sortkey_value::{Item, ValueRef};

use crate::runtime::Shared;
use crate::values::{Fields, Val};

/// An item to look at.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    /// Its entity, by its place in the design.
    pub(crate) entity: usize,
    seen: Seen<'a>,
}

#[derive(Clone, Copy)]
enum Seen<'a> {
    Fields(&'a Fields),
    Stored(&'a Item),
}

impl<'a> View<'a> {
    /// An item in hand.
    pub(crate) fn of(entity: usize, fields: &'a Fields) -> View<'a> {
        View { entity, seen: Seen::Fields(fields) }
    }

    /// An item as it is stored.
    pub(crate) fn stored(entity: usize, item: &'a Item) -> View<'a> {
        View { entity, seen: Seen::Stored(item) }
    }

    /// An attribute.
    pub(crate) fn get(&self, shared: &Shared, name: &str) -> Option<Cow<'a, Val>> {
        match self.seen {
            Seen::Fields(fields) => fields.get(name).map(Cow::Borrowed),
            Seen::Stored(item) => {
                let attribute = shared.entities[self.entity].anatomy.attribute(name)?;
                let value = item.get(name).filter(|_| attribute.is_stored)?;
                Some(Cow::Owned(attribute.decode(&shared.design, value)))
            }
        }
    }

    /// Whether an attribute has a value.
    pub(crate) fn has(&self, shared: &Shared, name: &str, value: &Val) -> bool {
        if let (Seen::Stored(item), Val::Text(text)) = (self.seen, value)
            && let Some(attribute) = shared.entities[self.entity].anatomy.attribute(name)
            && attribute.is_stored
            && attribute.is_plain_text()
            && let Some(ValueRef::S(stored)) = item.get(name)
        {
            return stored == text;
        }
        self.get(shared, name).is_some_and(|own| own.same(value))
    }

    /// All attributes.
    pub(crate) fn fields(&self, shared: &Shared) -> Fields {
        match self.seen {
            Seen::Fields(fields) => fields.clone(),
            Seen::Stored(item) => shared.entities[self.entity].decode(&shared.design, item),
        }
    }
}
