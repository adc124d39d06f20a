//! `WHERE` to a condition.
//!
//! PartiQL has booleans where expressions have conditions: the answer of a test can be compared with `true`, with
//! an attribute or with another answer. Such comparisons are spelled out with `AND`, `OR` and `NOT`, which writes each
//! side twice: a chain of them doubles at every link, so what may be repeated is bounded by [`OPERATORS`].

use sortkey_expression::limits::OPERATORS;
use sortkey_expression::{Comparator, Condition, Constant, Operand, OperandTypes, Problem};
use sortkey_value::{AttributeType, AttributeValue, ValueRef};

use super::Binder;
use super::path::path;
use crate::error::PartiqlError;
use crate::syntax::{Expr, Node};

/// One side of a comparison.
enum Side {
    Operand(Operand),
    /// The answer of a test.
    Answer(Condition),
}

impl Binder<'_> {
    /// The condition of a `WHERE` clause, checked as DynamoDB checks expressions.
    pub(super) fn where_clause(self, node: &Node) -> Result<Condition, PartiqlError> {
        let condition = self.condition(node, PartiqlError::WhereNotBoolean)?;
        condition.check()?;
        Ok(condition)
    }

    fn condition(self, node: &Node, otherwise: PartiqlError) -> Result<Condition, PartiqlError> {
        match self.test(node)? {
            Some(condition) => Ok(condition),
            None => Err(otherwise),
        }
    }

    /// The condition, if the expression is one.
    fn test(self, node: &Node) -> Result<Option<Condition>, PartiqlError> {
        let all = |terms: &[Node]| {
            let terms = terms.iter().map(|term| self.condition(term, PartiqlError::JunctionNotBoolean));
            terms.collect::<Result<Vec<_>, _>>()
        };
        Ok(Some(match &node.expr {
            Expr::And(terms) => Condition::And(all(terms)?),
            Expr::Or(terms) => Condition::Or(all(terms)?),
            Expr::Not(inner) => {
                Condition::Not(Box::new(self.condition(inner, PartiqlError::NegationNotBoolean)?))
            }
            Expr::Binary(operator, left, right) => {
                let Some(comparator) = comparator(operator) else {
                    return Err(PartiqlError::UnsupportedConditionOperator(operator));
                };
                compare(comparator, self.side(left)?, self.side(right)?)?
            }
            Expr::Between(operand, lower, upper) => self.between(operand, lower, upper)?,
            Expr::In(operand, members) => self.one_of(operand, members)?,
            Expr::Is(operand, type_name) => self.is_type(operand, type_name)?,
            Expr::Call(name, operands) => match name.as_str() {
                "size" => return Ok(None),
                _ => self.call(name, operands, node)?,
            },
            _ => return Ok(None),
        }))
    }

    fn side(self, node: &Node) -> Result<Side, PartiqlError> {
        match &node.expr {
            Expr::Call(name, operands) if name == "size" => {
                check_count("size", operands, 1)?;
                let inner = self.operand(&operands[0])?;
                Ok(Side::Operand(Operand::Size(Box::new(inner))))
            }
            Expr::Path(..) => Ok(Side::Operand(Operand::Path(path(node)?))),
            Expr::Missing => Err(PartiqlError::MissingCompared),
            Expr::Sign(operator, _) => Err(PartiqlError::UnsupportedConditionOperator(operator)),
            _ => match self.test(node)? {
                Some(answer) => Ok(Side::Answer(answer)),
                None => Ok(Side::Operand(Operand::Constant(self.value(node)?.into()))),
            },
        }
    }

    /// An operand in a position that does not admit the result of a test.
    fn operand(self, node: &Node) -> Result<Operand, PartiqlError> {
        match self.side(node)? {
            Side::Operand(operand) => Ok(operand),
            Side::Answer(_) => Err(PartiqlError::UnsupportedConditionOperator(node.expr.name())),
        }
    }

    fn between(self, operand: &Node, lower: &Node, upper: &Node) -> Result<Condition, PartiqlError> {
        let bound = |node| match self.side(node)? {
            Side::Operand(operand) => Ok(operand),
            Side::Answer(_) => Err(PartiqlError::from(boolean_operand("BETWEEN"))),
        };
        Ok(Condition::Between { operand: bound(operand)?, lower: bound(lower)?, upper: bound(upper)? })
    }

    fn one_of(self, operand: &Node, members: &Node) -> Result<Condition, PartiqlError> {
        let members: &[Node] = match &members.expr {
            Expr::List(members) | Expr::Bag(members) if !members.is_empty() => members,
            // `IN (a)`: parentheses around one member do not make a list.
            Expr::Text(_) | Expr::Number(_) | Expr::Bool(_) | Expr::Null => std::slice::from_ref(members),
            _ => return Err(PartiqlError::InOperand),
        };
        let sides = members.iter().map(|member| self.side(member)).collect::<Result<Vec<_>, _>>()?;
        let operand = match self.side(operand)? {
            Side::Operand(operand) => operand,
            Side::Answer(answer) => {
                check_repeated(tests(&answer) * sides.len())?;
                let terms = sides
                    .into_iter()
                    .map(|side| compare(Comparator::Equal, Side::Answer(answer.clone()), side));
                return Ok(Condition::Or(terms.collect::<Result<_, _>>()?));
            }
        };
        let members = sides.into_iter().map(|side| match side {
            Side::Operand(operand) => Ok(operand),
            Side::Answer(_) => Err(PartiqlError::InOperand),
        });
        Ok(Condition::In { operand, members: members.collect::<Result<_, _>>()? })
    }

    fn is_type(self, operand: &Node, type_name: &str) -> Result<Condition, PartiqlError> {
        let wanted = match type_name {
            "MISSING" => return Ok(Condition::NotExists(self.is_path(operand)?)),
            "NULL" => AttributeType::Null,
            "BOOL" | "BOOLEAN" => AttributeType::Bool,
            "BLOB" => AttributeType::B,
            "STRING" => AttributeType::S,
            "NUMERIC" => AttributeType::N,
            "STRUCT" | "TUPLE" => AttributeType::M,
            "LIST" => AttributeType::L,
            other => return Err(PartiqlError::IsType(other.to_owned())),
        };
        match self.side(operand)? {
            Side::Operand(operand @ (Operand::Path(_) | Operand::Constant(_))) => {
                Ok(Condition::HasType(operand, wanted))
            }
            _ => Err(PartiqlError::IsOperand),
        }
    }

    fn is_path(self, node: &Node) -> Result<sortkey_expression::Path, PartiqlError> {
        match &node.expr {
            Expr::Path(..) => path(node),
            _ => Err(PartiqlError::IsOperand),
        }
    }

    fn call(self, name: &str, operands: &[Node], node: &Node) -> Result<Condition, PartiqlError> {
        let required_path = |function: &'static str| {
            check_count(function, operands, 1)?;
            match &operands[0].expr {
                Expr::Path(..) => path(&operands[0]),
                _ => Err(PartiqlError::from(Problem::PathRequired { function })),
            }
        };
        let pair = |function: &'static str| {
            check_count(function, operands, 2)?;
            Ok::<_, PartiqlError>((self.operand(&operands[0])?, self.operand(&operands[1])?))
        };
        match name {
            "attribute_exists" => Ok(Condition::Exists(required_path("attribute_exists")?)),
            "attribute_not_exists" => Ok(Condition::NotExists(required_path("attribute_not_exists")?)),
            "begins_with" => {
                let (value, prefix) = pair("begins_with")?;
                Ok(Condition::BeginsWith(value, prefix))
            }
            "contains" => {
                let (value, member) = pair("contains")?;
                Ok(Condition::Contains(value, member))
            }
            "attribute_type" => {
                let (value, wanted) = pair("attribute_type")?;
                Ok(Condition::HasType(value, wanted_type(&wanted)?))
            }
            _ => Err(PartiqlError::UnrecognizedFunction { name: name.to_owned(), place: node.place }),
        }
    }
}

