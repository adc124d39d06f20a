//! From an update as written to an update: placeholders are replaced and operands are checked.
//!
//! DynamoDB looks at all names first, then at how the written paths relate, then at all values, and last at the
//! operands of the actions, beginning with the last action.

use super::{Action, Change, Dialect, SetOperand, SetValue, Update};
use crate::error::{ExpressionError, ExpressionKind, Problem};
use crate::function::Function;
use crate::overlap::check_apart;
use crate::placeholders::Placeholders;
use crate::syntax::{ActionNode, Call, ChangeNode, Operand, SetNode, SyntaxUpdate};

impl SyntaxUpdate {
    /// Replaces the placeholders.
    pub fn bind(&self, placeholders: &mut Placeholders<'_>) -> Result<Update, ExpressionError> {
        bind_actions(&self.actions, placeholders)
            .map(|actions| Update { actions, dialect: Dialect::Expression })
            .map_err(|problem| ExpressionKind::Update.error(problem))
    }
}

fn bind_actions(nodes: &[ActionNode], placeholders: &mut Placeholders<'_>) -> Result<Vec<Action>, Problem> {
    let mut paths = Vec::with_capacity(nodes.len());
    for node in nodes {
        paths.push(placeholders.path(&node.path)?);
        for operand in node.change.operands() {
            check_names(operand, placeholders)?;
        }
    }
    check_apart(&paths)?;
    for node in nodes {
        node.change.check_values(placeholders)?;
    }
    let mut actions = Vec::with_capacity(nodes.len());
    for (node, path) in nodes.iter().zip(paths).rev() {
        let change = bind_change(&node.change, placeholders)?;
        actions.push(Action { path, change });
    }
    actions.reverse();
    Ok(actions)
}

fn bind_change(change: &ChangeNode, placeholders: &mut Placeholders<'_>) -> Result<Change, Problem> {
    let change = match change {
        ChangeNode::Set(value) => Change::Set(bind_value(value, placeholders)?),
        ChangeNode::Remove => Change::Remove,
        ChangeNode::Add(placeholder) => Change::Add(placeholders.value(placeholder)?),
        ChangeNode::Delete(placeholder) => Change::Delete(placeholders.value(placeholder)?),
    };
    change.check()?;
    Ok(change)
}

fn bind_value(value: &SetNode, placeholders: &mut Placeholders<'_>) -> Result<SetValue, Problem> {
    let mut bind = |operand| bind_operand(operand, placeholders);
    Ok(match value {
        SetNode::Operand(Operand::Call(call)) if call.function == Function::ListAppend => {
            let [left, right] = call_operands(call, placeholders)?;
            SetValue::ListAppend(left, right)
        }
        SetNode::Operand(operand) => SetValue::Operand(bind(operand)?),
        SetNode::Plus(left, right) => SetValue::Plus(bind(left)?, bind(right)?),
        SetNode::Minus(left, right) => SetValue::Minus(bind(left)?, bind(right)?),
    })
}

fn bind_operand(operand: &Operand, placeholders: &mut Placeholders<'_>) -> Result<SetOperand, Problem> {
    let call = match operand {
        Operand::Path(path) => return Ok(SetOperand::Path(placeholders.path(path)?)),
        Operand::Value(placeholder) => return Ok(SetOperand::Constant(placeholders.value(placeholder)?)),
        Operand::Call(call) => call,
    };
    let function = call.function.name();
    if call.function != Function::IfNotExists {
        // The grammar admits no other function here.
        return Err(Problem::MisplacedFunction { function });
    }
    let [first, default] = call_operands(call, placeholders)?;
    match first {
        SetOperand::Path(path) => Ok(SetOperand::IfNotExists(path, Box::new(default))),
        _ => Err(Problem::PathRequired { function }),
    }
}

fn call_operands(call: &Call, placeholders: &mut Placeholders<'_>) -> Result<[SetOperand; 2], Problem> {
    let [first, second] = &*call.operands else {
        return Err(Problem::OperandCount { function: call.function.name(), count: call.operands.len() });
    };
    Ok([bind_operand(first, placeholders)?, bind_operand(second, placeholders)?])
}

fn check_names(operand: &Operand, placeholders: &mut Placeholders<'_>) -> Result<(), Problem> {
    match operand {
        Operand::Path(path) => placeholders.path(path).map(drop),
        Operand::Value(_) => Ok(()),
        Operand::Call(call) => {
            call.operands.iter().try_for_each(|operand| check_names(operand, placeholders))
        }
    }
}

fn check_operand_values(operand: &Operand, placeholders: &mut Placeholders<'_>) -> Result<(), Problem> {
    match operand {
        Operand::Path(_) => Ok(()),
        Operand::Value(placeholder) => placeholders.value(placeholder).map(drop),
        Operand::Call(call) => {
            call.operands.iter().try_for_each(|operand| check_operand_values(operand, placeholders))
        }
    }
}

impl ChangeNode {
    fn operands(&self) -> Vec<&Operand> {
        match self {
            ChangeNode::Set(SetNode::Operand(operand)) => vec![operand],
            ChangeNode::Set(SetNode::Plus(left, right) | SetNode::Minus(left, right)) => vec![left, right],
            ChangeNode::Remove | ChangeNode::Add(_) | ChangeNode::Delete(_) => Vec::new(),
        }
    }

    fn check_values(&self, placeholders: &mut Placeholders<'_>) -> Result<(), Problem> {
        if let ChangeNode::Add(placeholder) | ChangeNode::Delete(placeholder) = self {
            placeholders.value(placeholder)?;
        }
        self.operands().into_iter().try_for_each(|operand| check_operand_values(operand, placeholders))
    }
}
