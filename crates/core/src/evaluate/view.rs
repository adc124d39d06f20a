//! The item that attributes are taken from: one in hand, or one as it is stored, of which only what is asked for is decoded.

use std::borrow::Cow;

use sortkey_design::program::{AttributeId, Attributes, Bound, EntityId, TemplateId};
use sortkey_value::{Item, ValueRef};

use crate::prepared::Shared;
use crate::template;
use crate::values::{Fields, Known, Lookup, Val};

/// An item to look at, or an object of which a part is being filled.
#[derive(Clone, Copy)]
pub struct View<'a> {
    of: Of<'a>,
    seen: Seen<'a>,
}

/// The owner of the attributes.
#[derive(Clone, Copy)]
enum Of<'a> {
    /// An item of the first entity, asked for by the ids of the second.
    Entity(EntityId, EntityId),
    Object(&'a Attributes),
}

#[derive(Clone, Copy)]
enum Seen<'a> {
    Fields(&'a Fields),
    Stored(&'a Item),
    /// The values known before anything is read.
    Known(&'a Known<'a>),
    /// The part of an item in an index: attributes that were read, and the texts of templates where they are stored.
    Held(&'a Fields, &'a Item),
}

impl<'a> View<'a> {
    /// An item in hand.
    pub fn of(entity: EntityId, fields: &'a Fields) -> View<'a> {
        View { of: Of::Entity(entity, entity), seen: Seen::Fields(fields) }
    }

    /// An item as it is stored.
    pub fn stored(entity: EntityId, item: &'a Item) -> View<'a> {
        View { of: Of::Entity(entity, entity), seen: Seen::Stored(item) }
    }

    /// An item of which something is known before it is read.
    pub(crate) fn known(entity: EntityId, known: &'a Known<'a>) -> View<'a> {
        View { of: Of::Entity(entity, entity), seen: Seen::Known(known) }
    }

    /// A part of an item: its attributes as far as they are known, and what is stored of it.
    pub(crate) fn held(entity: EntityId, fields: &'a Fields, item: &'a Item) -> View<'a> {
        View { of: Of::Entity(entity, entity), seen: Seen::Held(fields, item) }
    }

    /// The members that an object has so far.
    pub(crate) fn object(attributes: &'a Attributes, fields: &'a Fields) -> View<'a> {
        View { of: Of::Object(attributes), seen: Seen::Fields(fields) }
    }

    /// An item that is asked for the attributes of another entity: those of the same names.
    pub(crate) fn asked_as(self, other: EntityId) -> View<'a> {
        match self.of {
            Of::Entity(entity, _) => View { of: Of::Entity(entity, other), ..self },
            Of::Object(_) => self,
        }
    }

    /// The entity of an item.
    pub(crate) fn entity(&self) -> Option<EntityId> {
        match self.of {
            Of::Entity(entity, _) => Some(entity),
            Of::Object(_) => None,
        }
    }

    /// An attribute of an item.
    pub(crate) fn get(&self, shared: &Shared, id: AttributeId) -> Option<Cow<'a, Val>> {
        let entity = self.entity()?;
        let id = self.own(shared, id)?;
        match self.seen {
            Seen::Known(known) => known.get(Bound::Attribute(id)).map(Cow::Borrowed),
            Seen::Fields(fields) | Seen::Held(fields, _) => {
                fields.get(&shared.program.entities[entity].attributes[id].name).map(Cow::Borrowed)
            }
            Seen::Stored(item) => {
                let attribute = shared.entities[entity].anatomy.by_id(id);
                let value = item.get(&attribute.name).filter(|_| attribute.is_stored)?;
                Some(Cow::Owned(attribute.decode(&shared.program, value)))
            }
        }
    }

    /// The item's own id of an attribute.
    pub(crate) fn own(&self, shared: &Shared, id: AttributeId) -> Option<AttributeId> {
        match self.of {
            Of::Entity(own, asked) if own != asked => {
                let name = &shared.program.entities[asked].attributes[id].name;
                shared.program.entities[own].attributes.find(name)
            }
            _ => Some(id),
        }
    }

    /// A member of the object that is being filled.
    pub(crate) fn sibling(&self, id: AttributeId) -> Option<&'a Val> {
        match (self.of, self.seen) {
            (Of::Object(attributes), Seen::Fields(fields)) => fields.get(&attributes[id].name),
            _ => None,
        }
    }

    /// The stored text of a template.
    pub(crate) fn text(&self, shared: &Shared, id: TemplateId) -> Option<String> {
        let entity = &shared.program.entities[self.entity()?];
        let template = &entity.templates[id];
        match self.seen {
            Seen::Fields(fields) => template::render(entity, template, fields),
            Seen::Known(known) => match known.text(entity, id) {
                Some(text) => Some(text.to_owned()),
                None => template::render(entity, template, known),
            },
            Seen::Stored(item) | Seen::Held(_, item) => match item.get(&template.name) {
                Some(ValueRef::S(text)) => Some(text.to_owned()),
                _ => None,
            },
        }
    }

    /// Whether an attribute has a value.
    pub(crate) fn has(&self, shared: &Shared, id: AttributeId, value: &Val) -> bool {
        if let (Seen::Stored(item), Val::Text(text), Some(entity)) = (self.seen, value, self.entity()) {
            let attribute = shared.entities[entity].anatomy.by_id(id);
            if attribute.is_stored
                && attribute.ty.is_plain()
                && let Some(ValueRef::S(stored)) = item.get(&attribute.name)
            {
                return stored == text;
            }
        }
        self.get(shared, id).is_some_and(|own| own.same(value))
    }

    /// All attributes.
    pub(crate) fn fields(&self, shared: &Shared) -> Fields {
        match (self.seen, self.entity()) {
            (Seen::Fields(fields) | Seen::Held(fields, _), _) => fields.clone(),
            (Seen::Stored(item), Some(entity)) => shared.entities[entity].decode(&shared.program, item),
            (Seen::Known(known), Some(entity)) => known.fields(&shared.program.entities[entity]),
            (Seen::Stored(_) | Seen::Known(_), None) => Fields::new(),
        }
    }
}
