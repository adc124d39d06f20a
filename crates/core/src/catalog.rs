//! A design prepared for running: what a request needs of tables and entities, looked up once.

mod contenders;

use sortkey_diagnostics::a;
use std::sync::Arc;

use sortkey_api::TableName;
use sortkey_design::program::{
    Arena, AttributeId, Entity, EntityId, Id, KeyPart, Piece, Source, StoredKey, Table, Type, UniqueId,
};
use sortkey_design::{Design, Program, model};
use sortkey_value::{AttributeValue, Item, Map, ValueRef};

use crate::anatomy::Anatomy;
use crate::condition::Placeholders;
use crate::guard;
use crate::names::deployed;
use crate::proof::Proof;
use crate::values::{Fields, Val, to_stored};
use crate::{Failure, FailureKind, Settings};

/// The reserved beginning of guard keys.
pub const GUARD: &str = "unique#";
/// The reserved beginning of receipt keys.
pub const RECEIPT: &str = "receipt#";

/// The reserved beginning of the keys of what workers remember.
pub const WORK: &str = "sortkey#work#";

/// An entity with what is known of it before any request.
#[derive(Clone, Debug)]
pub struct EntityInfo {
    /// Its id.
    pub at: EntityId,
    /// Its name.
    pub name: Arc<str>,
    /// The deployed table.
    pub table: TableName,
    /// The stored partition key of the table.
    pub partition: Arc<str>,
    /// Its stored sort key.
    pub(crate) sort: Option<Arc<str>>,
    /// The attributes that determine the key, partition first.
    pub(crate) keys: Vec<AttributeId>,
    /// The stored attribute by which items of the table expire.
    pub ttl: Option<Arc<str>>,
    /// The attribute that holds the entity's name.
    pub kind: Option<Arc<str>>,
    /// Whether other entities share the table.
    pub shares_table: bool,
    /// The attributes that keys and expiry of the table are made of: nothing else may be put into them.
    reserved: Vec<Arc<str>>,
    /// Why an item cannot be made where there is one.
    pub(crate) taken: Failure,
    pub(crate) anatomy: Anatomy,
    /// The test that an item is one of this entity; none if that takes a closer look.
    pub(crate) proof: Option<Proof>,
    /// That there is no item under a key; none where that depends on the time.
    pub(crate) vacant: Option<Vacant>,
    /// How the keys of the guards of each unique clause begin.
    pub guards: Arena<UniqueId, String>,
    /// The attributes that the text of the table's key determines.
    told: Vec<AttributeId>,
    /// Of those, the ones that are stored beside the key, and could contradict it. Times are understood in several forms,
    /// so they are compared when an item is read.
    pub(crate) agreeing: Vec<AttributeId>,
    /// Entities of the table whose keys begin with text where this one has a plain value.
    rivals: Vec<EntityId>,
    /// Entities of the table whose keys may look like those of this one.
    contenders: Vec<EntityId>,
}

/// The condition under which a key is free, as requests take it.
#[derive(Clone, Debug)]
pub(crate) struct Vacant {
    pub(crate) text: String,
    pub(crate) placeholders: Placeholders,
}

impl Vacant {
    fn of(key: &StoredKey) -> Option<Vacant> {
        let mut placeholders = Placeholders::default();
        let text = format!("attribute_not_exists({})", placeholders.name(key.partition.first()?));
        Some(Vacant { text, placeholders })
    }
}

