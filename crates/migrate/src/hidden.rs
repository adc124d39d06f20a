//! Attributes that a migration keeps in items. No design has names with `#`, so no answer shows them.

use sortkey_core::internals::EntityInfo;
use sortkey_value::{AttributeValue, Item, ItemBuilder, Map, ValueRef};

use crate::place::Place;

/// On a new item: the old items that it was made of, each as its entity and key.
pub(crate) const FROM: &str = "sortkey#from";
/// On an old item: the attributes of its new one that the mapping would make otherwise, since the new design changed them.
pub(crate) const AHEAD: &str = "sortkey#ahead";
/// Everything that Sortkey keeps in items beside their attributes.
pub(crate) const ALL: [&str; 6] =
    [FROM, AHEAD, "sortkey#lease", "sortkey#fence", "sortkey#tries", "sortkey#dead"];

/// Most origins take less.
const ROOM_BYTES: usize = 256;
const ENTITY: &str = "e";
const KEY: &str = "k";

/// An old item, as a new one names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) entity: String,
    pub(crate) key: Map,
}

impl Origin {
    pub(crate) fn of(info: &EntityInfo, place: &Place) -> Origin {
        Origin { entity: info.name.to_string(), key: place.map() }
    }

    fn stored(&self) -> AttributeValue {
        let entity = (ENTITY.to_owned(), AttributeValue::S(self.entity.clone()));
        AttributeValue::M([entity, (KEY.to_owned(), AttributeValue::M(self.key.clone()))].into())
    }

    fn read(value: &AttributeValue) -> Option<Origin> {
        let AttributeValue::M(members) = value else { return None };
        match (members.get(ENTITY)?, members.get(KEY)?) {
            (AttributeValue::S(entity), AttributeValue::M(key)) => {
                Some(Origin { entity: entity.clone(), key: key.clone() })
            }
            _ => None,
        }
    }
}

/// The stored form of the origins of an item, in one order.
pub(crate) fn origins_value(origins: &[Origin]) -> AttributeValue {
    let mut origins: Vec<&Origin> = origins.iter().collect();
    origins.sort_by_cached_key(|each| (each.entity.clone(), format!("{:?}", each.key)));
    AttributeValue::L(origins.into_iter().map(Origin::stored).collect())
}

/// The old items that a new item was made of; none if it is no item of a migration.
pub(crate) fn origins(item: &Item) -> Option<Vec<Origin>> {
    match item.get(FROM)?.to_owned() {
        AttributeValue::L(origins) => Some(origins.iter().filter_map(Origin::read).collect()),
        _ => None,
    }
}

/// Whether an item was made by a migration: in a table of both designs it is none of the old one.
pub(crate) fn is_migrated(item: &Item) -> bool {
    item.get(FROM).is_some()
}

/// The attributes in which a new item is ahead of what the mapping makes of its old one.
pub(crate) fn ahead(item: &Item) -> Vec<String> {
    match item.get(AHEAD) {
        Some(ValueRef::Ss(names)) => names.iter().map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// An item with one attribute set or taken away.
pub(crate) fn with(item: &Item, name: &str, value: Option<AttributeValue>) -> Item {
    let mut made = ItemBuilder::with_capacity(item.as_bytes().len() + ROOM_BYTES, item.len() + 1);
    for (own, value) in item.iter().filter(|(own, _)| *own != name) {
        made.name(own);
        made.value(value);
    }
    if let Some(value) = &value {
        made.name(name);
        made.tree(value);
    }
    made.finish()
}

/// An item without what a migration keeps in it.
pub(crate) fn bare(item: &Item) -> Item {
    match item.get(FROM).is_some() || item.get(AHEAD).is_some() {
        true => with(&with(item, FROM, None), AHEAD, None),
        false => item.clone(),
    }
}
