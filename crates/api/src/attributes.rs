//! Items and values as clients supply them, and their JSON: `{"a":{"S":"x"}}`.
//!
//! JSON goes straight into the compact form and back, without a tree in between.
//!
//! A value can be well-formed JSON of the right types and still be no value: an empty set, a number with
//! 39 digits, two types at once. AWS reports such a fault late, after the constraints of the whole input
//! and, depending on the operation, after other rules. So decoding does not fail on it: it keeps the first
//! fault beside the item, and the operation asks for the item with `checked` when its turn has come.

mod decode;
mod encode;
mod fault;

pub use self::fault::ValueFault;

use crate::error::ApiError;
use crate::text;
use sortkey_value::{AttributeValue, Item, ItemBuilder, Map};

/// An item, a key or a set of expression values as the client sent it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SuppliedItem {
    item: Item,
    fault: Option<Box<AttributeFault>>,
}

/// The first fault of an item, and the top-level attribute it is in.
#[derive(Clone, Debug, PartialEq)]
struct AttributeFault {
    attribute: String,
    fault: ValueFault,
}

impl SuppliedItem {
    /// The item, or what is wrong with its values.
    pub fn checked(&self) -> Result<&Item, ApiError> {
        match &self.fault {
            None => Ok(&self.item),
            Some(fault) => Err(ApiError::validation(fault.fault.to_string())),
        }
    }

    /// Like [`checked`](Self::checked), but for `ExpressionAttributeValues`, where the message names the
    /// value.
    pub fn checked_expression_values(&self) -> Result<&Item, ApiError> {
        match &self.fault {
            None => Ok(&self.item),
            Some(fault) => {
                let message = text::value::in_expression_values(&fault.fault.to_string(), &fault.attribute);
                Err(ApiError::validation(message))
            }
        }
    }

    /// Like [`checked`](Self::checked), but for `ExclusiveStartKey`, which the message then mentions, unless
    /// the fault is found while numbers and sets are converted, before the item is treated as a key.
    pub fn checked_starting_key(&self) -> Result<&Item, ApiError> {
        match &self.fault {
            Some(fault) if !fault.fault.is_found_in_conversion() => {
                Err(ApiError::validation(text::value::in_starting_key(&fault.fault.to_string())))
            }
            _ => self.checked(),
        }
    }

    /// The item as far as it could be read: faulty values are null. For names and counts only.
    pub fn unchecked(&self) -> &Item {
        &self.item
    }

    /// The first fault in the values, if there is one.
    pub fn fault(&self) -> Option<&ValueFault> {
        self.fault.as_ref().map(|fault| &fault.fault)
    }
}

impl From<Item> for SuppliedItem {
    fn from(item: Item) -> Self {
        Self { item, fault: None }
    }
}

impl From<Map> for SuppliedItem {
    fn from(map: Map) -> Self {
        Item::from(map).into()
    }
}

impl<N: Into<String>, V: Into<AttributeValue>, const LEN: usize> From<[(N, V); LEN]> for SuppliedItem {
    fn from(entries: [(N, V); LEN]) -> Self {
        Item::from(entries).into()
    }
}

/// A single value as the client sent it: the operand of a legacy condition, a PartiQL parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct SuppliedValue {
    value: AttributeValue,
    fault: Option<Box<ValueFault>>,
}

impl SuppliedValue {
    /// The value, or what is wrong with it.
    pub fn checked(&self) -> Result<&AttributeValue, ApiError> {
        match &self.fault {
            None => Ok(&self.value),
            Some(fault) => Err(ApiError::validation(fault.to_string())),
        }
    }

    /// The fault in the value, if there is one.
    pub fn fault(&self) -> Option<&ValueFault> {
        self.fault.as_deref()
    }
}

impl Default for SuppliedValue {
    fn default() -> Self {
        AttributeValue::Null.into()
    }
}

impl<V: Into<AttributeValue>> From<V> for SuppliedValue {
    fn from(value: V) -> Self {
        Self { value: value.into(), fault: None }
    }
}

/// An item with one attribute without a name, in which a single value travels in the compact form.
fn in_item(write: impl FnOnce(&mut ItemBuilder)) -> Item {
    let mut builder = Item::builder();
    builder.name("");
    write(&mut builder);
    builder.finish()
}

#[cfg(test)]
mod tests;
