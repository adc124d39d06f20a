//! From an update as written to an update: placeholders are replaced and operands are checked.
//!
//! DynamoDB looks at all names first, then at how the written paths relate, then at all values, and last at the
//! operands of the actions, beginning with the last action.

use sortkey_value::AttributeType;

use super::{Action, Change, Dialect, SetOperand, SetValue, Update};
use crate::error::{ExpressionError, ExpressionKind, OperandTypes, Problem};
use crate::function::Function;
use crate::overlap::check_apart;
use crate::path::Path;
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
    let operand_type = |action, operand_type| Problem::ActionOperandType { action, operand_type };
    Ok(match change {
        ChangeNode::Set(value) => Change::Set(bind_value(value, placeholders)?),
        ChangeNode::Remove => Change::Remove,
        ChangeNode::Add(placeholder) => {
            let value = placeholders.value(placeholder)?;
            match value.value().attribute_type() {
                AttributeType::N | AttributeType::Ss | AttributeType::Ns | AttributeType::Bs => {
                    Change::Add(value)
                }
                other => return Err(operand_type("ADD", other)),
            }
        }
        ChangeNode::Delete(placeholder) => {
            let value = placeholders.value(placeholder)?;
            match value.value().attribute_type() {
                AttributeType::Ss | AttributeType::Ns | AttributeType::Bs => Change::Delete(value),
                other => return Err(operand_type("DELETE", other)),
            }
        }
    })
}

fn bind_value(value: &SetNode, placeholders: &mut Placeholders<'_>) -> Result<SetValue, Problem> {
    match value {
        SetNode::Operand(Operand::Call(call)) if call.function == Function::ListAppend => {
            let [left, right] = call_operands(call, placeholders)?;
            check_types(Function::ListAppend.name(), &left, &right, AttributeType::L)?;
            Ok(SetValue::ListAppend(left, right))
        }
        SetNode::Operand(operand) => Ok(SetValue::Operand(bind_operand(operand, placeholders)?)),
        SetNode::Plus(left, right) => {
            let (left, right) = (bind_operand(left, placeholders)?, bind_operand(right, placeholders)?);
            check_types("+", &left, &right, AttributeType::N)?;
            Ok(SetValue::Plus(left, right))
        }
        SetNode::Minus(left, right) => {
            let (left, right) = (bind_operand(left, placeholders)?, bind_operand(right, placeholders)?);
            check_types("-", &left, &right, AttributeType::N)?;
            Ok(SetValue::Minus(left, right))
        }
    }
}

fn bind_operand(operand: &Operand, placeholders: &mut Placeholders<'_>) -> Result<SetOperand, Problem> {
    let call = match operand {
        Operand::Path(path) => return Ok(SetOperand::Path(placeholders.path(path)?)),
        Operand::Value(placeholder) => return Ok(SetOperand::Constant(placeholders.value(placeholder)?)),
        Operand::Call(call) => call,
    };
    let function = call.function.name();
    if call.function != Function::IfNotExists {
        // The grammar lets no other function stand here.
        return Err(Problem::MisplacedFunction { function });
    }
    let [first, default] = call_operands(call, placeholders)?;
    let SetOperand::Path(path) = first else {
        return Err(Problem::PathRequired { function });
    };
    if default == SetOperand::Path(path.clone()) {
        return Err(Problem::SameOperand { operator: function, operand: path });
    }
    Ok(SetOperand::IfNotExists(path, Box::new(default)))
}

fn call_operands(call: &Call, placeholders: &mut Placeholders<'_>) -> Result<[SetOperand; 2], Problem> {
    let [first, second] = &*call.operands else {
        return Err(Problem::OperandCount { function: call.function.name(), count: call.operands.len() });
    };
    Ok([bind_operand(first, placeholders)?, bind_operand(second, placeholders)?])
}

/// The values of the request among two operands must be of this type.
fn check_types(
    operator: &'static str,
    left: &SetOperand,
    right: &SetOperand,
    wanted: AttributeType,
) -> Result<(), Problem> {
    for operand in [left, right] {
        if let SetOperand::Constant(constant) = operand
            && constant.value().attribute_type() != wanted
        {
            return Err(Problem::OperandType {
                operator,
                operand_type: OperandTypes::One(constant.value().attribute_type()),
            });
        }
    }
    Ok(())
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

/// For the translation of older parameters: actions on attributes, each once.
impl Update {
    pub(crate) fn legacy(actions: impl IntoIterator<Item = (String, Change)>) -> Update {
        let actions =
            actions.into_iter().map(|(name, change)| Action { path: Path::attribute(name), change });
        Update { actions: actions.collect(), dialect: Dialect::Legacy }
    }

    /// An update of these actions, whose paths may not lead into each other.
    pub fn new(actions: Vec<Action>) -> Result<Update, Problem> {
        check_apart(actions.iter().map(|action| &action.path))?;
        Ok(Update { actions, dialect: Dialect::Expression })
    }
}
