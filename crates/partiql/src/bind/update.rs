//! `SET` and `REMOVE` to an update.

use sortkey_expression::update::{Action, Change, SetOperand, SetValue};
use sortkey_expression::{Constant, Path, Problem, Update};
use sortkey_value::AttributeType;

use super::Binder;
use super::path::path;
use crate::error::PartiqlError;
use crate::syntax::{ChangeNode, Expr, Node};

impl Binder<'_> {
    pub(super) fn changes(self, changes: &[ChangeNode]) -> Result<Update, PartiqlError> {
        let mut actions = Vec::with_capacity(changes.len());
        for change in changes {
            let action = match change {
                ChangeNode::Remove(target) => Action { path: path(target)?, change: Change::Remove },
                ChangeNode::Set(target, value) => {
                    let path = path(target)?;
                    let change = self.change(&path, value)?;
                    Action { path, change }
                }
            };
            action.change.check()?;
            actions.push(action);
        }
        Ok(Update::new(actions)?)
    }

    fn change(self, target: &Path, value: &Node) -> Result<Change, PartiqlError> {
        match &value.expr {
            Expr::Call(name, operands) if name == "set_add" => {
                self.set_members(target, "ADD", operands, value).map(Change::Add)
            }
            Expr::Call(name, operands) if name == "set_delete" => {
                self.set_members(target, "DELETE", operands, value).map(Change::Delete)
            }
            _ => self.set_value(value).map(Change::Set),
        }
    }

    /// The second operand of `set_add` and `set_delete`, whose first is what is set.
    fn set_members(
        self,
        target: &Path,
        function: &'static str,
        operands: &[Node],
        call: &Node,
    ) -> Result<Constant, PartiqlError> {
        let [first, members] = operands else {
            return Err(PartiqlError::SetFunctionCount { function, place: call.place });
        };
        let is_target = matches!(first.expr, Expr::Path(..)) && path(first)? == *target;
        if !is_target {
            return Err(PartiqlError::SetFunctionTarget { function, place: call.place });
        }
        let no_set = PartiqlError::SetFunctionValue { function, place: first.place };
        if matches!(members.expr, Expr::Path(..) | Expr::Call(..)) {
            return Err(no_set);
        }
        let members = self.value(members)?;
        match members.attribute_type() {
            AttributeType::Ss | AttributeType::Ns | AttributeType::Bs => Ok(members.into()),
            _ => Err(no_set),
        }
    }

    fn set_value(self, node: &Node) -> Result<SetValue, PartiqlError> {
        Ok(match &node.expr {
            Expr::Binary("+", left, right) => {
                SetValue::Plus(self.set_operand(left)?, self.set_operand(right)?)
            }
            Expr::Binary("-", left, right) => {
                SetValue::Minus(self.set_operand(left)?, self.set_operand(right)?)
            }
            Expr::Call(name, operands) if name == "list_append" => {
                let [left, right] = pair("list_append", operands)?;
                SetValue::ListAppend(self.set_operand(left)?, self.set_operand(right)?)
            }
            _ => SetValue::Operand(self.set_operand(node)?),
        })
    }

    fn set_operand(self, node: &Node) -> Result<SetOperand, PartiqlError> {
        match &node.expr {
            Expr::Path(..) => Ok(SetOperand::Path(path(node)?)),
            Expr::Call(name, operands) if name == "if_not_exists" => {
                let [first, default] = pair("if_not_exists", operands)?;
                if !matches!(first.expr, Expr::Path(..)) {
                    return Err(Problem::PathRequired { function: "if_not_exists" }.into());
                }
                Ok(SetOperand::IfNotExists(path(first)?, Box::new(self.set_operand(default)?)))
            }
            Expr::Call(name, _) => {
                Err(PartiqlError::UnrecognizedFunction { name: name.clone(), place: node.place })
            }
            Expr::Binary(operator, ..) | Expr::Sign(operator, _) => {
                Err(PartiqlError::UnsupportedUpdateOperator(operator))
            }
            Expr::And(_) => Err(PartiqlError::UnsupportedUpdateOperator("AND")),
            Expr::Or(_) => Err(PartiqlError::UnsupportedUpdateOperator("OR")),
            Expr::Not(_) => Err(PartiqlError::UnsupportedUpdateOperator("NOT")),
            Expr::Between(..) => Err(PartiqlError::UnsupportedUpdateOperator("BETWEEN")),
            Expr::In(..) => Err(PartiqlError::UnsupportedUpdateOperator("IN")),
            Expr::Is(..) => Err(PartiqlError::IsInUpdate),
            _ => Ok(SetOperand::Constant(self.value(node)?.into())),
        }
    }
}

fn pair<'n>(function: &'static str, operands: &'n [Node]) -> Result<&'n [Node; 2], PartiqlError> {
    operands.try_into().map_err(|_| Problem::OperandCount { function, count: operands.len() }.into())
}
