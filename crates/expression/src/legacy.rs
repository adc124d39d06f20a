//! The parameters from before expressions existed, translated to the same trees: `Expected`, `QueryFilter`,
//! `ScanFilter` and `ConditionalOperator`, `KeyConditions`, `AttributeUpdates`, `AttributesToGet`.
//!
//! The trees spell out the old meaning for parameters that differ from the expression they resemble.

mod condition;
mod error;
mod operator;
mod update;

pub use condition::{
    ConditionalOperator, LegacyCondition, LegacyExpectation, translate_conditions, translate_expected,
    translate_key_conditions,
};
pub use error::{LegacyError, check_not_mixed};
pub use operator::ComparisonOperator;
pub use update::{LegacyAction, LegacyUpdate, translate_attribute_updates, translate_attributes_to_get};
