//! Applying an update to an item.
//!
//! Every value is computed from the item as it was. Of several problems DynamoDB reports a path through a value
//! of the wrong kind first, then operands of the wrong type, then, section by section from the last to the
//! first, paths through values that do not exist and values that are read but do not exist.

use sortkey_value::{Item, ValueRef};

use super::edit::{Edit, Edits, NewValue};
use super::{Action, Change, Dialect, SetOperand, SetValue, Update, UpdateError};
use crate::path::{Path, Step};

impl Update {
    /// The item after the update. `existing` is the item as it was, if there was one; otherwise the update
    /// starts from the attributes of the key. See [`Update::creates_item`] for whether it then exists.
    pub fn apply(&self, existing: Option<&Item>, key: &Item) -> Result<Item, UpdateError> {
        let old = existing.unwrap_or(key);
        for action in &self.actions {
            if place_of(&action.path, old) == Place::WrongKind {
                return Err(UpdateError::InvalidPath);
            }
        }
        let mut edits = Edits::default();
        let mut reads_missing: Vec<bool> = Vec::with_capacity(self.actions.len());
        for action in &self.actions {
            let outcome = self.outcome(action, old)?;
            reads_missing.push(matches!(outcome, Outcome::ReadsMissing));
            if let Outcome::Edit(edit) = outcome
                && place_of(&action.path, old) == Place::Found
            {
                edits.insert(&action.path, edit);
            }
        }
        self.check_places(old, existing.is_some(), &reads_missing)?;
        Ok(edits.apply(old))
    }

    fn outcome<'v>(&self, action: &'v Action, old: &'v Item) -> Result<Outcome<'v>, UpdateError> {
        let current = action.path.find(old);
        Ok(match &action.change {
            Change::Set(value) => match set_value(value, old)? {
                Some(value) => Outcome::Edit(Edit::Put(value)),
                None => Outcome::ReadsMissing,
            },
            Change::Remove => Outcome::Edit(Edit::Remove),
            Change::Add(constant) => Outcome::Edit(Edit::Put(self.add(current, constant.value())?)),
            Change::Delete(constant) => match current {
                Some(current) => Outcome::Edit(self.delete(current, constant.value())?),
                None => Outcome::Nothing,
            },
        })
    }

    fn add<'v>(
        &self,
        current: Option<ValueRef<'v>>,
        added: ValueRef<'v>,
    ) -> Result<NewValue<'v>, UpdateError> {
        let Some(current) = current else {
            return Ok(NewValue::Copy(added));
        };
        Ok(match (current, added) {
            (ValueRef::N(current), ValueRef::N(added)) => {
                let sum = current.checked_add(added).map_err(UpdateError::Number)?;
                NewValue::Copy(ValueRef::N(sum))
            }
            (ValueRef::Ss(current), ValueRef::Ss(added)) => {
                NewValue::Strings(union(current.iter(), added.iter()))
            }
            (ValueRef::Ns(current), ValueRef::Ns(added)) => {
                NewValue::Numbers(union(current.iter(), added.iter()))
            }
            (ValueRef::Bs(current), ValueRef::Bs(added)) => {
                NewValue::Binaries(union(current.iter(), added.iter()))
            }
            (ValueRef::L(current), ValueRef::L(added)) if self.dialect == Dialect::Legacy => {
                NewValue::List(current.iter().chain(added.iter()).collect())
            }
            _ => return Err(self.incorrect_type()),
        })
    }

    /// Removes members from a set; a set without members is removed itself.
    fn delete<'v>(&self, current: ValueRef<'v>, deleted: ValueRef<'v>) -> Result<Edit<'v>, UpdateError> {
        Ok(match (current, deleted) {
            (ValueRef::Ss(current), ValueRef::Ss(deleted)) => {
                keep(current.iter().filter(|member| !deleted.contains(member)), NewValue::Strings)
            }
            (ValueRef::Ns(current), ValueRef::Ns(deleted)) => {
                keep(current.iter().filter(|member| !deleted.contains(*member)), NewValue::Numbers)
            }
            (ValueRef::Bs(current), ValueRef::Bs(deleted)) => {
                keep(current.iter().filter(|member| !deleted.contains(member)), NewValue::Binaries)
            }
            _ => return Err(self.incorrect_type()),
        })
    }

    fn check_places(&self, old: &Item, exists: bool, reads_missing: &[bool]) -> Result<(), UpdateError> {
        let same_section = |one: &(&Action, &bool), two: &(&Action, &bool)| {
            std::mem::discriminant(&one.0.change) == std::mem::discriminant(&two.0.change)
        };
        let actions: Vec<_> = self.actions.iter().zip(reads_missing).collect();
        let sections: Vec<_> = actions.chunk_by(same_section).collect();
        for section in sections.into_iter().rev() {
            for (action, _) in section {
                // From an item that does not exist anything can be taken away.
                if place_of(&action.path, old) != Place::Found && (exists || action.writes()) {
                    return Err(UpdateError::InvalidPath);
                }
            }
            if section.iter().any(|(_, reads_missing)| **reads_missing) {
                return Err(UpdateError::MissingAttribute);
            }
        }
        Ok(())
    }

    fn incorrect_type(&self) -> UpdateError {
        match self.dialect {
            Dialect::Expression => UpdateError::IncorrectType,
            Dialect::Legacy => UpdateError::LegacyIncorrectType,
        }
    }
}

