//! A design prepared for running: what a request needs of tables and entities, looked up once.

use std::collections::BTreeMap;

use sortkey_api::TableName;
use sortkey_design::Design;
use sortkey_design::facts::{Source, key_attributes, source};
use sortkey_design::model::*;
use sortkey_value::{AttributeValue, Item, Map, ValueRef};

use crate::Settings;
use crate::anatomy::Anatomy;
use crate::condition::Placeholders;
use crate::deploy::{parameter_values, table_name};
use crate::proof::Proof;
use crate::values::{Fields, Val, to_stored};

/// The reserved beginning of guard keys.
pub(crate) const GUARD: &str = "unique#";
/// The reserved beginning of receipt keys.
pub(crate) const RECEIPT: &str = "receipt#";

/// An entity with what is known of it before any request.
#[derive(Clone, Debug)]
pub(crate) struct EntityInfo {
    /// Its place in the design.
    pub(crate) at: usize,
    pub(crate) name: String,
    /// The deployed table.
    pub(crate) table: TableName,
    /// The stored attributes of the table's key.
    pub(crate) partition: String,
    pub(crate) sort: Option<String>,
    /// The attributes that determine the key, partition first.
    pub(crate) keys: Vec<String>,
    /// The attribute by which items expire.
    pub(crate) ttl: Option<String>,
    /// The attribute that holds the entity's name.
    pub(crate) kind: Option<String>,
    /// Whether other entities share the table.
    pub(crate) shares_table: bool,
    /// The attributes that keys and expiry of the table are made of: nothing else may be put into them.
    taken: Vec<String>,
    pub(crate) anatomy: Anatomy,
    /// What shows that an item is one of this entity; none where that takes a closer look.
    pub(crate) proof: Option<Proof>,
    /// That there is no item under a key; none where that depends on the time.
    pub(crate) vacant: Option<Vacant>,
    /// Entities of the table whose keys begin with text where this one has a plain value, by their places.
    rivals: Vec<usize>,
}

/// The condition under which a key is free, as requests take it.
#[derive(Clone, Debug)]
pub(crate) struct Vacant {
    pub(crate) text: String,
    pub(crate) names: BTreeMap<String, String>,
}

impl Vacant {
    fn of(key: &Key) -> Option<Vacant> {
        let mut placeholders = Placeholders::default();
        let text = format!("attribute_not_exists({})", placeholders.name(&key.partition.first()?.text));
        Some(Vacant { text, names: placeholders.into_parts().0? })
    }
}

/// Every entity, by its place in the design.
pub(crate) fn entities(design: &Design, settings: &Settings) -> Vec<EntityInfo> {
    let mut found = Vec::new();
    for (at, entity) in design.entities.iter().enumerate() {
        let table = design.table_of(entity);
        let key = table.map(|table| &table.key);
        let name = |names: &[Name]| names.first().map(|name| name.text.clone());
        let anatomy = Anatomy::of(design, entity);
        found.push(EntityInfo {
            at,
            name: entity.name.text.clone(),
            table: table.map(|table| deployed(design, table, settings)).unwrap_or_default().into(),
            partition: key.and_then(|key| name(&key.partition)).unwrap_or_default(),
            sort: key.and_then(|key| name(&key.sort)),
            keys: key_attributes(design, entity).into_iter().map(str::to_owned).collect(),
            ttl: table.and_then(|table| table.ttl.as_ref()).map(|name| name.text.clone()),
            kind: table.and_then(|table| table.kind.as_ref()).map(|name| name.text.clone()),
            shares_table: table.is_some_and(|table| design.entities_in(table).count() > 1),
            taken: table.map(taken).unwrap_or_default(),
            proof: Proof::of(design, entity, &anatomy),
            anatomy,
            vacant: table.filter(|table| table.ttl.is_none()).and_then(|table| Vacant::of(&table.key)),
            rivals: rivals(design, entity, key),
        });
    }
    found
}

fn taken(table: &Table) -> Vec<String> {
    let indexes = table.indexes.iter().flat_map(|index| index.key.attributes());
    let names = table.key.attributes().chain(indexes).chain(&table.ttl);
    names.map(|name| name.text.clone()).collect()
}

/// The deployed name of a table. Names that cannot be made were refused when the runtime was built.
pub(crate) fn deployed(design: &Design, table: &Table, settings: &Settings) -> String {
    let values = parameter_values(design, &settings.parameters).unwrap_or_default();
    table_name(table, settings.table_prefix.as_deref(), &values).unwrap_or_default()
}

