//! Conditions: what `ConditionExpression` and `FilterExpression` mean once their placeholders are replaced, and
//! what the older parameters are translated to.

mod bind;
mod check;
mod evaluate;
mod unbind;

use sortkey_value::AttributeType;

use crate::constant::Constant;
use crate::operator::Comparator;
use crate::path::Path;

pub(crate) use evaluate::order;

/// A condition on an item.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// Two operands compared.
    Compare {
        /// How.
        operator: Comparator,
        /// The operand on the left.
        left: Operand,
        /// The operand on the right.
        right: Operand,
    },
    /// An operand between two others, both included.
    Between {
        /// The operand.
        operand: Operand,
        /// The lower bound.
        lower: Operand,
        /// The upper bound.
        upper: Operand,
    },
    /// An operand equal to one of several.
    In {
        /// The operand.
        operand: Operand,
        /// The others.
        members: Vec<Operand>,
    },
    /// A value exists.
    Exists(Path),
    /// A value does not exist.
    NotExists(Path),
    /// A value is of a type.
    HasType(Operand, AttributeType),
    /// A string or binary begins with another.
    BeginsWith(Operand, Operand),
    /// A string or binary contains another, or a set or list a member.
    Contains(Operand, Operand),
    /// The opposite.
    Not(Box<Condition>),
    /// All of these.
    And(Vec<Condition>),
    /// At least one of these.
    Or(Vec<Condition>),
}

/// An operand of a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A value of the item.
    Path(Path),
    /// A value of the request.
    Constant(Constant),
    /// The size of another operand.
    Size(Box<Operand>),
}

impl Condition {
    /// The paths that the condition looks at, in the order they are written.
    pub fn paths(&self) -> Vec<&Path> {
        let mut paths = Vec::new();
        self.collect_paths(&mut paths);
        paths
    }

    fn collect_paths<'c>(&'c self, paths: &mut Vec<&'c Path>) {
        match self {
            Condition::Compare { left, right, .. } => {
                paths.extend(left.path().into_iter().chain(right.path()))
            }
            Condition::Between { operand, lower, upper } => {
                paths.extend([operand, lower, upper].into_iter().filter_map(Operand::path))
            }
            Condition::In { operand, members } => {
                paths.extend(operand.path());
                paths.extend(members.iter().filter_map(Operand::path));
            }
            Condition::Exists(path) | Condition::NotExists(path) => paths.push(path),
            Condition::HasType(operand, _) => paths.extend(operand.path()),
            Condition::BeginsWith(left, right) | Condition::Contains(left, right) => {
                paths.extend(left.path().into_iter().chain(right.path()));
            }
            Condition::Not(inner) => inner.collect_paths(paths),
            Condition::And(terms) | Condition::Or(terms) => {
                terms.iter().for_each(|term| term.collect_paths(paths));
            }
        }
    }
}

impl Operand {
    /// The path that the operand looks at.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Operand::Path(path) => Some(path),
            Operand::Constant(_) => None,
            Operand::Size(inner) => inner.path(),
        }
    }

    /// The type of the operand, if it does not depend on the item.
    pub fn known_type(&self) -> Option<AttributeType> {
        match self {
            Operand::Path(_) => None,
            Operand::Constant(constant) => Some(constant.value().attribute_type()),
            Operand::Size(_) => Some(AttributeType::N),
        }
    }
}

impl From<Path> for Operand {
    fn from(path: Path) -> Operand {
        Operand::Path(path)
    }
}

impl From<Constant> for Operand {
    fn from(constant: Constant) -> Operand {
        Operand::Constant(constant)
    }
}
