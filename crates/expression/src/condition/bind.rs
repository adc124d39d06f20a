//! From a condition as written to a condition: placeholders are replaced and operands are checked.
//!
//! DynamoDB goes through the comparisons and calls in the order they are written and reports the first that has
//! a problem; of one that has several it reports, in this order, a placeholder without definition, a wrong
//! number of operands, an attribute compared with itself, and an operand of the wrong type.

use sortkey_value::{AttributeType, ValueRef};

use super::evaluate::order;
use super::{Condition, Operand};
use crate::constant::Constant;
use crate::error::{ExpressionError, ExpressionKind, OperandTypes, Problem};
use crate::function::Function;
use crate::limits;
use crate::operator::Comparator;
use crate::path::Path;
use crate::placeholders::Placeholders;
use crate::syntax::{self, Call, ConditionNode, SyntaxCondition};

impl SyntaxCondition {
    /// Replaces the placeholders. `kind` is where the expression was given; errors name it.
    pub fn bind(
        &self,
        kind: ExpressionKind,
        placeholders: &mut Placeholders<'_>,
    ) -> Result<Condition, ExpressionError> {
        bind_node(&self.root, placeholders).map_err(|problem| kind.error(problem))
    }
}

fn bind_node(node: &ConditionNode, placeholders: &mut Placeholders<'_>) -> Result<Condition, Problem> {
    match node {
        ConditionNode::Compare { operator, left, right } => compare(*operator, left, right, placeholders),
        ConditionNode::Between { operand, lower, upper } => between(operand, lower, upper, placeholders),
        ConditionNode::In { operand, members } => one_of(operand, members, placeholders),
        ConditionNode::Call(call) => bind_call(call, placeholders),
        ConditionNode::Not(inner) => Ok(Condition::Not(Box::new(bind_node(inner, placeholders)?))),
        ConditionNode::And(terms) => bind_all(terms, placeholders).map(Condition::And),
        ConditionNode::Or(terms) => bind_all(terms, placeholders).map(Condition::Or),
    }
}

fn bind_all(nodes: &[ConditionNode], placeholders: &mut Placeholders<'_>) -> Result<Vec<Condition>, Problem> {
    nodes.iter().map(|node| bind_node(node, placeholders)).collect()
}

fn compare(
    operator: Comparator,
    left: &syntax::Operand,
    right: &syntax::Operand,
    placeholders: &mut Placeholders<'_>,
) -> Result<Condition, Problem> {
    let left = Term::resolve(left, placeholders)?;
    let right = Term::resolve(right, placeholders)?;
    left.check_counts()?;
    right.check_counts()?;
    left.check_distinct(operator.as_str(), [&right])?;
    let left = left.into_operand()?;
    let right = right.into_operand()?;
    if operator.is_ordering() {
        check_type(operator.as_str(), &left, &ORDERED)?;
        check_type(operator.as_str(), &right, &ORDERED)?;
    }
    Ok(Condition::Compare { operator, left, right })
}

fn between(
    operand: &syntax::Operand,
    lower: &syntax::Operand,
    upper: &syntax::Operand,
    placeholders: &mut Placeholders<'_>,
) -> Result<Condition, Problem> {
    let operand = Term::resolve(operand, placeholders)?;
    let lower = Term::resolve(lower, placeholders)?;
    let upper = Term::resolve(upper, placeholders)?;
    operand.check_counts()?;
    lower.check_counts()?;
    upper.check_counts()?;
    operand.check_distinct("BETWEEN", [&lower, &upper])?;
    let operand = operand.into_operand()?;
    let lower = lower.into_operand()?;
    let upper = upper.into_operand()?;
    for operand in [&operand, &lower, &upper] {
        check_type("BETWEEN", operand, &ORDERED)?;
    }
    check_bounds(&lower, &upper)?;
    Ok(Condition::Between { operand, lower, upper })
}

fn one_of(
    operand: &syntax::Operand,
    members: &[syntax::Operand],
    placeholders: &mut Placeholders<'_>,
) -> Result<Condition, Problem> {
    let operand = Term::resolve(operand, placeholders)?;
    let members = resolve_all(members, placeholders)?;
    if members.len() > limits::IN_OPERANDS {
        let count = members.len();
        return Err(Problem::TooManyInOperands { count });
    }
    operand.check_counts()?;
    members.iter().try_for_each(Term::check_counts)?;
    operand.check_distinct("IN", &members)?;
    Ok(Condition::In {
        operand: operand.into_operand()?,
        members: members.into_iter().map(Term::into_operand).collect::<Result<_, _>>()?,
    })
}

