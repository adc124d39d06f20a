//! Key conditions: which part of a table or an index a query reads.
//!
//! A condition is first taken apart into one test per attribute, which needs no table; then the tests are laid
//! on the key of a table or index: equality on every partition attribute, equality on a prefix of the sort
//! attributes, and at most one range on the next.

mod error;
mod resolve;

use crate::condition::{Condition, Operand};
use crate::constant::Constant;
use crate::operator::Comparator;

pub use error::KeyConditionError;
pub use resolve::KeyRange;

/// The tests of a key condition, by attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyCondition {
    tests: Vec<KeyTest>,
}

#[derive(Clone, Debug, PartialEq)]
struct KeyTest {
    attribute: String,
    range: Option<SortRange>,
}

/// A range of values of one attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum SortRange {
    /// Exactly this value.
    Equal(Constant),
    /// Values below.
    Less(Constant),
    /// Values below, and this one.
    LessOrEqual(Constant),
    /// Values above.
    Greater(Constant),
    /// Values above, and this one.
    GreaterOrEqual(Constant),
    /// Values from the first to the second, both included.
    Between(Constant, Constant),
    /// Strings or binaries that begin with this one.
    BeginsWith(Constant),
}

impl SortRange {
    /// The values that bound the range.
    pub fn bounds(&self) -> impl Iterator<Item = &Constant> {
        let (first, second) = match self {
            SortRange::Equal(value)
            | SortRange::Less(value)
            | SortRange::LessOrEqual(value)
            | SortRange::Greater(value)
            | SortRange::GreaterOrEqual(value)
            | SortRange::BeginsWith(value) => (value, None),
            SortRange::Between(lower, upper) => (lower, Some(upper)),
        };
        [first].into_iter().chain(second)
    }

    /// The range that a comparison with a value means; `<>` means none.
    pub fn compared(operator: Comparator, value: Constant) -> Option<SortRange> {
        Some(match operator {
            Comparator::Equal => SortRange::Equal(value),
            Comparator::NotEqual => return None,
            Comparator::Less => SortRange::Less(value),
            Comparator::LessOrEqual => SortRange::LessOrEqual(value),
            Comparator::Greater => SortRange::Greater(value),
            Comparator::GreaterOrEqual => SortRange::GreaterOrEqual(value),
        })
    }
}

impl KeyCondition {
    /// Takes a `KeyConditionExpression` apart. DynamoDB does this after all expressions of the request are bound.
    pub fn from_condition(condition: &Condition) -> Result<KeyCondition, KeyConditionError> {
        let mut tests = Vec::new();
        take_apart(condition, &mut tests)?;
        Ok(KeyCondition { tests })
    }

    /// For the translation of older parameters. A range of `None` is an operator that no index supports; it is
    /// refused only once the key is known.
    pub(crate) fn from_ranges(ranges: impl IntoIterator<Item = (String, Option<SortRange>)>) -> KeyCondition {
        let tests = ranges.into_iter().map(|(attribute, range)| KeyTest { attribute, range });
        KeyCondition { tests: tests.collect() }
    }
}

fn take_apart(condition: &Condition, tests: &mut Vec<KeyTest>) -> Result<(), KeyConditionError> {
    let invalid = |operator| Err(KeyConditionError::InvalidOperator { operator });
    let (attribute, range) = match condition {
        Condition::And(terms) => return terms.iter().try_for_each(|term| take_apart(term, tests)),
        Condition::Or(_) => return invalid("OR"),
        Condition::Not(_) => return invalid("NOT"),
        Condition::In { .. } => return invalid("IN"),
        Condition::Exists(_) => return invalid("attribute_exists"),
        Condition::NotExists(_) => return invalid("attribute_not_exists"),
        Condition::HasType(..) => return invalid("attribute_type"),
        Condition::Contains(..) => return invalid("contains"),
        Condition::Compare { operator: Comparator::NotEqual, .. } => return invalid("<>"),
        Condition::Compare { operator, left, right } => {
            let Tested { attribute, values } = Tested::of([left, right])?;
            let operator = match left {
                Operand::Path(_) => *operator,
                _ => operator.mirrored(),
            };
            let range = values.into_iter().next();
            (attribute, range.and_then(|value| SortRange::compared(operator, value)))
        }
        Condition::Between { operand, lower, upper } => {
            require_first("BETWEEN", operand)?;
            let Tested { attribute, values } = Tested::of([operand, lower, upper])?;
            let bounds = <[Constant; 2]>::try_from(values).ok();
            (attribute, bounds.map(|[lower, upper]| SortRange::Between(lower, upper)))
        }
        Condition::BeginsWith(operand, prefix) => {
            require_first("begins_with", operand)?;
            let Tested { attribute, values } = Tested::of([operand, prefix])?;
            (attribute, values.into_iter().next().map(SortRange::BeginsWith))
        }
    };
    if tests.iter().any(|test| test.attribute == attribute) {
        return Err(KeyConditionError::RepeatedAttribute);
    }
    tests.push(KeyTest { attribute, range });
    Ok(())
}

fn require_first(operator: &'static str, operand: &Operand) -> Result<(), KeyConditionError> {
    match operand {
        Operand::Path(_) => Ok(()),
        _ => Err(KeyConditionError::AttributeNotFirst { operator }),
    }
}

/// The one attribute among some operands, and the values it is compared with.
struct Tested {
    attribute: String,
    values: Vec<Constant>,
}

impl Tested {
    fn of<const COUNT: usize>(operands: [&Operand; COUNT]) -> Result<Tested, KeyConditionError> {
        let mut attribute = None;
        let mut values = Vec::with_capacity(COUNT);
        for operand in operands {
            match operand {
                Operand::Path(_) if attribute.is_some() => {
                    return Err(KeyConditionError::SeveralAttributes);
                }
                Operand::Path(path) if path.is_nested() => return Err(KeyConditionError::NestedAttribute),
                Operand::Path(path) => attribute = Some(path.attribute_name().to_owned()),
                Operand::Size(_) => return Err(KeyConditionError::NestedOperation),
                Operand::Constant(value) => values.push(value.clone()),
            }
        }
        let attribute = attribute.ok_or(KeyConditionError::NoAttribute)?;
        Ok(Tested { attribute, values })
    }
}
