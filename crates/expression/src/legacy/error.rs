//! Why a request with parameters from before expressions is refused; the texts are DynamoDB's.

use sortkey_value::AttributeType;
use thiserror::Error;

use super::ComparisonOperator;

/// Old parameters that DynamoDB refuses.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LegacyError {
    /// Old parameters and expressions in one request.
    #[error(
        "Can not use both expression and non-expression parameters in the same request: \
         Non-expression parameters: {{{}}} Expression parameters: {{{}}}",
        parameters.join(", "),
        expressions.join(", ")
    )]
    Mixed {
        /// The old parameters.
        parameters: Vec<&'static str>,
        /// The expressions.
        expressions: Vec<&'static str>,
    },
    /// More or fewer values than the operator compares with.
    #[error(
        "One or more parameter values were invalid: \
         Invalid number of argument(s) for the {operator} ComparisonOperator"
    )]
    ArgumentCount {
        /// The operator.
        operator: ComparisonOperator,
    },
    /// Values of several types.
    #[error(
        "One or more parameter values were invalid: \
         AttributeValues inside AttributeValueList must be of same type"
    )]
    MixedTypes,
    /// A value of a type that the operator cannot compare with.
    #[error(
        "One or more parameter values were invalid: \
         ComparisonOperator {operator} is not valid for {value_type} AttributeValue type"
    )]
    ArgumentType {
        /// The operator.
        operator: ComparisonOperator,
        /// The type of the value.
        value_type: AttributeType,
    },
    /// A lower bound above the upper one.
    #[error(
        "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
    )]
    BoundsOutOfOrder,
    /// `ConditionalOperator` without conditions.
    #[error("ConditionalOperator cannot be used without Filter or Expected")]
    OperatorWithoutConditions,
    /// `ConditionalOperator` with a single condition.
    #[error("ConditionalOperator can only be used when Filter or Expected has two or more elements")]
    OperatorWithOneCondition,
    /// An expectation that does not fit together.
    #[error("One or more parameter values were invalid: {problem} for Attribute: {attribute}")]
    Expectation {
        /// The contradiction.
        problem: ExpectationProblem,
        /// The attribute it is about.
        attribute: String,
    },
    /// An action that needs a value has none.
    #[error(
        "One or more parameter values were invalid: \
         Only DELETE action is allowed when no attribute value is specified"
    )]
    ValueRequired,
    /// `DELETE` with a value that is not a set.
    #[error(
        "One or more parameter values were invalid: \
         DELETE action with value is not supported for the type {0}"
    )]
    DeleteType(AttributeType),
    /// `ADD` with a value that cannot be added.
    #[error("One or more parameter values were invalid: ADD action is not supported for the type {0}")]
    AddType(AttributeType),
    /// An attribute is listed twice.
    #[error("One or more parameter values were invalid: Duplicate value in attribute name: {0}")]
    DuplicateAttribute(String),
}

/// How the members of an expectation do not fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ExpectationProblem {
    /// Two ways to give values.
    #[error("Value and AttributeValueList cannot be used together")]
    TwoValues,
    /// Two ways to give a test.
    #[error("Exists and ComparisonOperator cannot be used together")]
    TwoTests,
    /// An operator without values.
    #[error("Value or AttributeValueList must be used with ComparisonOperator: {0}")]
    NoValues(ComparisonOperator),
    /// Values without an operator.
    #[error("AttributeValueList can only be used with a ComparisonOperator")]
    NoOperator,
    /// Existence without a value.
    #[error("Value must be provided when Exists is {}", if *.0 { "true" } else { "null" })]
    ExistsWithoutValue(bool),
    /// A value of something that does not exist.
    #[error("Value cannot be used when Exists is false")]
    ValueWithoutExists,
}

/// Refuses old parameters and expressions in one request. Both lists name the parameters that were given.
pub fn check_not_mixed(
    parameters: Vec<&'static str>,
    expressions: Vec<&'static str>,
) -> Result<(), LegacyError> {
    if parameters.is_empty() || expressions.is_empty() {
        return Ok(());
    }
    Err(LegacyError::Mixed { parameters, expressions })
}
