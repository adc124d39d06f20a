//! From an update back to an expression with placeholders, to be sent to another DynamoDB.

use super::{Action, Change, SetOperand, SetValue, Update};
use crate::function::Function;
use crate::syntax::{ActionNode, Call, ChangeNode, Operand, SetNode, SyntaxUpdate};
use crate::unbind::Unbinder;

impl Update {
    /// The update as written with placeholders that `unbinder` hands out; `None` if it does nothing. Actions are
    /// brought together by section: `SET`, `REMOVE`, `ADD`, `DELETE`.
    pub fn unbind(&self, unbinder: &mut Unbinder) -> Option<SyntaxUpdate> {
        let mut actions: Vec<&Action> = self.actions.iter().collect();
        actions.sort_by_key(|action| match action.change {
            Change::Set(_) => 0,
            Change::Remove => 1,
            Change::Add(_) => 2,
            Change::Delete(_) => 3,
        });
        let nodes: Vec<ActionNode> = actions
            .into_iter()
            .map(|action| ActionNode {
                path: unbinder.path(&action.path),
                change: action.change.to_node(unbinder),
            })
            .collect();
        (!nodes.is_empty()).then_some(SyntaxUpdate { actions: nodes })
    }
}

impl Change {
    fn to_node(&self, unbinder: &mut Unbinder) -> ChangeNode {
        match self {
            Change::Set(value) => ChangeNode::Set(value.to_node(unbinder)),
            Change::Remove => ChangeNode::Remove,
            Change::Add(constant) => ChangeNode::Add(unbinder.value(&constant.value().to_owned())),
            Change::Delete(constant) => ChangeNode::Delete(unbinder.value(&constant.value().to_owned())),
        }
    }
}

impl SetValue {
    fn to_node(&self, unbinder: &mut Unbinder) -> SetNode {
        match self {
            SetValue::Operand(operand) => SetNode::Operand(operand.to_syntax(unbinder)),
            SetValue::Plus(left, right) => SetNode::Plus(left.to_syntax(unbinder), right.to_syntax(unbinder)),
            SetValue::Minus(left, right) => {
                SetNode::Minus(left.to_syntax(unbinder), right.to_syntax(unbinder))
            }
            SetValue::ListAppend(left, right) => SetNode::Operand(Operand::Call(Call {
                function: Function::ListAppend,
                operands: vec![left.to_syntax(unbinder), right.to_syntax(unbinder)],
            })),
        }
    }
}

impl SetOperand {
    fn to_syntax(&self, unbinder: &mut Unbinder) -> Operand {
        match self {
            SetOperand::Path(path) => Operand::Path(unbinder.path(path)),
            SetOperand::Constant(constant) => Operand::Value(unbinder.value(&constant.value().to_owned())),
            SetOperand::IfNotExists(path, default) => Operand::Call(Call {
                function: Function::IfNotExists,
                operands: vec![Operand::Path(unbinder.path(path)), default.to_syntax(unbinder)],
            }),
        }
    }
}