impl EntityInfo {
    /// The attribute in which a guard or a receipt keeps something: of this name, unless a key is called so.
    pub(crate) fn aside(&self, name: &str) -> String {
        match self.taken.iter().any(|taken| taken == name) {
            true => format!("sortkey#{name}"),
            false => name.to_owned(),
        }
    }

    /// The entity itself.
    pub(crate) fn of<'a>(&self, design: &'a Design) -> &'a Entity {
        &design.entities[self.at]
    }

    /// Stored attributes of an item, without those that templates fill.
    pub(crate) fn decode(&self, design: &Design, item: &Item) -> Fields {
        self.anatomy.decode(design, item)
    }

    /// The stored form of one attribute.
    pub(crate) fn encode(&self, design: &Design, name: &str, value: &Val) -> Option<AttributeValue> {
        to_stored(design, &self.anatomy.attribute(name)?.ty, value)
    }

    /// Whether a stored item is one of this entity, judged by the kind attribute or the templates of its key.
    pub(crate) fn owns(&self, design: &Design, item: &Item) -> bool {
        if is_reserved(item, &self.partition) {
            return false;
        }
        if let Some(kind) = &self.kind {
            return matches!(item.get(kind), Some(ValueRef::S(name)) if name == self.name);
        }
        if !self.shares_table {
            return true;
        }
        let fits = |entity: &Entity| self.parts().all(|stored| fits(entity, stored, item));
        // A plain value fits anything, also what another entity of the table begins its keys with.
        fits(self.of(design)) && !self.rivals.iter().any(|rival| fits(&design.entities[*rival]))
    }

    /// Whether the key of an item is what the entity's templates make of its attributes.
    pub(crate) fn makes(&self, design: &Design, item: &Item) -> bool {
        self.parts().all(|stored| match self.of(design).template(stored) {
            Some(template) => match item.get(stored) {
                Some(ValueRef::S(text)) => crate::template::makes(design, self, template, item, text),
                _ => false,
            },
            None => true,
        })
    }

    /// The stored attributes of the table's key.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.partition).chain(&self.sort)
    }

    /// Whether an attribute is one of those that determine the key.
    pub(crate) fn is_key(&self, name: &str) -> bool {
        self.keys.iter().any(|key| key == name)
    }

    /// The key attributes of a stored item.
    pub(crate) fn key_of(&self, item: &Item) -> Map {
        self.parts().filter_map(|name| Some((name.clone(), item.get(name)?.to_owned()))).collect()
    }
}

/// Whether a stored attribute of an item is what an entity would store there.
fn fits(entity: &Entity, stored: &str, item: &Item) -> bool {
    match (source(entity, stored), item.get(stored)) {
        (Some(Source::Template(template)), Some(ValueRef::S(text))) => {
            crate::template::matches(template, text)
        }
        (Some(Source::Natural(_)), Some(_)) => true,
        _ => false,
    }
}

fn rivals(design: &Design, entity: &Entity, key: Option<&Key>) -> Vec<usize> {
    let names = key.into_iter().flat_map(Key::attributes);
    let plain = names.filter(|name| matches!(source(entity, &name.text), Some(Source::Natural(_))));
    let plain: Vec<&Name> = plain.collect();
    let begins = |other: &Entity, stored: &Name| match source(other, &stored.text) {
        Some(Source::Template(template)) => matches!(template.pieces.first(), Some(Piece::Literal(_))),
        _ => false,
    };
    let rivals =
        design.entities.iter().enumerate().filter(|(_, other)| {
            other.table == entity.table && plain.iter().any(|stored| begins(other, stored))
        });
    rivals.map(|(at, _)| at).collect()
}

/// Whether an item is ours, not the design's: a guard or a receipt.
pub(crate) fn is_reserved(item: &Item, partition: &str) -> bool {
    match item.get(partition) {
        Some(ValueRef::S(text)) => is_reserved_text(text.as_bytes()),
        _ => false,
    }
}

/// Whether a partition key is that of a guard or a receipt.
pub(crate) fn is_reserved_text(partition: &[u8]) -> bool {
    partition.starts_with(GUARD.as_bytes()) || partition.starts_with(RECEIPT.as_bytes())
}
