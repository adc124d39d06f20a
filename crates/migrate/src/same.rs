//! Conditions that compare a stored item with what was read of it.

use std::collections::BTreeMap;

use sortkey_value::{AttributeValue, Item, Map};

use crate::place::Place;

/// A condition with its placeholders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Condition {
    pub(crate) text: String,
    names: BTreeMap<String, String>,
    values: Map,
}

impl Condition {
    fn name(&mut self, name: &str) -> String {
        let alias = format!("#m{}", self.names.len());
        self.names.insert(alias.clone(), name.to_owned());
        alias
    }

    fn value(&mut self, value: AttributeValue) -> String {
        let alias = format!(":m{}", self.values.len());
        self.values.insert(alias.clone(), value);
        alias
    }

    fn and(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push_str(" AND ");
        }
        self.text.push_str(text);
    }

    pub(crate) fn names(&self) -> Option<BTreeMap<String, String>> {
        (!self.names.is_empty()).then(|| self.names.clone())
    }

    pub(crate) fn values(&self) -> Option<Item> {
        (!self.values.is_empty()).then(|| Item::from_map(&self.values))
    }
}

/// The item at a place is still what was read. `universe` are the attributes that items of the table may have: those that
/// the item lacks must still be absent.
pub(crate) fn unchanged<'n>(
    place: &Place,
    read: Option<&Item>,
    universe: impl Iterator<Item = &'n str>,
) -> Condition {
    let mut condition = Condition::default();
    let Some(item) = read else {
        return vacant(place);
    };
    let part = condition.name(place.any_part());
    condition.and(&format!("attribute_exists({part})"));
    for (name, value) in item.iter().filter(|(name, _)| place.key.get(name).is_none()) {
        let (name, value) = (condition.name(name), condition.value(value.to_owned()));
        condition.and(&format!("{name} = {value}"));
    }
    for name in universe.filter(|name| item.get(name).is_none()) {
        let name = condition.name(name);
        condition.and(&format!("attribute_not_exists({name})"));
    }
    condition
}

/// There is no item at a place.
pub(crate) fn vacant(place: &Place) -> Condition {
    let mut condition = Condition::default();
    let part = condition.name(place.any_part());
    condition.and(&format!("attribute_not_exists({part})"));
    condition
}

/// There is no item at a place, or one with this attribute.
pub(crate) fn vacant_or(place: &Place, name: &str, value: AttributeValue) -> Condition {
    let mut condition = vacant(place);
    let (name, value) = (condition.name(name), condition.value(value));
    condition.text = format!("{} OR {name} = {value}", condition.text);
    condition
}

/// An attribute has this value, or is absent.
pub(crate) fn has(name: &str, value: Option<AttributeValue>) -> Condition {
    let mut condition = Condition::default();
    let name = condition.name(name);
    match value {
        Some(value) => {
            let value = condition.value(value);
            condition.and(&format!("{name} = {value}"));
        }
        None => condition.and(&format!("attribute_not_exists({name})")),
    }
    condition
}