/// Every entity.
pub(crate) fn entities(program: &Program, settings: &Settings) -> Arena<EntityId, EntityInfo> {
    let of = |(at, entity): (EntityId, &Entity)| {
        let table = program.table_of(at);
        let name = |names: &[Arc<str>]| names.first().cloned();
        let anatomy = Anatomy::of(program, entity);
        let deployed = entity.table.map(|table| deployed(program, table, settings));
        EntityInfo {
            at,
            name: entity.name.clone(),
            table: deployed.unwrap_or_default().into(),
            partition: table.and_then(|table| name(&table.key.partition)).unwrap_or_default(),
            sort: table.and_then(|table| name(&table.key.sort)),
            keys: entity.key_attributes.clone(),
            ttl: table.and_then(|table| table.ttl.clone()),
            kind: table.and_then(|table| table.kind.clone()),
            shares_table: table.is_some_and(|table| table.entities.len() > 1),
            reserved: table.map(reserved).unwrap_or_default(),
            taken: Failure::new(
                FailureKind::AlreadyExists,
                format!("there is already such {}", a(&entity.name)),
            ),
            proof: table.and_then(|table| Proof::of(table, entity, &anatomy)),
            anatomy,
            vacant: table.filter(|table| table.ttl.is_none()).and_then(|table| Vacant::of(&table.key)),
            guards: entity.uniques.iter().map(|unique| guard::prefix(entity, unique)).collect(),
            rivals: table.map(|table| rivals(program, table, entity)).unwrap_or_default(),
            contenders: table.map(|table| contenders::contenders(program, table, at)).unwrap_or_default(),
            agreeing: agreeing(entity),
            told: told(entity),
        }
    };
    program.entities.entries().map(of).collect()
}

/// The attributes that the text of an entity's key determines.
fn told(entity: &Entity) -> Vec<AttributeId> {
    let parts = entity.key.parts().filter_map(|part| part.source);
    parts.flat_map(|source| sortkey_plan::told(entity, source)).collect()
}

fn agreeing(entity: &Entity) -> Vec<AttributeId> {
    let is_part = |id: &AttributeId| {
        entity.key.parts().any(|part| matches!(part.source, Some(Source::Attribute(own)) if own == *id))
    };
    let is_compared = |id: &AttributeId| {
        let attribute = &entity.attributes[*id];
        attribute.is_stored() && !matches!(*attribute.ty, Type::Time { .. })
    };
    let mut agreeing = told(entity);
    agreeing.retain(|id| !is_part(id) && is_compared(id));
    agreeing.sort_unstable();
    agreeing.dedup();
    agreeing
}

fn reserved(table: &Table) -> Vec<Arc<str>> {
    let indexes = table.indexes.iter().flat_map(|index| index.key.names());
    table.key.names().chain(indexes).chain(&table.ttl).cloned().collect()
}

impl EntityInfo {
    /// The attribute in which a guard or a receipt keeps something: of this name, unless a key is called so.
    pub fn aside(&self, name: &str) -> String {
        match self.reserved.iter().any(|each| **each == *name) {
            true => format!("sortkey#{name}"),
            false => name.to_owned(),
        }
    }

