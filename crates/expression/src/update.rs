//! Updates: what `UpdateExpression` means once its placeholders are replaced, and what `AttributeUpdates` is
//! translated to.

mod apply;
mod bind;
mod check;
mod edit;
mod unbind;

use sortkey_value::{AttributeType, NumberError};
use thiserror::Error;

use crate::constant::Constant;
use crate::error::Problem;
use crate::overlap::check_apart;
use crate::path::Path;
use crate::projection::Projection;

/// Changes to an item, which are made all at once: none sees what another has done.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// Their paths do not lead into each other.
    actions: Vec<Action>,
    dialect: Dialect,
}

/// The request parameter that an update was given in; `AttributeUpdates` has slightly different rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `UpdateExpression`.
    Expression,
    /// `AttributeUpdates`: `ADD` also appends to lists, and type errors have another text.
    Legacy,
}

/// A change to one value of an item.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// The path of the changed value.
    pub path: Path,
    /// The change.
    pub change: Change,
}

/// A change to a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// It is replaced.
    Set(SetValue),
    /// It is removed.
    Remove,
    /// A number is added to it, or members to a set.
    Add(Constant),
    /// Members are taken from a set.
    Delete(Constant),
}

/// The right-hand side of an assignment.
#[derive(Clone, Debug, PartialEq)]
pub enum SetValue {
    /// An operand.
    Operand(SetOperand),
    /// A sum.
    Plus(SetOperand, SetOperand),
    /// A difference.
    Minus(SetOperand, SetOperand),
    /// A list behind another.
    ListAppend(SetOperand, SetOperand),
}

/// A value that `SET` works with.
#[derive(Clone, Debug, PartialEq)]
pub enum SetOperand {
    /// A value of the item as it was.
    Path(Path),
    /// A value of the request.
    Constant(Constant),
    /// A value of the item as it was, or the other operand if there is none.
    IfNotExists(Path, Box<SetOperand>),
}

/// Why an update cannot be applied to an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UpdateError {
    /// A path leads into a value that does not exist or is not a map or list.
    #[error("The document path provided in the update expression is invalid for update")]
    InvalidPath,
    /// `SET` reads a value that does not exist.
    #[error("The provided expression refers to an attribute that does not exist in the item")]
    MissingAttribute,
    /// A value of the item is of a type that cannot be changed this way.
    #[error("An operand in the update expression has an incorrect data type")]
    IncorrectType,
    /// Like `IncorrectType`, but for `AttributeUpdates`.
    #[error("Type mismatch for attribute to update")]
    LegacyIncorrectType,
    /// A sum that is not a number DynamoDB can store.
    #[error("{}", number_text(*.0))]
    Number(NumberError),
}

/// The update without actions: it changes nothing, and creates the item if there is none.
impl Default for Update {
    fn default() -> Update {
        Update { actions: Vec::new(), dialect: Dialect::Expression }
    }
}

impl Update {
    /// An update of these actions, whose paths may not lead into each other.
    pub fn new(actions: Vec<Action>) -> Result<Update, Problem> {
        check_apart(actions.iter().map(|action| &action.path))?;
        Ok(Update { actions, dialect: Dialect::Expression })
    }

    /// For the translation of older parameters: changes to attributes, each once.
    pub(crate) fn legacy(changes: impl IntoIterator<Item = (String, Change)>) -> Update {
        let actions =
            changes.into_iter().map(|(name, change)| Action { path: Path::attribute(name), change });
        Update { actions: actions.collect(), dialect: Dialect::Legacy }
    }

    /// The actions, in the order they are written.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// The values that are written, in order; for `UPDATED_OLD` and `UPDATED_NEW`, project the old or the new
    /// item on them.
    pub fn projection(&self) -> Projection {
        Projection::on_separate(self.actions.iter().map(|action| action.path.clone()).collect())
    }

    /// All paths, written and read, in the order they are written.
    pub fn paths(&self) -> Vec<&Path> {
        let mut paths = Vec::new();
        for action in &self.actions {
            paths.push(&action.path);
            if let Change::Set(value) = &action.change {
                value.collect_paths(&mut paths);
            }
        }
        paths
    }

    /// How many actions write a value: `SET` and `ADD`.
    pub fn writing_actions(&self) -> usize {
        self.actions.iter().filter(|action| action.writes()).count()
    }

    /// How many actions take something away: `REMOVE` and `DELETE`.
    pub fn clearing_actions(&self) -> usize {
        self.actions.len() - self.writing_actions()
    }

    /// Whether the update brings an item into being that does not exist. One that only takes away does not;
    /// one that does nothing at all does.
    pub fn creates_item(&self) -> bool {
        self.actions.is_empty() || self.writing_actions() > 0
    }
}

impl Action {
    fn writes(&self) -> bool {
        matches!(self.change, Change::Set(_) | Change::Add(_))
    }

    /// The type of what the action writes or takes away, if it does not depend on the item.
    pub fn known_type(&self) -> Option<AttributeType> {
        match &self.change {
            Change::Remove => None,
            Change::Add(constant) | Change::Delete(constant) => Some(constant.value().attribute_type()),
            Change::Set(SetValue::Operand(operand)) => operand.known_type(),
            Change::Set(SetValue::Plus(..) | SetValue::Minus(..)) => Some(AttributeType::N),
            Change::Set(SetValue::ListAppend(..)) => Some(AttributeType::L),
        }
    }
}

impl SetValue {
    fn collect_paths<'u>(&'u self, paths: &mut Vec<&'u Path>) {
        match self {
            SetValue::Operand(operand) => operand.collect_paths(paths),
            SetValue::Plus(left, right)
            | SetValue::Minus(left, right)
            | SetValue::ListAppend(left, right) => {
                left.collect_paths(paths);
                right.collect_paths(paths);
            }
        }
    }
}

impl SetOperand {
    fn collect_paths<'u>(&'u self, paths: &mut Vec<&'u Path>) {
        match self {
            SetOperand::Path(path) => paths.push(path),
            SetOperand::Constant(_) => {}
            SetOperand::IfNotExists(path, default) => {
                paths.push(path);
                default.collect_paths(paths);
            }
        }
    }

    fn known_type(&self) -> Option<AttributeType> {
        match self {
            SetOperand::Path(_) => None,
            SetOperand::Constant(constant) => Some(constant.value().attribute_type()),
            SetOperand::IfNotExists(_, default) => default.known_type(),
        }
    }
}

fn number_text(error: NumberError) -> &'static str {
    match error {
        NumberError::NotANumber => "The parameter cannot be converted to a numeric value",
        // DynamoDB reports a sum with too many digits as too large.
        NumberError::TooManyDigits | NumberError::Overflow => {
            "Number overflow. Attempting to store a number with magnitude larger than supported range"
        }
        NumberError::Underflow => {
            "Number underflow. Attempting to store a number with magnitude smaller than supported range"
        }
    }
}
