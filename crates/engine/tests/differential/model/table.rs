//! A table: its items by key, and what a write makes of one.

use std::collections::BTreeMap;

use sortkey_value::{AttributeValue, Map, Number};

use super::condition::Condition;
use super::size;
use super::update::Update;
use crate::shape::{IndexShape, Keeps, KeyShape, LengthFault, TableShape};

/// The largest item.
pub(crate) const ITEM_BYTES: usize = 400 * 1024;

/// A value of a key, with the order that DynamoDB gives to values of its type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KeyValue {
    S(String),
    N(Number),
    B(Vec<u8>),
}

/// A key as a list of values. All keys of a table have the same types, so their order is that of the values.
pub(crate) type Key = Vec<KeyValue>;

pub(crate) struct Table {
    pub(crate) shape: TableShape,
    pub(crate) items: BTreeMap<Key, Map>,
    /// The stream that is open: its place in the model's list.
    pub(crate) stream: Option<usize>,
    /// The attribute by which items expire.
    pub(crate) expiry: Option<String>,
}

/// One item before and after a write.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) key_item: Map,
    pub(crate) before: Option<Map>,
    pub(crate) after: Option<Map>,
}

/// A write of one item.
#[derive(Clone, Debug)]
pub(crate) struct Mutation {
    pub(crate) table: String,
    /// The whole item of a put, the key of the others.
    pub(crate) item: Map,
    pub(crate) condition: Option<Condition>,
    pub(crate) write: Write,
}

#[derive(Clone, Debug)]
pub(crate) enum Write {
    Put,
    Update(Update),
    Delete,
    Check,
}

/// Why a write does not happen.
#[derive(Clone, Debug)]
pub(crate) enum Refusal {
    Condition {
        found: Option<Map>,
    },
    /// One of these messages.
    Invalid(Vec<String>),
}

impl Refusal {
    pub(crate) fn too_large() -> Refusal {
        Refusal::Invalid(vec!["Item size to update has exceeded the maximum allowed size".to_owned()])
    }
}

impl Table {
    pub(crate) fn new(shape: TableShape) -> Table {
        Table { shape, items: BTreeMap::new(), stream: None, expiry: None }
    }

    pub(crate) fn get(&self, key_item: &Map) -> Option<&Map> {
        self.items.get(&key_of(&self.shape.key, key_item))
    }

    /// The attributes that an index keeps of an item, if the item is in it.
    pub(crate) fn index_view(&self, index: &IndexShape, item: &Map) -> Option<Map> {
        index.key.places(item).then(|| {
            let kept = item.iter().filter(|(name, _)| self.is_kept(index, name));
            kept.map(|(name, value)| (name.clone(), value.clone())).collect()
        })
    }

    pub(crate) fn is_kept(&self, index: &IndexShape, name: &str) -> bool {
        let named = match &index.keeps {
            Keeps::All => true,
            Keeps::Keys => false,
            Keeps::Include(names) => names.iter().any(|kept| kept == name),
        };
        named || index.key.contains(name) || self.shape.key.contains(name)
    }

    /// All entries of an index, or all items.
    pub(crate) fn entries(&self, index: Option<&IndexShape>) -> Vec<Map> {
        match index {
            None => self.items.values().cloned().collect(),
            Some(index) => self.items.values().filter_map(|item| self.index_view(index, item)).collect(),
        }
    }

    /// Faults of a write that do not depend on the item.
    pub(crate) fn faults(&self, mutation: &Mutation) -> Vec<String> {
        match &mutation.write {
            Write::Put => self.put_faults(&mutation.item),
            Write::Update(update) => self.update_faults(update),
            Write::Delete | Write::Check => Vec::new(),
        }
    }

    /// The change that a write makes to the item that is there.
    pub(crate) fn evaluate(&self, mutation: &Mutation) -> Result<Change, Refusal> {
        let faults = self.faults(mutation);
        if !faults.is_empty() {
            return Err(Refusal::Invalid(faults));
        }
        let before = self.get(&mutation.item).cloned();
        if mutation.condition.as_ref().is_some_and(|condition| !condition.holds(before.as_ref())) {
            return Err(Refusal::Condition { found: before });
        }
        let key_item = self.shape.key.of(&mutation.item);
        let after = match &mutation.write {
            Write::Put => Some(mutation.item.clone()),
            Write::Delete => None,
            Write::Check => before.clone(),
            Write::Update(update) => self.updated(update, before.as_ref(), &key_item)?,
        };
        Ok(Change { key_item, before, after })
    }

    pub(crate) fn apply(&mut self, change: &Change) {
        let key = key_of(&self.shape.key, &change.key_item);
        match &change.after {
            Some(item) => self.items.insert(key, item.clone()),
            None => self.items.remove(&key),
        };
    }