    /// The entity itself.
    pub fn of<'a>(&self, program: &'a Program) -> &'a Entity {
        &program.entities[self.at]
    }

    /// Its declaration in the text of the design.
    pub fn source<'a>(&self, design: &'a Design) -> &'a model::Entity {
        &design.entities[self.at.at()]
    }

    /// Stored attributes of an item, without those that templates fill.
    pub fn decode(&self, program: &Program, item: &Item) -> Fields {
        self.anatomy.decode(program, item)
    }

    /// The stored form of one attribute.
    pub(crate) fn encode(&self, program: &Program, id: AttributeId, value: &Val) -> Option<AttributeValue> {
        to_stored(program, &self.anatomy.by_id(id).ty, value)
    }

    /// Whether a stored item is one of this entity, judged by the kind attribute or the templates of its key.
    pub fn owns(&self, program: &Program, item: &Item) -> bool {
        if is_reserved(item, &self.partition) {
            return false;
        }
        if let Some(kind) = &self.kind {
            return matches!(item.get(kind), Some(ValueRef::S(name)) if *name == *self.name);
        }
        if !self.shares_table {
            return true;
        }
        // A plain value fits anything, also what another entity of the table begins its keys with.
        fits(self.of(program), item)
            && !self.rivals.iter().any(|rival| fits(&program.entities[*rival], item))
            && !self.is_contested(program, item)
    }

    /// Whether the key of an item is rather one of another entity.
    fn is_contested(&self, program: &Program, item: &Item) -> bool {
        let spells = |other: &EntityId| {
            let other = &program.entities[*other];
            fits(other, item) && contenders::spells(other, item)
        };
        !self.contenders.is_empty()
            && !contenders::spells(self.of(program), item)
            && self.contenders.iter().any(spells)
    }

    /// Whether the key of an item is one that this entity could store, also where it has its table to itself.
    pub fn fits(&self, program: &Program, item: &Item) -> bool {
        fits(self.of(program), item)
    }

    /// Whether the key of an item is what the entity's templates make of its attributes.
    pub fn makes(&self, program: &Program, item: &Item) -> bool {
        let entity = self.of(program);
        entity.key.parts().all(|part| match part.source {
            Some(Source::Template(id)) => match item.get(&part.stored) {
                Some(ValueRef::S(text)) => {
                    crate::template::makes(program, self, &entity.templates[id], item, text)
                }
                _ => false,
            },
            _ => true,
        })
    }

    /// Whether an attribute of this name is stored under it.
    pub fn stores(&self, name: &str) -> bool {
        self.anatomy.attribute(name).is_some_and(|each| each.is_stored)
    }

    /// Whether an attribute of this name is stored encrypted.
    pub fn is_encrypted(&self, name: &str) -> bool {
        self.anatomy.attribute(name).is_some_and(|each| each.is_encrypted && each.is_stored)
    }

    /// The stored attributes of the table's key.
    pub fn parts(&self) -> impl Iterator<Item = &Arc<str>> {
        std::iter::once(&self.partition).chain(&self.sort)
    }

    /// Whether an attribute is one of those that determine the key.
    pub(crate) fn is_key(&self, id: AttributeId) -> bool {
        self.keys.contains(&id)
    }

    /// Whether the text of the key determines an attribute.
    pub(crate) fn is_told(&self, id: AttributeId) -> bool {
        self.told.contains(&id)
    }

    /// The name of an attribute, as items and messages have it.
    pub fn name_of(&self, id: AttributeId) -> &Arc<str> {
        &self.anatomy.by_id(id).name
    }

    /// The key attributes of a stored item.
    pub fn key_of(&self, item: &Item) -> Map {
        sortkey_value::order::map(
            self.parts().filter_map(|name| Some((name.to_string(), item.get(name)?.to_owned()))),
        )
    }
}

/// Whether the key of an item is one that an entity could store.
fn fits(entity: &Entity, item: &Item) -> bool {
    entity.key.parts().all(|part| match (part.source, item.get(&part.stored)) {
        (Some(Source::Template(id)), Some(ValueRef::S(text))) => {
            crate::template::matches(&entity.templates[id], text)
        }
        (Some(Source::Attribute(_)), Some(_)) => true,
        _ => false,
    })
}

fn rivals(program: &Program, table: &Table, entity: &Entity) -> Vec<EntityId> {
    let is_plain = |part: &KeyPart| matches!(part.source, Some(Source::Attribute(_)));
    let begins = |other: &Entity, part: &KeyPart| match part.source {
        Some(Source::Template(id)) => {
            matches!(other.templates[id].pieces.first(), Some(Piece::Literal(_)))
        }
        _ => false,
    };
    // Both keys have the parts of the table's, in its order.
    let is_rival = |id: &EntityId| {
        let other = &program.entities[*id];
        let mut parts = entity.key.parts().zip(other.key.parts());
        parts.any(|(own, theirs)| is_plain(own) && begins(other, theirs))
    };
    table.entities.iter().copied().filter(is_rival).collect()
}

/// Whether an item is ours, not the design's: a guard or a receipt.
pub fn is_reserved(item: &Item, partition: &str) -> bool {
    match item.get(partition) {
        Some(ValueRef::S(text)) => is_reserved_text(text.as_bytes()),
        _ => false,
    }
}

/// Whether a partition key is that of a guard, a receipt or what a worker remembers.
pub fn is_reserved_text(partition: &[u8]) -> bool {
    [GUARD, RECEIPT, WORK].iter().any(|prefix| partition.starts_with(prefix.as_bytes()))
}
