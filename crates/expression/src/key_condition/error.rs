//! Why a query cannot be answered from a key; the texts are DynamoDB's.

use thiserror::Error;

/// A key condition that DynamoDB refuses.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeyConditionError {
    /// An operator that no key supports.
    #[error("Invalid operator used in KeyConditionExpression: {operator}")]
    InvalidOperator {
        /// The operator or function.
        operator: &'static str,
    },
    /// `BETWEEN` or `begins_with` with the attribute in another place.
    #[error(
        "Invalid condition in KeyConditionExpression: \
         {operator} operator must have the key attribute as its first operand"
    )]
    AttributeNotFirst {
        /// The operator or function.
        operator: &'static str,
    },
    /// Two attributes compared with each other.
    #[error("Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition")]
    SeveralAttributes,
    /// Two values compared with each other.
    #[error("Invalid condition in KeyConditionExpression: No key attribute specified")]
    NoAttribute,
    /// A path into an attribute.
    #[error(
        "Invalid KeyConditionExpression: \
         KeyConditionExpressions cannot have conditions on nested attributes"
    )]
    NestedAttribute,
    /// `size` in a comparison.
    #[error("Invalid KeyConditionExpression: KeyConditionExpressions cannot contain nested operations")]
    NestedOperation,
    /// Two conditions on one attribute.
    #[error(
        "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"
    )]
    RepeatedAttribute,
    /// `KeyConditions` without conditions.
    #[error("Conditions can be of length 1 or 2 only")]
    NoConditions,
    /// More conditions than the key has attributes.
    #[error(
        "The number of query conditions ({conditions}) exceeds the number of key attributes defined in \
         the schema ({attributes})"
    )]
    TooManyConditions {
        /// How many conditions there are.
        conditions: usize,
        /// How many attributes the key has.
        attributes: usize,
    },
    /// An attribute of the key without a condition.
    #[error("Query condition missed key schema element: {attribute}")]
    MissingAttribute {
        /// The attribute.
        attribute: String,
    },
    /// Some of several partition attributes are not tested by equality.
    #[error("HASH key attributes {} must have equality conditions specified in the query", attributes.join(", "))]
    PartitionGap {
        /// The attributes without equality.
        attributes: Vec<String>,
    },
    /// A range on a partition attribute.
    #[error("Query key condition not supported")]
    RangeOnPartition,
    /// An operator of `KeyConditions` that no index supports.
    #[error("Attempted conditional constraint is not an indexable operation")]
    NotIndexable,
    /// A value of another type than the attribute of the key.
    #[error("One or more parameter values were invalid: Condition parameter type does not match schema type")]
    TypeMismatch,
    /// An empty string or binary, which no key can be.
    #[error(
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain \
         an empty {kind} value. Key: {attribute}"
    )]
    EmptyValue {
        /// The attribute.
        attribute: String,
        /// `string` or `binary`.
        kind: &'static str,
    },
    /// A sort attribute is tested although one before it is not tested by equality.
    #[error(
        "RANGE key attributes {} must have equality conditions specified in the query because a condition \
         is present on key attribute {attribute}",
        before.join(", ")
    )]
    SortGap {
        /// The attributes without equality.
        before: Vec<String>,
        /// The attribute behind them.
        attribute: String,
    },
}
