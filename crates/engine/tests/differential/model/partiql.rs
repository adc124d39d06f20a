//! The model's conditions and updates, written in PartiQL. All values travel as parameters.

use sortkey_value::AttributeValue;

use super::condition::{Condition, Operand};
use super::path::{Path, Step};
use super::update::{self, Action, SetValue, Update};

/// A statement while it is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Statement {
    pub(crate) text: String,
    pub(crate) parameters: Vec<AttributeValue>,
}

impl Statement {
    pub(crate) fn push(&mut self, text: &str) -> &mut Statement {
        self.text.push_str(text);
        self
    }

    pub(crate) fn value(&mut self, value: &AttributeValue) -> &mut Statement {
        self.parameters.push(value.clone());
        self.push("?")
    }

    pub(crate) fn path(&mut self, path: &Path) -> &mut Statement {
        self.push(&quoted(&path.attribute));
        for step in &path.steps {
            match step {
                Step::Member(name) => self.push(".").push(&quoted(name)),
                Step::Element(index) => self.push(&format!("[{index}]")),
            };
        }
        self
    }

    /// Whether a condition can be written with the same meaning. A missing attribute differs from nothing here.
    pub(crate) fn can_say(condition: &Condition) -> bool {
        match condition {
            Condition::Compare(_, comparator, _) => comparator.text() != "<>",
            Condition::Not(inner) => Statement::can_say(inner),
            Condition::And(terms) | Condition::Or(terms) => terms.iter().all(Statement::can_say),
            _ => true,
        }
    }

    pub(crate) fn condition(&mut self, condition: &Condition) -> &mut Statement {
        match condition {
            Condition::Compare(left, comparator, right) => {
                self.operand(left).push(&format!(" {} ", comparator.text())).operand(right)
            }
            Condition::Between(path, low, high) => {
                self.path(path).push(" BETWEEN ").value(low).push(" AND ").value(high)
            }
            Condition::In(path, members) => {
                self.path(path).push(" IN [");
                for (position, member) in members.iter().enumerate() {
                    self.push(if position > 0 { ", " } else { "" }).value(member);
                }
                self.push("]")
            }
            Condition::Exists(path) => self.path(path).push(" IS NOT MISSING"),
            Condition::NotExists(path) => self.path(path).push(" IS MISSING"),
            Condition::HasType(path, kind) => self.call("attribute_type", path, &kind.as_str().into()),
            Condition::BeginsWith(path, prefix) => self.call("begins_with", path, prefix),
            Condition::Contains(path, member) => self.call("contains", path, member),
            Condition::Not(inner) => self.push("NOT (").condition(inner).push(")"),
            Condition::And(terms) => self.joined(terms, ") AND ("),
            Condition::Or(terms) => self.joined(terms, ") OR ("),
        }
    }

    /// The clauses of an update; only some kinds of actions have one, see [`Statement::can_do`].
    pub(crate) fn update(&mut self, update: &Update) -> &mut Statement {
        for action in &update.0 {
            match action {
                Action::Set(
                    path,
                    SetValue::ListAppend(update::Operand::Path(list), update::Operand::Value(more)),
                ) => self
                    .push(" SET ")
                    .path(path)
                    .push(" = list_append(")
                    .path(list)
                    .push(", ")
                    .value(more)
                    .push(")"),
                Action::Set(path, SetValue::Operand(update::Operand::Value(value))) => {
                    self.push(" SET ").path(path).push(" = ").value(value)
                }
                other => self.push(" REMOVE ").path(other.path()),
            };
        }
        self
    }

    pub(crate) fn can_do(action: &Action) -> bool {
        match action {
            Action::Set(_, SetValue::Operand(operand)) => matches!(operand, update::Operand::Value(_)),
            Action::Set(_, SetValue::ListAppend(left, right)) => {
                matches!((left, right), (update::Operand::Path(_), update::Operand::Value(_)))
            }
            Action::Remove(_) => true,
            _ => false,
        }
    }

    fn operand(&mut self, operand: &Operand) -> &mut Statement {
        match operand {
            Operand::Path(path) => self.path(path),
            Operand::Value(value) => self.value(value),
            Operand::Size(path) => self.push("size(").path(path).push(")"),
        }
    }

    fn call(&mut self, function: &str, path: &Path, value: &AttributeValue) -> &mut Statement {
        self.push(function).push("(").path(path).push(", ").value(value).push(")")
    }

    fn joined(&mut self, terms: &[Condition], by: &str) -> &mut Statement {
        self.push("(");
        for (position, term) in terms.iter().enumerate() {
            self.push(if position > 0 { by } else { "" }).condition(term);
        }
        self.push(")")
    }
}

pub(crate) fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}
