//! Checks that DynamoDB makes on an update before it reads any item.

use sortkey_value::AttributeType;

use super::{Change, SetOperand, SetValue};
use crate::error::{OperandTypes, Problem};
use crate::function::Function;

impl Change {
    /// Whether DynamoDB accepts the change: values of the request must be of types that can be used this way.
    pub fn check(&self) -> Result<(), Problem> {
        use AttributeType::{Bs, N, Ns, Ss};
        match self {
            Change::Remove => Ok(()),
            Change::Set(value) => value.check(),
            Change::Add(constant) => match constant.value().attribute_type() {
                N | Ss | Ns | Bs => Ok(()),
                operand_type => Err(Problem::ActionOperandType { action: "ADD", operand_type }),
            },
            Change::Delete(constant) => match constant.value().attribute_type() {
                Ss | Ns | Bs => Ok(()),
                operand_type => Err(Problem::ActionOperandType { action: "DELETE", operand_type }),
            },
        }
    }
}

impl SetValue {
    fn check(&self) -> Result<(), Problem> {
        let (operator, left, right, wanted) = match self {
            SetValue::Operand(operand) => return operand.check(),
            SetValue::Plus(left, right) => ("+", left, right, AttributeType::N),
            SetValue::Minus(left, right) => ("-", left, right, AttributeType::N),
            SetValue::ListAppend(left, right) => (Function::ListAppend.name(), left, right, AttributeType::L),
        };
        left.check()?;
        right.check()?;
        for operand in [left, right] {
            if let SetOperand::Constant(constant) = operand
                && constant.value().attribute_type() != wanted
            {
                let operand_type = OperandTypes::One(constant.value().attribute_type());
                return Err(Problem::OperandType { operator, operand_type });
            }
        }
        Ok(())
    }
}

impl SetOperand {
    /// An attribute cannot be its own default.
    fn check(&self) -> Result<(), Problem> {
        let SetOperand::IfNotExists(path, default) = self else {
            return Ok(());
        };
        default.check()?;
        match &**default {
            SetOperand::Path(same) if same == path => {
                let operator = Function::IfNotExists.name();
                Err(Problem::SameOperand { operator, operand: path.clone() })
            }
            _ => Ok(()),
        }
    }
}
