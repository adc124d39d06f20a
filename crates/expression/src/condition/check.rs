//! Checks that DynamoDB makes on a condition before it reads any item: no attribute is compared with itself,
//! and operands have types that the operator can use.

use sortkey_value::{AttributeType, ValueRef};

use super::evaluate::order;
use super::{Condition, Operand};
use crate::error::{OperandTypes, Problem};
use crate::function::Function;
use crate::limits;

impl Condition {
    /// Whether DynamoDB accepts the condition; reports the first problem in the order it is written.
    pub fn check(&self) -> Result<(), Problem> {
        match self {
            Condition::Compare { operator, left, right } => {
                let operator_text = operator.as_str();
                check_distinct(operator_text, left, [right])?;
                left.check_sizes()?;
                right.check_sizes()?;
                if operator.is_ordering() {
                    check_type(operator_text, left, &ORDERED)?;
                    check_type(operator_text, right, &ORDERED)?;
                }
                Ok(())
            }
            Condition::Between { operand, lower, upper } => {
                check_distinct("BETWEEN", operand, [lower, upper])?;
                let operands = [operand, lower, upper];
                operands.into_iter().try_for_each(Operand::check_sizes)?;
                operands.into_iter().try_for_each(|operand| check_type("BETWEEN", operand, &ORDERED))?;
                check_bounds(lower, upper)
            }
            Condition::In { operand, members } => {
                if members.len() > limits::IN_OPERANDS {
                    return Err(Problem::TooManyInOperands { count: members.len() });
                }
                check_distinct("IN", operand, members)?;
                operand.check_sizes()?;
                members.iter().try_for_each(Operand::check_sizes)
            }
            Condition::Exists(_) | Condition::NotExists(_) => Ok(()),
            Condition::HasType(operand, _) => operand.check_sizes(),
            Condition::BeginsWith(value, prefix) => {
                let function = Function::BeginsWith.name();
                check_distinct(function, value, [prefix])?;
                value.check_sizes()?;
                prefix.check_sizes()?;
                check_type(function, value, &[AttributeType::S, AttributeType::B])?;
                check_type(function, prefix, &[AttributeType::S, AttributeType::B])
            }
            Condition::Contains(value, member) => {
                check_distinct(Function::Contains.name(), value, [member])?;
                value.check_sizes()?;
                member.check_sizes()
            }
            Condition::Not(inner) => inner.check(),
            Condition::And(terms) | Condition::Or(terms) => terms.iter().try_for_each(Condition::check),
        }
    }
}

impl Operand {
    /// The operand of `size` must be of a type that has one; checks from the inside out.
    pub(super) fn check_sizes(&self) -> Result<(), Problem> {
        match self {
            Operand::Path(_) | Operand::Constant(_) => Ok(()),
            Operand::Size(inner) => {
                inner.check_sizes()?;
                check_type(Function::Size.name(), inner, &SIZED)
            }
        }
    }
}

/// An attribute cannot be compared with itself.
pub(super) fn check_distinct<'o>(
    operator: &'static str,
    first: &Operand,
    others: impl IntoIterator<Item = &'o Operand>,
) -> Result<(), Problem> {
    let Operand::Path(path) = first else { return Ok(()) };
    if others.into_iter().any(|other| other == first) {
        return Err(Problem::SameOperand { operator, operand: path.clone() });
    }
    Ok(())
}

/// The types that have an order.
const ORDERED: [AttributeType; 3] = [AttributeType::S, AttributeType::N, AttributeType::B];

/// The types that have a size.
const SIZED: [AttributeType; 7] = [
    AttributeType::S,
    AttributeType::B,
    AttributeType::L,
    AttributeType::M,
    AttributeType::Ss,
    AttributeType::Ns,
    AttributeType::Bs,
];

/// The type of an operand, where it is known, must be one of these.
fn check_type(operator: &'static str, operand: &Operand, allowed: &[AttributeType]) -> Result<(), Problem> {
    match operand.known_type() {
        Some(kind) if !allowed.contains(&kind) => {
            Err(Problem::OperandType { operator, operand_type: OperandTypes::One(kind) })
        }
        _ => Ok(()),
    }
}

/// The bounds of `BETWEEN`, where both are known, must be of one type and in order.
fn check_bounds(lower: &Operand, upper: &Operand) -> Result<(), Problem> {
    let (Operand::Constant(lower), Operand::Constant(upper)) = (lower, upper) else {
        return Ok(());
    };
    let (lower, upper) = (lower.value(), upper.value());
    match order((lower, upper)) {
        Some(ordering) if ordering.is_le() => Ok(()),
        Some(_) => Err(Problem::BetweenOrder { lower: describe(lower), upper: describe(upper) }),
        None => Err(Problem::BetweenTypes { lower: describe(lower), upper: describe(upper) }),
    }
}

/// A bound the way DynamoDB's texts print it.
fn describe(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::S(text) => format!("{{S:{text}}}"),
        ValueRef::N(number) => format!("{{N:{number}}}"),
        ValueRef::B(bytes) => {
            let length = bytes.len();
            format!("{{B:java.nio.HeapByteBuffer[pos=0 lim={length} cap={length}]}}")
        }
        other => format!("{{{}:}}", other.attribute_type()),
    }
}
