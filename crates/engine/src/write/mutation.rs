//! A write of one item, whoever asks for it: a single operation, a batch, a transaction, a PartiQL statement.
//!
//! It is checked against the table before its lock is taken, and evaluated on the item under the lock.

use std::sync::Arc;

use sortkey_api::ApiError;
use sortkey_expression::update::Action as UpdateAction;
use sortkey_expression::{Condition, Update};
use sortkey_storage::{Key, Lock, Published};
use sortkey_value::Item;
use sortkey_value::limits::ITEM_SIZE_BYTES;

use crate::catalog::schema::KeyFault;
use crate::catalog::table::Table;
use crate::reply::storage_failure;
use crate::write::change::ItemChange;
use crate::write::scalar;
use crate::{layout, text};

/// The kind of write.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// Stored, whatever was there.
    Put(Item),
    /// Stored, if nothing was there.
    Insert(Item),
    Update(Update),
    Delete,
    /// Only looked at.
    Check,
}

/// A write of one item.
#[derive(Clone, Debug)]
pub(crate) struct Mutation {
    pub(crate) table: Arc<Table>,
    /// The key attributes.
    pub(crate) key_item: Item,
    /// The item's key in the store.
    pub(crate) key: Key,
    pub(crate) condition: Option<Condition>,
    pub(crate) action: Action,
    /// How strictly the size of an updated item is measured.
    pub(crate) size_rule: SizeRule,
}

/// AWS measures an item that UpdateItem changes by more than its attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SizeRule {
    Single,
    Flat,
}

/// Why a write does not happen.
#[derive(Clone, Debug)]
pub(crate) enum Refusal {
    /// The condition does not hold for what is there.
    Condition { found: Option<Item> },
    /// There is an item already.
    Duplicate,
    /// The item that would result cannot be stored.
    Invalid(ApiError),
}

impl Mutation {
    /// A write of an item as a whole.
    pub(crate) fn put(
        table: &Arc<Table>,
        item: &Item,
        condition: Option<Condition>,
    ) -> Result<Mutation, ApiError> {
        if let Some(fault) = table.key.fault(item) {
            return Err(text::item_key_fault(&fault));
        }
        if item.get("").is_some() {
            return Err(text::empty_name());
        }
        check_index_keys(table, item)?;
        let key = table.item_key(item).ok_or_else(text::key_does_not_match)?;
        let key_item = table.key.project(item);
        let action = Action::Put(item.clone());
        Ok(Mutation { table: Arc::clone(table), key_item, key, condition, action, size_rule: SizeRule::Flat })
    }

    /// A write of the item that a key names.
    pub(crate) fn by_key(
        table: &Arc<Table>,
        key_item: &Item,
        condition: Option<Condition>,
        action: Action,
    ) -> Result<Mutation, ApiError> {
        let key = item_key(table, key_item)?;
        if let Action::Update(update) = &action {
            check_update(table, update)?;
        }
        let key_item = key_item.clone();
        Ok(Mutation {
            table: Arc::clone(table),
            key_item,
            key,
            condition,
            action,
            size_rule: SizeRule::Single,
        })
    }

    /// The locks to hold while the write reads and until its result is visible.
    pub(crate) fn locks(&self) -> [Lock; 2] {
        [Lock::shared(layout::table(&self.table.name)), Lock::exclusive(self.key.clone())]
    }

    /// The item as it is.
    pub(crate) fn read(&self, view: &Published) -> Result<Option<Item>, ApiError> {
        let value = view.snapshot.get(&self.key).map_err(|error| storage_failure(&error))?;
        Ok(value.map(Item::from_bytes))
    }

    /// Applies the write to the current item.
    pub(crate) fn evaluate(&self, before: Option<Item>) -> Result<ItemChange, Refusal> {
        if self.condition.as_ref().is_some_and(|condition| !condition.matches(before.as_ref())) {
            return Err(Refusal::Condition { found: before });
        }
        let after = match &self.action {
            Action::Put(item) => Some(item.clone()),
            Action::Insert(_) if before.is_some() => return Err(Refusal::Duplicate),
            Action::Insert(item) => Some(item.clone()),
            Action::Delete => None,
            Action::Check => before.clone(),
            Action::Update(update) => self.updated(update, before.as_ref())?,
        };
        Ok(ItemChange { key: self.key.clone(), before, after })
    }