fn check_count(function: &'static str, operands: &[Node], wanted: usize) -> Result<(), PartiqlError> {
    match operands.len() {
        count if count == wanted => Ok(()),
        count => Err(Problem::OperandCount { function, count }.into()),
    }
}

fn wanted_type(operand: &Operand) -> Result<AttributeType, PartiqlError> {
    let refused = |operand_type| Problem::OperandType { operator: "attribute_type", operand_type };
    let Operand::Constant(constant) = operand else {
        let operand_type = operand.known_type().map_or(OperandTypes::Any, OperandTypes::One);
        return Err(refused(operand_type).into());
    };
    match constant.value() {
        ValueRef::S(name) => AttributeType::from_descriptor(name)
            .ok_or_else(|| Problem::UnknownType { name: name.to_owned() }.into()),
        other => Err(refused(OperandTypes::One(other.attribute_type())).into()),
    }
}

fn comparator(operator: &str) -> Option<Comparator> {
    Some(match operator {
        "=" => Comparator::Equal,
        "<>" => Comparator::NotEqual,
        "<" => Comparator::Less,
        "<=" => Comparator::LessOrEqual,
        ">" => Comparator::Greater,
        ">=" => Comparator::GreaterOrEqual,
        _ => return None,
    })
}

fn boolean_operand(operator: &'static str) -> Problem {
    Problem::OperandType { operator, operand_type: OperandTypes::One(AttributeType::Bool) }
}

