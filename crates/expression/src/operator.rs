//! The operators that compare two operands.

use std::cmp::Ordering;
use std::fmt;

/// `=`, `<>`, `<`, `<=`, `>`, `>=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparator {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparator {
    /// The operator as written.
    pub fn as_str(self) -> &'static str {
        match self {
            Comparator::Equal => "=",
            Comparator::NotEqual => "<>",
            Comparator::Less => "<",
            Comparator::LessOrEqual => "<=",
            Comparator::Greater => ">",
            Comparator::GreaterOrEqual => ">=",
        }
    }

    /// Whether the operator asks for an order, which only strings, numbers and binaries have.
    pub fn is_ordering(self) -> bool {
        !matches!(self, Comparator::Equal | Comparator::NotEqual)
    }

    /// The equivalent operator with its operands exchanged.
    pub fn mirrored(self) -> Comparator {
        match self {
            Comparator::Equal | Comparator::NotEqual => self,
            Comparator::Less => Comparator::Greater,
            Comparator::LessOrEqual => Comparator::GreaterOrEqual,
            Comparator::Greater => Comparator::Less,
            Comparator::GreaterOrEqual => Comparator::LessOrEqual,
        }
    }

    /// Whether the operator holds for operands of this order.
    pub fn accepts(self, ordering: Ordering) -> bool {
        match self {
            Comparator::Equal => ordering.is_eq(),
            Comparator::NotEqual => ordering.is_ne(),
            Comparator::Less => ordering.is_lt(),
            Comparator::LessOrEqual => ordering.is_le(),
            Comparator::Greater => ordering.is_gt(),
            Comparator::GreaterOrEqual => ordering.is_ge(),
        }
    }
}

impl fmt::Display for Comparator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
