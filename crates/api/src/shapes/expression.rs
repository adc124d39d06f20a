//! The placeholders of expressions.

use crate::attributes::SuppliedItem;
use std::collections::BTreeMap;

/// `#name` -> attribute name.
pub type ExpressionAttributeNames = BTreeMap<String, String>;

/// `:value` -> value; an item whose attribute names are the placeholders.
pub type ExpressionAttributeValues = SuppliedItem;