    /// Values that an index could not place.
    fn put_faults(&self, item: &Map) -> Vec<String> {
        let mut faults = Vec::new();
        for index in &self.shape.indexes {
            for attribute in index.key.attributes() {
                let Some(value) = item.get(&attribute.name) else { continue };
                let (name, expected, actual) = (&attribute.name, attribute.kind, value.attribute_type());
                if actual != expected {
                    faults.push(type_mismatch(name, expected.as_str(), actual.as_str(), &index.name));
                } else if let Some(fault) = index.key.length_fault(attribute, value) {
                    faults.push(length_text(fault).unwrap_or_else(|| format!(
                        "One or more parameter values are not valid. A value specified for a secondary index key is \
                         not supported. The AttributeValue for a key attribute cannot contain an empty {} value. \
                         IndexName: {}, IndexKey: {name}",
                        kind_text(value),
                        index.name
                    )));
                }
            }
        }
        faults
    }

    /// Faults of an update that do not depend on the item.
    fn update_faults(&self, update: &Update) -> Vec<String> {
        let mut faults = Vec::new();
        for path in update.paths() {
            if self.shape.key.contains(&path.attribute) {
                faults.push(format!(
                    "One or more parameter values were invalid: Cannot update attribute {}. This attribute is part \
                     of the key",
                    path.attribute
                ));
            }
        }
        if !faults.is_empty() {
            return faults;
        }
        for index in &self.shape.indexes {
            for attribute in index.key.attributes() {
                if let Some(actual) = update.known_type(&attribute.name)
                    && actual != attribute.kind
                {
                    let (expected, actual) = (attribute.kind.as_str(), actual.as_str());
                    faults.push(type_mismatch(&attribute.name, expected, actual, &index.name));
                }
            }
        }
        faults
    }

    fn updated(&self, update: &Update, before: Option<&Map>, key_item: &Map) -> Result<Option<Map>, Refusal> {
        let after = update
            .apply(before, key_item)
            .map_err(|faults| Refusal::Invalid(faults.into_iter().map(str::to_owned).collect()))?;
        if after.as_ref().is_some_and(|item| size::of_item(item) > ITEM_BYTES) {
            return Err(Refusal::too_large());
        }
        let mut faults = Vec::new();
        for index in &self.shape.indexes {
            for attribute in index.key.attributes() {
                let written = update.paths().iter().any(|path| path.attribute == attribute.name);
                let Some(value) = after.as_ref().and_then(|item| item.get(&attribute.name)) else { continue };
                if written && value.attribute_type() != attribute.kind {
                    faults.push(
                        "The update expression attempted to update the secondary index key to unsupported type"
                            .to_owned(),
                    );
                } else if written && let Some(fault) = index.key.length_fault(attribute, value) {
                    faults.push(length_text(fault).unwrap_or_else(|| format!(
                        "One or more parameter values are not valid. The update expression attempted to update a \
                         secondary index key to a value that is not supported. The AttributeValue for a key attribute \
                         cannot contain an empty {} value.",
                        kind_text(value)
                    )));
                }
            }
        }
        if faults.is_empty() { Ok(after) } else { Err(Refusal::Invalid(faults)) }
    }
}

fn type_mismatch(name: &str, expected: &str, actual: &str, index: &str) -> String {
    format!(
        "One or more parameter values were invalid: Type mismatch for Index Key {name} Expected: {expected} Actual: \
         {actual} IndexName: {index}"
    )
}

/// AWS's text about values that are too long; empty ones have a text for each occasion.
fn length_text(fault: LengthFault) -> Option<String> {
    let what = match fault {
        LengthFault::Empty => return None,
        LengthFault::LongPartition => "Size of hashkey has exceeded the maximum size limit of2048 bytes",
        LengthFault::LongSort => {
            "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
        }
    };
    Some(format!("One or more parameter values were invalid: {what}"))
}

/// AWS's name for the type of an empty value.
fn kind_text(value: &AttributeValue) -> &'static str {
    if matches!(value, AttributeValue::B(_)) { "binary" } else { "string" }
}

/// The values of key attributes, in the order of the key.
pub(crate) fn key_of(key: &KeyShape, item: &Map) -> Key {
    key.attributes().map(|attribute| key_value(&item[&attribute.name])).collect()
}

pub(crate) fn key_value(value: &AttributeValue) -> KeyValue {
    match value {
        AttributeValue::S(text) => KeyValue::S(text.clone()),
        AttributeValue::N(number) => KeyValue::N(*number),
        AttributeValue::B(bytes) => KeyValue::B(bytes.clone()),
        other => panic!("{other:?} is no key"),
    }
}