    fn updated(&self, update: &Update, before: Option<&Item>) -> Result<Option<Item>, Refusal> {
        if before.is_none() && !update.creates_item() {
            return Ok(None);
        }
        let item = update
            .apply(before, &self.key_item)
            .map_err(|error| Refusal::Invalid(ApiError::validation(error.to_string())))?;
        let overhead = match self.size_rule {
            SizeRule::Flat => 0,
            SizeRule::Single => {
                let actions = 3 + 19 * update.writing_actions() + 2 * update.clearing_actions();
                (item.size_bytes() + actions).saturating_sub(self.key_item.size_bytes())
            }
        };
        if item.size_bytes().max(overhead) > ITEM_SIZE_BYTES {
            return Err(Refusal::Invalid(text::updated_item_too_large()));
        }
        if item.iter().any(|(_, value)| value.nesting() > sortkey_value::limits::NESTING_LEVELS) {
            return Err(Refusal::Invalid(text::nested_too_deep()));
        }
        self.check_written_index_keys(update, &item)?;
        Ok(Some(item))
    }

    /// Only what the update writes must suit the indexes: an item from before an index may have values that it
    /// cannot place, and stays out of it.
    fn check_written_index_keys(&self, update: &Update, item: &Item) -> Result<(), Refusal> {
        let is_written =
            |name: &str| update.actions().iter().any(|action| action.path.attribute_name() == name);
        for index in &self.table.indexes {
            if let Some(fault) = index.key.fault_of_given(item, is_written) {
                return Err(Refusal::Invalid(text::updated_index_key_fault(&fault, &index.name)));
            }
        }
        Ok(())
    }
}

impl Refusal {
    /// As a single operation reports it; `show` asks for the item that was found.
    pub(crate) fn into_error(self, show: bool) -> ApiError {
        match self {
            Refusal::Condition { found } => ApiError::conditional_check_failed(found.filter(|_| show)),
            Refusal::Duplicate => ApiError::duplicate_item(),
            Refusal::Invalid(error) => error,
        }
    }
}

/// The store key of the item that a key names, if it is a key of the table and nothing else.
pub(crate) fn item_key(table: &Table, key_item: &Item) -> Result<Key, ApiError> {
    if key_item.len() != table.key.len() {
        return Err(text::key_does_not_match());
    }
    if let Some(fault) = table.key.fault(key_item) {
        return Err(text::key_fault(&fault));
    }
    table.item_key(key_item).ok_or_else(text::key_does_not_match)
}

fn check_index_keys(table: &Table, item: &Item) -> Result<(), ApiError> {
    for index in &table.indexes {
        if let Some(fault) = index.key.fault_of_given(item, |_| true) {
            return Err(text::index_key_fault(&fault, &index.name));
        }
    }
    Ok(())
}

/// Rejects updates that are invalid for every item: they write the key, give an index a value of the wrong type,
/// or reach into a key.
fn check_update(table: &Table, update: &Update) -> Result<(), ApiError> {
    let written = update.actions().iter().map(|action| action.path.attribute_name());
    if let Some(name) = written.into_iter().find(|name| table.key.contains(name)) {
        return Err(ApiError::invalid_parameter(format_args!(
            "Cannot update attribute {name}. This attribute is part of the key"
        )));
    }
    for index in &table.indexes {
        for attribute in index.key.attributes() {
            let name = attribute.name.as_str();
            let is_it =
                |action: &&UpdateAction| !action.path.is_nested() && action.path.attribute_name() == name;
            let actual = update.actions().iter().find(is_it).and_then(UpdateAction::known_type);
            if let Some(actual) = actual.filter(|actual| *actual != attribute.kind) {
                let fault = KeyFault::WrongType { name: name.to_owned(), expected: attribute.kind, actual };
                return Err(text::index_key_fault(&fault, &index.name));
            }
        }
    }
    scalar::check_keys(table, update.paths())
}
