//! Values by the ids of attributes: what is known of an item before anything is read, and how keys are made of it.

use std::borrow::Cow;

use sortkey_design::program::{AttributeId, Bound, Entity, EntityId, TemplateId};

use super::{Fields, Val};
use crate::evaluate::View;

/// Looks up the attributes of one entity.
pub(crate) trait Lookup {
    /// The value of an attribute.
    fn value<'v>(&'v self, entity: &Entity, id: AttributeId) -> Option<&'v Val>;
    /// The text of a template, where it is given as a whole.
    fn text<'v>(&'v self, entity: &Entity, id: TemplateId) -> Option<&'v str>;
}

/// Values of the attributes of one entity.
pub(crate) trait Values: Lookup {
    /// Sets an attribute.
    fn set(&mut self, entity: &Entity, id: AttributeId, value: Val);
    /// The values as those of an item.
    fn view(&self, entity: EntityId) -> View<'_>;
}

impl Lookup for Fields {
    fn value<'v>(&'v self, entity: &Entity, id: AttributeId) -> Option<&'v Val> {
        self.get(&entity.attributes[id].name)
    }

    /// Items in hand have no texts of templates: these follow from their attributes.
    fn text<'v>(&'v self, _: &Entity, _: TemplateId) -> Option<&'v str> {
        None
    }
}

impl Values for Fields {
    fn set(&mut self, entity: &Entity, id: AttributeId, value: Val) {
        self.insert(entity.attributes[id].name.clone(), value);
    }

    fn view(&self, entity: EntityId) -> View<'_> {
        View::of(entity, self)
    }
}

/// The known values of one query before anything is read. They are few, so a search is a linear scan.
/// Arguments of a call are borrowed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Known<'s>(Vec<(Bound, Cow<'s, Val>)>);

impl<'s> Known<'s> {
    pub(crate) fn with_capacity(count: usize) -> Known<'s> {
        Known(Vec::with_capacity(count))
    }

    pub(crate) fn get(&self, of: Bound) -> Option<&Val> {
        self.0.iter().find(|(each, _)| *each == of).map(|(_, value)| &**value)
    }

    /// Says what something is; of two values the later counts.
    pub(crate) fn put(&mut self, of: Bound, value: Cow<'s, Val>) {
        match self.0.iter_mut().find(|(each, _)| *each == of) {
            Some((_, known)) => *known = value,
            None => self.0.push((of, value)),
        }
    }

    /// The known attributes, by their names.
    pub(crate) fn fields(&self, entity: &Entity) -> Fields {
        let attribute = |(of, value): &(Bound, Cow<'s, Val>)| match of {
            Bound::Attribute(id) => Some((entity.attributes[*id].name.clone(), Val::clone(value))),
            Bound::Stored(_) => None,
        };
        self.0.iter().filter_map(attribute).collect()
    }
}

impl Lookup for Known<'_> {
    fn value<'v>(&'v self, _: &Entity, id: AttributeId) -> Option<&'v Val> {
        self.get(Bound::Attribute(id))
    }

    fn text<'v>(&'v self, _: &Entity, id: TemplateId) -> Option<&'v str> {
        self.get(Bound::Stored(id)).and_then(Val::as_text)
    }
}

impl Values for Known<'_> {
    fn set(&mut self, _: &Entity, id: AttributeId, value: Val) {
        self.put(Bound::Attribute(id), Cow::Owned(value));
    }

    fn view(&self, entity: EntityId) -> View<'_> {
        View::known(entity, self)
    }
}
