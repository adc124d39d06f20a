//! The parameters from before expressions existed, as the shapes that `expression` translates.

use std::collections::BTreeMap;

use sortkey_api::shapes::legacy::{
    AttributeAction, AttributeValueUpdate, ComparisonOperator as OperatorShape, Condition as ConditionShape,
    ConditionalOperator as JoinShape, ExpectedAttributeValue,
};
use sortkey_api::{ApiError, StringMap, SuppliedValue};
use sortkey_expression::legacy::{
    ComparisonOperator, ConditionalOperator, LegacyAction, LegacyCondition, LegacyExpectation, LegacyUpdate,
    translate_attribute_updates, translate_attributes_to_get, translate_conditions, translate_expected,
    translate_key_conditions,
};
use sortkey_expression::{Condition, KeyCondition, KeyConditionError, Projection, Update};
use sortkey_value::AttributeValue;

use crate::read::expressions::invalid;
use crate::text;

/// The condition of `Expected`.
pub(crate) fn expected(
    expected: Option<&StringMap<ExpectedAttributeValue>>,
    join: Option<&JoinShape>,
) -> Result<Option<Condition>, ApiError> {
    let Some(expected) = expected else { return without_conditions(join) };
    let expectation = |shape: &ExpectedAttributeValue| {
        Ok(LegacyExpectation {
            exists: shape.exists,
            value: shape.value.as_ref().map(value).transpose()?,
            operator: shape.comparison_operator.as_ref().map(operator).transpose()?,
            values: shape.attribute_value_list.as_deref().map(values).transpose()?,
        })
    };
    translate_expected(&translate(expected, expectation)?, join.map(joined)).map_err(invalid)
}

/// The filter of `QueryFilter` or `ScanFilter`.
pub(crate) fn filter(
    filter: Option<&StringMap<ConditionShape>>,
    join: Option<&JoinShape>,
) -> Result<Option<Condition>, ApiError> {
    let Some(filter) = filter else { return without_conditions(join) };
    translate_conditions(&translate(filter, condition)?, join.map(joined)).map_err(invalid)
}

/// A `ConditionalOperator` needs something to join.
fn without_conditions(join: Option<&JoinShape>) -> Result<Option<Condition>, ApiError> {
    translate_conditions(&BTreeMap::new(), join.map(joined)).map_err(invalid)
}

/// The key condition of `KeyConditions`.
pub(crate) fn key_conditions(
    conditions: Option<&StringMap<ConditionShape>>,
) -> Result<Option<KeyCondition>, ApiError> {
    let Some(conditions) = conditions else { return Ok(None) };
    if conditions.is_empty() {
        return Err(invalid(KeyConditionError::NoConditions));
    }
    translate_key_conditions(&translate(conditions, condition)?).map(Some).map_err(invalid)
}

/// The update of `AttributeUpdates`.
pub(crate) fn attribute_updates(
    updates: Option<&StringMap<AttributeValueUpdate>>,
) -> Result<Option<Update>, ApiError> {
    let Some(updates) = updates else { return Ok(None) };
    text::check_names(updates.keys())?;
    let update = |shape: &AttributeValueUpdate| {
        let action = match shape.action {
            Some(AttributeAction::Add) => LegacyAction::Add,
            Some(AttributeAction::Delete) => LegacyAction::Delete,
            _ => LegacyAction::Put,
        };
        Ok(LegacyUpdate { action, value: shape.value.as_ref().map(value).transpose()? })
    };
    translate_attribute_updates(&translate(updates, update)?).map(Some).map_err(invalid)
}

/// The projection of `AttributesToGet`.
pub(crate) fn attributes_to_get(attributes: Option<&[String]>) -> Result<Option<Projection>, ApiError> {
    text::check_names(attributes.into_iter().flatten().map(String::as_str))?;
    attributes.map(|attributes| translate_attributes_to_get(attributes).map_err(invalid)).transpose()
}

fn translate<S, T>(
    shapes: &StringMap<S>,
    one: impl Fn(&S) -> Result<T, ApiError>,
) -> Result<BTreeMap<String, T>, ApiError> {
    shapes.iter().map(|(name, shape)| Ok((name.to_owned(), one(shape)?))).collect()
}

fn condition(shape: &ConditionShape) -> Result<LegacyCondition, ApiError> {
    Ok(LegacyCondition {
        operator: operator(&shape.comparison_operator)?,
        values: values(shape.attribute_value_list.as_deref().unwrap_or_default())?,
    })
}

fn operator(shape: &OperatorShape) -> Result<ComparisonOperator, ApiError> {
    // The constraints of the shape let no other name through.
    ComparisonOperator::from_name(shape.as_str()).ok_or_else(ApiError::internal)
}

fn joined(shape: &JoinShape) -> ConditionalOperator {
    if *shape == JoinShape::Or { ConditionalOperator::Or } else { ConditionalOperator::And }
}

fn values(supplied: &[SuppliedValue]) -> Result<Vec<AttributeValue>, ApiError> {
    supplied.iter().map(value).collect()
}

fn value(supplied: &SuppliedValue) -> Result<AttributeValue, ApiError> {
    supplied.checked().cloned()
}