fn bind_call(call: &Call, placeholders: &mut Placeholders<'_>) -> Result<Condition, Problem> {
    let operator = call.function.name();
    let terms = resolve_all(&call.operands, placeholders)?;
    terms.iter().try_for_each(Term::check_counts)?;
    check_count(call.function, terms.len())?;
    if let [first, others @ ..] = &*terms {
        first.check_distinct(operator, others)?;
    }
    let mut operands = terms.into_iter().map(Term::into_operand);
    let mut operand =
        || operands.next().unwrap_or(Err(Problem::OperandCount { function: operator, count: 0 }));
    match call.function {
        Function::AttributeExists => Ok(Condition::Exists(required_path(operator, operand()?)?)),
        Function::AttributeNotExists => Ok(Condition::NotExists(required_path(operator, operand()?)?)),
        Function::AttributeType => {
            let value = operand()?;
            Ok(Condition::HasType(value, wanted_type(&operand()?)?))
        }
        Function::BeginsWith => {
            let (value, prefix) = (operand()?, operand()?);
            for operand in [&value, &prefix] {
                check_type(operator, operand, &[AttributeType::S, AttributeType::B])?;
            }
            Ok(Condition::BeginsWith(value, prefix))
        }
        Function::Contains => Ok(Condition::Contains(operand()?, operand()?)),
        // The grammar lets these not stand for a condition.
        Function::Size | Function::IfNotExists | Function::ListAppend => {
            Err(Problem::MisplacedFunction { function: operator })
        }
    }
}

fn required_path(function: &'static str, operand: Operand) -> Result<Path, Problem> {
    match operand {
        Operand::Path(path) => Ok(path),
        _ => Err(Problem::PathRequired { function }),
    }
}

fn wanted_type(operand: &Operand) -> Result<AttributeType, Problem> {
    let operator = Function::AttributeType.name();
    let Operand::Constant(constant) = operand else {
        let operand_type = operand.known_type().map_or(OperandTypes::Any, OperandTypes::One);
        return Err(Problem::OperandType { operator, operand_type });
    };
    match constant.value() {
        ValueRef::S(name) => {
            AttributeType::from_descriptor(name).ok_or_else(|| Problem::UnknownType { name: name.to_owned() })
        }
        other => {
            Err(Problem::OperandType { operator, operand_type: OperandTypes::One(other.attribute_type()) })
        }
    }
}

/// An operand whose placeholders are replaced, but which is not checked yet.
enum Term {
    Path(Path),
    Constant(Constant),
    Call(Function, Vec<Term>),
}

fn resolve_all(
    operands: &[syntax::Operand],
    placeholders: &mut Placeholders<'_>,
) -> Result<Vec<Term>, Problem> {
    operands.iter().map(|operand| Term::resolve(operand, placeholders)).collect()
}

impl Term {
    fn resolve(operand: &syntax::Operand, placeholders: &mut Placeholders<'_>) -> Result<Term, Problem> {
        Ok(match operand {
            syntax::Operand::Path(path) => Term::Path(placeholders.path(path)?),
            syntax::Operand::Value(placeholder) => Term::Constant(placeholders.value(placeholder)?),
            syntax::Operand::Call(call) => {
                Term::Call(call.function, resolve_all(&call.operands, placeholders)?)
            }
        })
    }

    /// Every call inside must have as many operands as its function takes.
    fn check_counts(&self) -> Result<(), Problem> {
        if let Term::Call(function, operands) = self {
            operands.iter().try_for_each(Term::check_counts)?;
            check_count(*function, operands.len())?;
        }
        Ok(())
    }

    /// An attribute cannot be compared with itself.
    fn check_distinct<'t>(
        &self,
        operator: &'static str,
        others: impl IntoIterator<Item = &'t Term>,
    ) -> Result<(), Problem> {
        let Term::Path(own) = self else { return Ok(()) };
        let is_same = |other: &Term| matches!(other, Term::Path(path) if path == own);
        if others.into_iter().any(is_same) {
            let operand = own.clone();
            return Err(Problem::SameOperand { operator, operand });
        }
        Ok(())
    }

    /// The operand, with the types inside of it checked from the inside out. Of the functions only `size` can be
    /// one: the grammar refuses the others here.
    fn into_operand(self) -> Result<Operand, Problem> {
        match self {
            Term::Path(path) => Ok(Operand::Path(path)),
            Term::Constant(constant) => Ok(Operand::Constant(constant)),
            Term::Call(function, mut operands) => {
                let operator = function.name();
                let inner = operands.pop().ok_or(Problem::OperandCount { function: operator, count: 0 })?;
                let inner = inner.into_operand()?;
                check_type(operator, &inner, &SIZED)?;
                Ok(Operand::Size(Box::new(inner)))
            }
        }
    }
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

fn check_count(function: Function, count: usize) -> Result<(), Problem> {
    if count == function.arity() {
        return Ok(());
    }
    Err(Problem::OperandCount { function: function.name(), count })
}

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
