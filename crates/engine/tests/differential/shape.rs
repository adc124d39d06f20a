//! The shapes of tables: keys, indexes, projections; chosen at random, and as requests declare them.

use sortkey_api::operations::CreateTableInput;
use sortkey_api::shapes::index::{
    CreateGlobalSecondaryIndexAction, GlobalSecondaryIndex, LocalSecondaryIndex, Projection, ProjectionType,
};
use sortkey_api::shapes::table::{AttributeDefinition, KeySchemaElement, KeyType};
use sortkey_api::shapes::throughput::BillingMode;
use sortkey_testkit::Random;
use sortkey_value::{AttributeType, AttributeValue, Map};

/// Attributes that indexes can have in their keys; their types are the table's choice.
const INDEX_ATTRIBUTES: [&str; 6] = ["ga", "gb", "gc", "gd", "ge", "gf"];
/// Attributes that are part of no key; the names of some need placeholders.
pub(crate) const PLAIN_ATTRIBUTES: [&str; 7] = ["v", "w", "m", "l", "size", "a.b", "ttl"];

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeyAttribute {
    pub(crate) name: String,
    pub(crate) kind: AttributeType,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct KeyShape {
    pub(crate) partition: Vec<KeyAttribute>,
    pub(crate) sort: Vec<KeyAttribute>,
}

/// Why a value cannot be part of a key although its type is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LengthFault {
    Empty,
    LongPartition,
    LongSort,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Keeps {
    All,
    Keys,
    Include(Vec<String>),
}

#[derive(Clone, Debug)]
pub(crate) struct IndexShape {
    pub(crate) name: String,
    pub(crate) local: bool,
    pub(crate) key: KeyShape,
    pub(crate) keeps: Keeps,
    /// An index that is still being filled cannot be read.
    pub(crate) active: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct TableShape {
    pub(crate) name: String,
    pub(crate) key: KeyShape,
    /// Local ones first.
    pub(crate) indexes: Vec<IndexShape>,
    /// The attributes that indexes of this table can have in their keys, with their types.
    pub(crate) pool: Vec<KeyAttribute>,
}

impl KeyShape {
    pub(crate) fn attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.partition.iter().chain(&self.sort)
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.attributes().any(|attribute| attribute.name == name)
    }

    /// The key attributes of an item, alone.
    pub(crate) fn of(&self, item: &Map) -> Map {
        item.iter().filter(|(name, _)| self.contains(name)).map(|(n, v)| (n.clone(), v.clone())).collect()
    }

    /// Whether an item has all key attributes with values that can be keys.
    pub(crate) fn places(&self, item: &Map) -> bool {
        self.attributes().all(|attribute| match item.get(&attribute.name) {
            Some(value) => {
                value.attribute_type() == attribute.kind && self.length_fault(attribute, value).is_none()
            }
            None => false,
        })
    }

    /// Whether a value of the right type is too short or too long for its place in the key.
    pub(crate) fn length_fault(
        &self,
        attribute: &KeyAttribute,
        value: &AttributeValue,
    ) -> Option<LengthFault> {
        let length = match value {
            AttributeValue::S(text) => text.len(),
            AttributeValue::B(bytes) => bytes.len(),
            _ => return None,
        };
        let is_partition = self.partition.contains(attribute);
        match length {
            0 => Some(LengthFault::Empty),
            1..=1024 => None,
            1025..=2048 if is_partition => None,
            _ if is_partition => Some(LengthFault::LongPartition),
            _ => Some(LengthFault::LongSort),
        }
    }

    fn elements(&self) -> Vec<KeySchemaElement> {
        let element = |attribute: &KeyAttribute, key_type: KeyType| KeySchemaElement {
            attribute_name: attribute.name.clone(),
            key_type,
        };
        let partition = self.partition.iter().map(|attribute| element(attribute, KeyType::Hash));
        partition.chain(self.sort.iter().map(|attribute| element(attribute, KeyType::Range))).collect()
    }
}

impl IndexShape {
    /// A global index with one to four partition and up to four sort attributes.
    pub(crate) fn random_global(dice: &mut Random, name: String, table: &TableShape) -> IndexShape {
        let mut candidates = table.pool.clone();
        candidates.extend(table.key.attributes().cloned());
        let partition = if dice.chance(70) { 1 } else { 1 + dice.below(4) };
        let sort = if dice.chance(60) { dice.below(2) } else { dice.below(5) };
        let mut chosen = dice.some(&candidates, partition + sort);
        let sort = chosen.split_off(partition.min(chosen.len()));
        let key = KeyShape { partition: chosen, sort };
        IndexShape { name, local: false, key, keeps: Keeps::random(dice), active: true }
    }

    fn random_local(dice: &mut Random, name: String, table: &TableShape) -> IndexShape {
        let sort = vec![dice.pick(&table.pool).clone()];
        let key = KeyShape { partition: table.key.partition.clone(), sort };
        IndexShape { name, local: true, key, keeps: Keeps::random(dice), active: true }
    }

    pub(crate) fn creation(&self) -> CreateGlobalSecondaryIndexAction {
        CreateGlobalSecondaryIndexAction {
            index_name: self.name.clone(),
            key_schema: self.key.elements(),
            projection: self.keeps.declared(),
            ..Default::default()
        }
    }
}

impl Keeps {
    fn random(dice: &mut Random) -> Keeps {
        match dice.below(3) {
            0 => Keeps::All,
            1 => Keeps::Keys,
            _ => {
                let count = 1 + dice.below(2);
                Keeps::Include(dice.some(&PLAIN_ATTRIBUTES.map(str::to_owned), count))
            }
        }
    }

    fn declared(&self) -> Projection {
        let (projection_type, non_key_attributes) = match self {
            Keeps::All => (ProjectionType::All, None),
            Keeps::Keys => (ProjectionType::KeysOnly, None),
            Keeps::Include(names) => (ProjectionType::Include, Some(names.clone())),
        };
        Projection { projection_type: Some(projection_type), non_key_attributes }
    }
}

impl TableShape {
    pub(crate) fn random(dice: &mut Random, name: &str) -> TableShape {
        let kinds = [AttributeType::S, AttributeType::N, AttributeType::B];
        let mut attribute = |name: &str| KeyAttribute { name: name.to_owned(), kind: *dice.pick(&kinds) };
        let pool = INDEX_ATTRIBUTES.iter().map(|name| attribute(name)).collect();
        let (partition, sort) = (attribute("pk"), attribute("sk"));
        let sort = if dice.chance(75) { vec![sort] } else { Vec::new() };
        let key = KeyShape { partition: vec![partition], sort };
        let mut table = TableShape { name: name.to_owned(), key, indexes: Vec::new(), pool };
        let locals = if table.key.sort.is_empty() { 0 } else { dice.below(3) };
        for number in 0..locals {
            table.indexes.push(IndexShape::random_local(dice, format!("local{number}"), &table));
        }
        for number in 0..dice.below(3) {
            table.indexes.push(IndexShape::random_global(dice, format!("global{number}"), &table));
        }
        table
    }

    pub(crate) fn globals(&self) -> impl Iterator<Item = &IndexShape> {
        self.indexes.iter().filter(|index| !index.local)
    }

    pub(crate) fn locals(&self) -> impl Iterator<Item = &IndexShape> {
        self.indexes.iter().filter(|index| index.local)
    }

    /// The attributes that these keys use, defined.
    pub(crate) fn definitions(&self, keys: &[&KeyShape]) -> Vec<AttributeDefinition> {
        let all = self.key.attributes().chain(&self.pool);
        let used = all.filter(|attribute| keys.iter().any(|key| key.contains(&attribute.name)));
        used.map(|attribute| AttributeDefinition {
            attribute_name: attribute.name.clone(),
            attribute_type: attribute.kind.as_str().into(),
        })
        .collect()
    }

    pub(crate) fn creation(&self) -> CreateTableInput {
        let mut keys: Vec<&KeyShape> = self.indexes.iter().map(|index| &index.key).collect();
        keys.push(&self.key);
        let locals: Vec<_> = self
            .locals()
            .map(|index| LocalSecondaryIndex {
                index_name: index.name.clone(),
                key_schema: index.key.elements(),
                projection: index.keeps.declared(),
            })
            .collect();
        let globals: Vec<_> = self
            .globals()
            .map(|index| GlobalSecondaryIndex {
                index_name: index.name.clone(),
                key_schema: index.key.elements(),
                projection: index.keeps.declared(),
                ..Default::default()
            })
            .collect();
        CreateTableInput {
            table_name: self.name.as_str().into(),
            attribute_definitions: self.definitions(&keys),
            key_schema: self.key.elements(),
            billing_mode: Some(BillingMode::PayPerRequest),
            local_secondary_indexes: (!locals.is_empty()).then_some(locals),
            global_secondary_indexes: (!globals.is_empty()).then_some(globals),
            ..Default::default()
        }
    }
}
