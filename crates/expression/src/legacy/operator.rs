//! The operators of the older parameters.

use std::fmt;

use sortkey_value::AttributeType;

use crate::operator::Comparator;

/// The thirteen tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Their names are DynamoDB's.
pub enum ComparisonOperator {
    Eq,
    Ne,
    In,
    Le,
    Lt,
    Ge,
    Gt,
    Between,
    NotNull,
    Null,
    Contains,
    NotContains,
    BeginsWith,
}

impl ComparisonOperator {
    const ALL: [(ComparisonOperator, &'static str); 13] = [
        (ComparisonOperator::Eq, "EQ"),
        (ComparisonOperator::Ne, "NE"),
        (ComparisonOperator::In, "IN"),
        (ComparisonOperator::Le, "LE"),
        (ComparisonOperator::Lt, "LT"),
        (ComparisonOperator::Ge, "GE"),
        (ComparisonOperator::Gt, "GT"),
        (ComparisonOperator::Between, "BETWEEN"),
        (ComparisonOperator::NotNull, "NOT_NULL"),
        (ComparisonOperator::Null, "NULL"),
        (ComparisonOperator::Contains, "CONTAINS"),
        (ComparisonOperator::NotContains, "NOT_CONTAINS"),
        (ComparisonOperator::BeginsWith, "BEGINS_WITH"),
    ];

    /// The operator of this name.
    pub fn from_name(name: &str) -> Option<ComparisonOperator> {
        let mut all = ComparisonOperator::ALL.iter();
        all.find(|(_, own)| *own == name).map(|(operator, _)| *operator)
    }

    /// DynamoDB's name of the operator.
    pub fn as_str(self) -> &'static str {
        let mut all = ComparisonOperator::ALL.iter();
        all.find(|(operator, _)| *operator == self).map_or("", |(_, name)| name)
    }

    pub(super) fn comparator(self) -> Option<Comparator> {
        Some(match self {
            ComparisonOperator::Eq => Comparator::Equal,
            ComparisonOperator::Ne => Comparator::NotEqual,
            ComparisonOperator::Le => Comparator::LessOrEqual,
            ComparisonOperator::Lt => Comparator::Less,
            ComparisonOperator::Ge => Comparator::GreaterOrEqual,
            ComparisonOperator::Gt => Comparator::Greater,
            _ => return None,
        })
    }

    pub(super) fn takes_no_values(self) -> bool {
        matches!(self, ComparisonOperator::Null | ComparisonOperator::NotNull)
    }

    /// Whether the operator compares with this many values.
    pub(super) fn takes(self, values: usize) -> bool {
        match self {
            ComparisonOperator::Null | ComparisonOperator::NotNull => values == 0,
            ComparisonOperator::Between => values == 2,
            ComparisonOperator::In => values > 0,
            _ => values == 1,
        }
    }

    /// Whether the operator compares with values of this type.
    pub(super) fn compares(self, value_type: AttributeType) -> bool {
        use AttributeType::{B, Bool, N, Null, S};
        match self {
            ComparisonOperator::Eq | ComparisonOperator::Ne => true,
            ComparisonOperator::BeginsWith => matches!(value_type, S | B),
            ComparisonOperator::Contains | ComparisonOperator::NotContains => {
                matches!(value_type, S | N | B | Bool | Null)
            }
            _ => matches!(value_type, S | N | B),
        }
    }
}

impl fmt::Display for ComparisonOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
