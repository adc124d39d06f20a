//! Secrets that an `upsert` makes for an item that may be there already.
//!
//! A `@transient` secret is stored nowhere, only values that are derived from it. The caller that made the item gets its secret:
//! the one whose derived values are stored now.

use std::sync::Arc;

use sortkey_design::program::AttributeId;
use sortkey_value::{AttributeValue, Item};

use super::image::stored_value;
use crate::Failure;
use crate::catalog::EntityInfo;
use crate::evaluate::Scope;
use crate::values::{Fields, Val};

/// Secrets that were made, and what shows that they are the item's.
#[derive(Clone, Debug)]
pub(crate) struct Secrets {
    made: Vec<(Arc<str>, Val)>,
    derived: Vec<(Arc<str>, AttributeValue)>,
}

impl Secrets {
    /// The secrets of an item that a write makes where there is none; `given` are the attributes that were not made. None if
    /// there are no secrets, or if nothing that is stored would show whose they are.
    pub(super) fn of(
        scope: &Scope<'_>,
        info: &EntityInfo,
        image: &Fields,
        given: impl Fn(&str) -> bool,
    ) -> Result<Option<Secrets>, Failure> {
        let attributes = &info.of(&scope.shared.program).attributes;
        let is_made = |name: &&Arc<str>| {
            let transient = attributes.find(name).is_some_and(|id| attributes[id].flags.transient);
            transient && !given(name)
        };
        let made = info.anatomy.secrets.iter().filter(is_made);
        let made: Vec<_> = made.filter_map(|name| Some((name.clone(), image.get(name)?.clone()))).collect();
        if made.is_empty() {
            return Ok(None);
        }
        let follows = |id: &AttributeId| made.iter().any(|(name, _)| *info.name_of(*id) == *name);
        let mut derived = Vec::new();
        for (id, attribute) in
            attributes.entries().filter(|(_, each)| each.is_stored() && each.encrypted.is_none())
        {
            let Some(fill) = &attribute.fill else { continue };
            if let Some(value) =
                image.get(&attribute.name).filter(|_| fill.value.attributes().iter().any(follows))
            {
                let value = stored_value(scope, info, id, value, image)?;
                derived.extend(value.map(|value| (attribute.name.clone(), value)));
            }
        }
        Ok((!derived.is_empty()).then_some(Secrets { made, derived }))
    }

    /// Adds the secrets to the item that is stored now, if they are its own. Returns their names.
    pub(crate) fn reveal(&self, item: &Item, fields: &mut Fields) -> Vec<Arc<str>> {
        let is_stored = |(name, value): &(Arc<str>, AttributeValue)| {
            item.get(name).is_some_and(|stored| stored.to_owned() == *value)
        };
        if !self.derived.iter().all(is_stored) {
            return Vec::new();
        }
        fields.extend(self.made.iter().cloned());
        self.made.iter().map(|(name, _)| name.clone()).collect()
    }
}
