//! From a condition back to an expression with placeholders, to be sent to another DynamoDB.

use super::{Condition, Operand};
use crate::function::Function;
use crate::syntax::{self, Call, ConditionNode, SyntaxCondition};
use crate::unbind::Unbinder;

impl Condition {
    /// The condition as written with placeholders that `unbinder` hands out.
    pub fn unbind(&self, unbinder: &mut Unbinder) -> SyntaxCondition {
        SyntaxCondition { root: self.to_node(unbinder) }
    }

    fn to_node(&self, unbinder: &mut Unbinder) -> ConditionNode {
        let call = |function, operands| ConditionNode::Call(Call { function, operands });
        match self {
            Condition::Compare { operator, left, right } => ConditionNode::Compare {
                operator: *operator,
                left: left.to_syntax(unbinder),
                right: right.to_syntax(unbinder),
            },
            Condition::Between { operand, lower, upper } => ConditionNode::Between {
                operand: operand.to_syntax(unbinder),
                lower: lower.to_syntax(unbinder),
                upper: upper.to_syntax(unbinder),
            },
            Condition::In { operand, members } => ConditionNode::In {
                operand: operand.to_syntax(unbinder),
                members: members.iter().map(|member| member.to_syntax(unbinder)).collect(),
            },
            Condition::Exists(path) => {
                let path = syntax::Operand::Path(unbinder.path(path));
                call(Function::AttributeExists, vec![path])
            }
            Condition::NotExists(path) => {
                let path = syntax::Operand::Path(unbinder.path(path));
                call(Function::AttributeNotExists, vec![path])
            }
            Condition::HasType(operand, kind) => {
                let operand = operand.to_syntax(unbinder);
                let kind = syntax::Operand::Value(unbinder.value(&kind.as_str().into()));
                call(Function::AttributeType, vec![operand, kind])
            }
            Condition::BeginsWith(operand, prefix) => {
                let operands = vec![operand.to_syntax(unbinder), prefix.to_syntax(unbinder)];
                call(Function::BeginsWith, operands)
            }
            Condition::Contains(operand, member) => {
                let operands = vec![operand.to_syntax(unbinder), member.to_syntax(unbinder)];
                call(Function::Contains, operands)
            }
            Condition::Not(inner) => ConditionNode::Not(Box::new(inner.to_node(unbinder))),
            Condition::And(terms) => ConditionNode::And(to_nodes(terms, unbinder)),
            Condition::Or(terms) => ConditionNode::Or(to_nodes(terms, unbinder)),
        }
    }
}

fn to_nodes(terms: &[Condition], unbinder: &mut Unbinder) -> Vec<ConditionNode> {
    terms.iter().map(|term| term.to_node(unbinder)).collect()
}

impl Operand {
    fn to_syntax(&self, unbinder: &mut Unbinder) -> syntax::Operand {
        match self {
            Operand::Path(path) => syntax::Operand::Path(unbinder.path(path)),
            Operand::Constant(constant) => {
                syntax::Operand::Value(unbinder.value(&constant.value().to_owned()))
            }
            Operand::Size(inner) => syntax::Operand::Call(Call {
                function: Function::Size,
                operands: vec![inner.to_syntax(unbinder)],
            }),
        }
    }
}