fn compare(operator: Comparator, left: Side, right: Side) -> Result<Condition, PartiqlError> {
    let (answer, other) = match (left, right) {
        (Side::Operand(left), Side::Operand(right)) => {
            return Ok(Condition::Compare { operator, left, right });
        }
        (Side::Answer(answer), other) | (other, Side::Answer(answer)) => (answer, other),
    };
    let equal = match operator {
        Comparator::Equal => true,
        Comparator::NotEqual => false,
        _ => return Err(boolean_operand(operator.as_str()).into()),
    };
    let repeated = match &other {
        Side::Answer(other) => tests(other),
        Side::Operand(_) => 0,
    };
    check_repeated(tests(&answer) + repeated)?;
    let same = same_answer(answer, other);
    Ok(if equal { same } else { Condition::Not(Box::new(same)) })
}

/// How many tests a condition consists of.
fn tests(condition: &Condition) -> usize {
    match condition {
        Condition::And(terms) | Condition::Or(terms) => terms.iter().map(tests).sum(),
        Condition::Not(inner) => tests(inner),
        _ => 1,
    }
}

/// Refuses to write down more tests than an expression may have.
fn check_repeated(count: usize) -> Result<(), PartiqlError> {
    match count {
        0..=OPERATORS => Ok(()),
        _ => Err(Problem::TooManyOperators { count }.into()),
    }
}

/// Whether the answer of a test is the same as something else.
fn same_answer(answer: Condition, other: Side) -> Condition {
    let other = match other {
        Side::Answer(other) => other,
        Side::Operand(Operand::Constant(constant)) => {
            return match constant.value() {
                ValueRef::Bool(true) => answer,
                ValueRef::Bool(false) => Condition::Not(Box::new(answer)),
                // An answer is never anything else; no condition is one that never holds.
                _ => Condition::Or(Vec::new()),
            };
        }
        Side::Operand(operand) => {
            let is = |value: bool| Condition::Compare {
                operator: Comparator::Equal,
                left: operand.clone(),
                right: Operand::Constant(Constant::from(AttributeValue::Bool(value))),
            };
            let no = Condition::Not(Box::new(answer.clone()));
            return Condition::Or(vec![
                Condition::And(vec![answer, is(true)]),
                Condition::And(vec![no, is(false)]),
            ]);
        }
    };
    let neither = Condition::Not(Box::new(Condition::Or(vec![answer.clone(), other.clone()])));
    Condition::Or(vec![Condition::And(vec![answer, other]), neither])
}
