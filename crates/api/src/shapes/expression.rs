//! The placeholders of expressions.

use crate::attributes::SuppliedItem;
use crate::shape::StringMap;

/// `#name` -> attribute name.
pub type ExpressionAttributeNames = StringMap<String>;

/// `:value` -> value; an item whose attribute names are the placeholders.
pub type ExpressionAttributeValues = SuppliedItem;
