//! `Expected`, filters and `KeyConditions` as conditions.

use std::collections::BTreeMap;

use sortkey_value::AttributeValue;

use super::error::ExpectationProblem;
use super::{ComparisonOperator, LegacyError};
use crate::condition::{Condition, Operand, order};
use crate::constant::Constant;
use crate::key_condition::{KeyCondition, SortRange};
use crate::path::Path;

/// A test of an attribute: a `Condition` of the API.
#[derive(Clone, Debug, PartialEq)]
pub struct LegacyCondition {
    /// `ComparisonOperator`.
    pub operator: ComparisonOperator,
    /// `AttributeValueList`.
    pub values: Vec<AttributeValue>,
}

/// The expected state of an attribute: an `ExpectedAttributeValue` of the API.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LegacyExpectation {
    /// `Exists`.
    pub exists: Option<bool>,
    /// `Value`.
    pub value: Option<AttributeValue>,
    /// `ComparisonOperator`.
    pub operator: Option<ComparisonOperator>,
    /// `AttributeValueList`.
    pub values: Option<Vec<AttributeValue>>,
}

/// How several conditions are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionalOperator {
    /// All must hold.
    And,
    /// One must hold.
    Or,
}

/// The condition of a `QueryFilter` or `ScanFilter`; `None` if there are no conditions.
pub fn translate_conditions(
    conditions: &BTreeMap<String, LegacyCondition>,
    operator: Option<ConditionalOperator>,
) -> Result<Option<Condition>, LegacyError> {
    let mut terms = Vec::with_capacity(conditions.len());
    for (attribute, condition) in conditions {
        condition.check()?;
        terms.push(condition.translate(attribute));
    }
    join(terms, operator)
}

/// The condition of `Expected`; `None` if nothing is expected.
pub fn translate_expected(
    expected: &BTreeMap<String, LegacyExpectation>,
    operator: Option<ConditionalOperator>,
) -> Result<Option<Condition>, LegacyError> {
    let mut terms = Vec::with_capacity(expected.len());
    for (attribute, expectation) in expected {
        let condition = expectation
            .condition()
            .map_err(|problem| LegacyError::Expectation { problem, attribute: attribute.clone() })?;
        condition.check()?;
        terms.push(condition.translate(attribute));
    }
    join(terms, operator)
}

/// The key condition of `KeyConditions`.
pub fn translate_key_conditions(
    conditions: &BTreeMap<String, LegacyCondition>,
) -> Result<KeyCondition, LegacyError> {
    let mut ranges = Vec::with_capacity(conditions.len());
    for (attribute, condition) in conditions {
        condition.check()?;
        ranges.push((attribute.clone(), condition.range()));
    }
    Ok(KeyCondition::from_ranges(ranges))
}

fn join(
    mut terms: Vec<Condition>,
    operator: Option<ConditionalOperator>,
) -> Result<Option<Condition>, LegacyError> {
    match (terms.len(), operator) {
        (0, Some(_)) => Err(LegacyError::OperatorWithoutConditions),
        (1, Some(_)) => Err(LegacyError::OperatorWithOneCondition),
        (0 | 1, None) => Ok(terms.pop()),
        (_, Some(ConditionalOperator::Or)) => Ok(Some(Condition::Or(terms))),
        (_, Some(ConditionalOperator::And) | None) => Ok(Some(Condition::And(terms))),
    }
}

impl LegacyExpectation {
    fn condition(&self) -> Result<LegacyCondition, ExpectationProblem> {
        if self.values.is_some() && self.value.is_some() {
            return Err(ExpectationProblem::TwoValues);
        }
        if let Some(operator) = self.operator {
            return self.compared(operator);
        }
        if self.values.is_some() {
            return Err(ExpectationProblem::NoOperator);
        }
        match (self.exists, &self.value) {
            (None | Some(true), Some(value)) => {
                Ok(LegacyCondition { operator: ComparisonOperator::Eq, values: vec![value.clone()] })
            }
            (exists @ (None | Some(true)), None) => {
                Err(ExpectationProblem::ExistsWithoutValue(exists.is_some()))
            }
            (Some(false), Some(_)) => Err(ExpectationProblem::ValueWithoutExists),
            (Some(false), None) => {
                Ok(LegacyCondition { operator: ComparisonOperator::Null, values: Vec::new() })
            }
        }
    }

    fn compared(&self, operator: ComparisonOperator) -> Result<LegacyCondition, ExpectationProblem> {
        if self.exists.is_some() {
            return Err(ExpectationProblem::TwoTests);
        }
        let values = match (&self.values, &self.value) {
            (Some(values), _) => values.clone(),
            (None, Some(value)) => vec![value.clone()],
            (None, None) if operator.takes_no_values() => Vec::new(),
            (None, None) => return Err(ExpectationProblem::NoValues(operator)),
        };
        Ok(LegacyCondition { operator, values })
    }
}

impl LegacyCondition {
    fn check(&self) -> Result<(), LegacyError> {
        let operator = self.operator;
        if !operator.takes(self.values.len()) {
            return Err(LegacyError::ArgumentCount { operator });
        }
        let mut types = self.values.iter().map(AttributeValue::attribute_type);
        let Some(value_type) = types.next() else {
            return Ok(());
        };
        if types.any(|other| other != value_type) {
            return Err(LegacyError::MixedTypes);
        }
        if !operator.compares(value_type) {
            return Err(LegacyError::ArgumentType { operator, value_type });
        }
        if let (ComparisonOperator::Between, [lower, upper]) = (operator, &*self.values) {
            let (lower, upper) = (Constant::from(lower), Constant::from(upper));
            if order((lower.value(), upper.value())).is_none_or(std::cmp::Ordering::is_gt) {
                return Err(LegacyError::BoundsOutOfOrder);
            }
        }
        Ok(())
    }

    /// The condition, given that [`LegacyCondition::check`] has passed.
    fn translate(&self, attribute: &str) -> Condition {
        let path = Path::attribute(attribute);
        let operand = || Operand::Path(path.clone());
        let mut values = self.values.iter().map(|value| Operand::Constant(value.into()));
        let mut value = || values.next().unwrap_or(Operand::Constant(AttributeValue::Null.into()));
        if let Some(operator) = self.operator.comparator() {
            return Condition::Compare { operator, left: operand(), right: value() };
        }
        match self.operator {
            ComparisonOperator::NotNull => Condition::Exists(path),
            ComparisonOperator::Null => Condition::NotExists(path),
            ComparisonOperator::Contains => Condition::Contains(operand(), value()),
            // Unlike `NOT contains(...)`, an attribute that is missing does not pass.
            ComparisonOperator::NotContains => {
                let contains = Condition::Contains(operand(), value());
                Condition::And(vec![Condition::Exists(path), Condition::Not(Box::new(contains))])
            }
            ComparisonOperator::BeginsWith => Condition::BeginsWith(operand(), value()),
            ComparisonOperator::Between => {
                Condition::Between { operand: operand(), lower: value(), upper: value() }
            }
            _ => Condition::In { operand: operand(), members: values.collect() },
        }
    }

    /// The range of a key attribute; `None` for operators that no index supports.
    fn range(&self) -> Option<SortRange> {
        let mut values = self.values.iter().map(Constant::from);
        match (self.operator.comparator(), self.operator) {
            (Some(operator), _) => SortRange::compared(operator, values.next()?),
            (None, ComparisonOperator::BeginsWith) => Some(SortRange::BeginsWith(values.next()?)),
            (None, ComparisonOperator::Between) => Some(SortRange::Between(values.next()?, values.next()?)),
            _ => None,
        }
    }
}
