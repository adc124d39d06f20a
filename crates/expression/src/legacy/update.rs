//! `AttributeUpdates` as updates and `AttributesToGet` as projections.

use std::collections::{BTreeMap, BTreeSet};

use sortkey_value::{AttributeType, AttributeValue};

use super::LegacyError;
use crate::path::Path;
use crate::projection::Projection;
use crate::update::{Change, SetOperand, SetValue, Update};

/// A change to an attribute: an `AttributeValueUpdate` of the API.
#[derive(Clone, Debug, PartialEq)]
pub struct LegacyUpdate {
    /// `Action`; `PUT` unless given.
    pub action: LegacyAction,
    /// `Value`.
    pub value: Option<AttributeValue>,
}

/// The action on an attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LegacyAction {
    /// It is replaced.
    #[default]
    Put,
    /// A number, or members of a set or list, are added to it.
    Add,
    /// It is removed, or members of a set are.
    Delete,
}

/// The update of `AttributeUpdates`.
pub fn translate_attribute_updates(updates: &BTreeMap<String, LegacyUpdate>) -> Result<Update, LegacyError> {
    let mut actions = Vec::with_capacity(updates.len());
    for (attribute, update) in updates {
        actions.push((attribute.clone(), update.translate()?));
    }
    Ok(Update::legacy(actions))
}

/// The projection of `AttributesToGet`.
pub fn translate_attributes_to_get(attributes: &[String]) -> Result<Projection, LegacyError> {
    let mut seen = BTreeSet::new();
    for attribute in attributes {
        if !seen.insert(attribute) {
            return Err(LegacyError::DuplicateAttribute(attribute.clone()));
        }
    }
    Ok(Projection::on_separate(attributes.iter().map(Path::attribute).collect()))
}

impl LegacyUpdate {
    fn translate(&self) -> Result<Change, LegacyError> {
        let value_type = self.value.as_ref().map(AttributeValue::attribute_type);
        match (self.action, &self.value, value_type) {
            (LegacyAction::Delete, None, _) => Ok(Change::Remove),
            (LegacyAction::Put | LegacyAction::Add, None, _) => Err(LegacyError::ValueRequired),
            (LegacyAction::Put, Some(value), _) => {
                Ok(Change::Set(SetValue::Operand(SetOperand::Constant(value.into()))))
            }
            (
                LegacyAction::Add,
                Some(value),
                Some(
                    AttributeType::N
                    | AttributeType::L
                    | AttributeType::Ss
                    | AttributeType::Ns
                    | AttributeType::Bs,
                ),
            ) => Ok(Change::Add(value.into())),
            (
                LegacyAction::Delete,
                Some(value),
                Some(AttributeType::Ss | AttributeType::Ns | AttributeType::Bs),
            ) => Ok(Change::Delete(value.into())),
            (LegacyAction::Add, Some(value), _) => Err(LegacyError::AddType(value.attribute_type())),
            (LegacyAction::Delete, Some(value), _) => Err(LegacyError::DeleteType(value.attribute_type())),
        }
    }
}
