//! From a condition as written to a condition: placeholders are replaced and operands are checked.
//!
//! DynamoDB goes through the comparisons and calls in the order they are written and reports the first that has
//! a problem; of one that has several it reports, in this order, a placeholder without definition, a wrong
//! number of operands, an attribute compared with itself, and an operand of the wrong type.

use sortkey_value::{AttributeType, ValueRef};

use super::check::check_distinct;
use super::{Condition, Operand};
use crate::constant::Constant;
use crate::error::{ExpressionError, ExpressionKind, OperandTypes, Problem};
use crate::function::Function;
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
    let (left, right) = (left.into_operand()?, right.into_operand()?);
    checked(Condition::Compare { operator, left, right })
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
    checked(Condition::Between {
        operand: operand.into_operand()?,
        lower: lower.into_operand()?,
        upper: upper.into_operand()?,
    })
}

fn one_of(
    operand: &syntax::Operand,
    members: &[syntax::Operand],
    placeholders: &mut Placeholders<'_>,
) -> Result<Condition, Problem> {
    let operand = Term::resolve(operand, placeholders)?;
    let members = resolve_all(members, placeholders)?;
    operand.check_counts()?;
    members.iter().try_for_each(Term::check_counts)?;
    checked(Condition::In {
        operand: operand.into_operand()?,
        members: members.into_iter().map(Term::into_operand).collect::<Result<_, _>>()?,
    })
}

fn bind_call(call: &Call, placeholders: &mut Placeholders<'_>) -> Result<Condition, Problem> {
    let function = call.function.name();
    let terms = resolve_all(&call.operands, placeholders)?;
    terms.iter().try_for_each(Term::check_counts)?;
    check_count(call.function, terms.len())?;
    let mut operands = terms.into_iter().map(Term::into_operand);
    let mut operand = || operands.next().unwrap_or(Err(Problem::OperandCount { function, count: 0 }));
    match call.function {
        Function::AttributeExists => Ok(Condition::Exists(required_path(function, operand()?)?)),
        Function::AttributeNotExists => Ok(Condition::NotExists(required_path(function, operand()?)?)),
        Function::AttributeType => {
            let (value, wanted) = (operand()?, operand()?);
            check_distinct(function, &value, [&wanted])?;
            let wanted = wanted_type(&wanted)?;
            checked(Condition::HasType(value, wanted))
        }
        Function::BeginsWith => checked(Condition::BeginsWith(operand()?, operand()?)),
        Function::Contains => checked(Condition::Contains(operand()?, operand()?)),
        // The grammar does not admit these as conditions.
        Function::Size | Function::IfNotExists | Function::ListAppend => {
            Err(Problem::MisplacedFunction { function })
        }
    }
}

fn checked(condition: Condition) -> Result<Condition, Problem> {
    condition.check()?;
    Ok(condition)
}

fn check_count(function: Function, count: usize) -> Result<(), Problem> {
    if count == function.arity() {
        return Ok(());
    }
    Err(Problem::OperandCount { function: function.name(), count })
}

fn required_path(function: &'static str, operand: Operand) -> Result<Path, Problem> {
    match operand {
        Operand::Path(path) => Ok(path),
        other => {
            other.check_sizes()?;
            Err(Problem::PathRequired { function })
        }
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

    /// The operand. Of the functions only `size` can be one: the grammar refuses the others here.
    fn into_operand(self) -> Result<Operand, Problem> {
        match self {
            Term::Path(path) => Ok(Operand::Path(path)),
            Term::Constant(constant) => Ok(Operand::Constant(constant)),
            Term::Call(function, mut operands) => {
                let function = function.name();
                let inner = operands.pop().ok_or(Problem::OperandCount { function, count: 0 })?;
                Ok(Operand::Size(Box::new(inner.into_operand()?)))
            }
        }
    }
}