/// The result of an action.
enum Outcome<'v> {
    Edit(Edit<'v>),
    Nothing,
    /// It reads a value that does not exist.
    ReadsMissing,
}

/// Whether there is a place where a value can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The parent of the path exists and is a map or list, as the last step needs.
    Found,
    /// The parent of the path does not exist.
    Missing,
    /// The parent of the path exists, but is of another kind than the last step needs.
    WrongKind,
}

fn place_of(path: &Path, item: &Item) -> Place {
    let Some((last, through)) = path.steps().split_last() else {
        return Place::Found;
    };
    let attribute = item.get(path.attribute_name());
    let container = through.iter().try_fold(attribute, |value, step| Some(step.take(value?))).flatten();
    match (container, last) {
        (Some(ValueRef::M(_)), Step::Member(_)) | (Some(ValueRef::L(_)), Step::Element(_)) => Place::Found,
        (Some(_), _) => Place::WrongKind,
        (None, _) => Place::Missing,
    }
}

/// The value that is set, or `None` if a value it reads does not exist.
fn set_value<'v>(value: &'v SetValue, old: &'v Item) -> Result<Option<NewValue<'v>>, UpdateError> {
    let pair = |left: &'v SetOperand, right: &'v SetOperand| (left.evaluate(old), right.evaluate(old));
    let number = |value| match value {
        Some(ValueRef::N(number)) => Ok(Some(number)),
        Some(_) => Err(UpdateError::IncorrectType),
        None => Ok(None),
    };
    let list = |value| match value {
        Some(ValueRef::L(list)) => Ok(Some(list)),
        Some(_) => Err(UpdateError::IncorrectType),
        None => Ok(None),
    };
    Ok(match value {
        SetValue::Operand(operand) => operand.evaluate(old).map(NewValue::Copy),
        SetValue::Plus(left, right) => {
            let (left, right) = pair(left, right);
            match (number(left)?, number(right)?) {
                (Some(left), Some(right)) => {
                    let sum = left.checked_add(right).map_err(UpdateError::Number)?;
                    Some(NewValue::Copy(ValueRef::N(sum)))
                }
                _ => None,
            }
        }
        SetValue::Minus(left, right) => {
            let (left, right) = pair(left, right);
            match (number(left)?, number(right)?) {
                (Some(left), Some(right)) => {
                    let difference = left.checked_sub(right).map_err(UpdateError::Number)?;
                    Some(NewValue::Copy(ValueRef::N(difference)))
                }
                _ => None,
            }
        }
        SetValue::ListAppend(left, right) => {
            let (left, right) = pair(left, right);
            match (list(left)?, list(right)?) {
                (Some(left), Some(right)) => Some(NewValue::List(left.iter().chain(right.iter()).collect())),
                _ => None,
            }
        }
    })
}

impl SetOperand {
    fn evaluate<'v>(&'v self, old: &'v Item) -> Option<ValueRef<'v>> {
        match self {
            SetOperand::Path(path) => path.find(old),
            SetOperand::Constant(constant) => Some(constant.value()),
            SetOperand::IfNotExists(path, default) => path.find(old).or_else(|| default.evaluate(old)),
        }
    }
}

fn union<M: Ord>(one: impl Iterator<Item = M>, two: impl Iterator<Item = M>) -> Vec<M> {
    let mut members: Vec<M> = one.chain(two).collect();
    sortkey_value::order::sort(&mut members);
    members.dedup();
    members
}

fn keep<'v, M>(members: impl Iterator<Item = M>, set: fn(Vec<M>) -> NewValue<'v>) -> Edit<'v> {
    let members: Vec<M> = members.collect();
    if members.is_empty() { Edit::Remove } else { Edit::Put(set(members)) }
}
