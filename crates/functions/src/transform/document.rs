//! A document that is being rewritten, with its size, its depth and the work that is left.

use serde_json::{Map, Value};

use super::{ApplyProblem, MAX_OUTPUT_BYTES, MAX_OUTPUT_DEPTH};
use crate::json::{self, Extent, text_bytes};
use crate::pointer::{Pointer, find_mut, index};

/// How large a document may be between two steps: a step may double what the next one removes again.
const MAX_BETWEEN_BYTES: usize = 2 * MAX_OUTPUT_BYTES;

/// How many bytes may be measured, copied or moved in all. It is some tens of milliseconds.
const WORK_BYTES: usize = 16 * 1024 * 1024;

/// The cost of any step.
const STEP_BYTES: usize = 64;

/// The budget that is left.
pub(super) struct Budget {
    /// The size of the whole document, or a little more.
    size: usize,
    work: usize,
}

impl Budget {
    pub(super) fn of(document: &Value) -> Budget {
        Budget { size: json::extent(document).bytes, work: WORK_BYTES }
    }

    /// Pays for a step.
    pub(super) fn step(&mut self) -> Result<(), ApplyProblem> {
        self.work(STEP_BYTES)
    }

    /// Pays for bytes that are copied or moved.
    pub(super) fn work(&mut self, bytes: usize) -> Result<(), ApplyProblem> {
        self.work = self.work.checked_sub(bytes).ok_or(ApplyProblem::TooMuchWork)?;
        Ok(())
    }

    /// Measures a value, and pays for it.
    pub(super) fn measure(&mut self, value: &Value) -> Result<Extent, ApplyProblem> {
        let extent = json::extent(value);
        self.work(extent.bytes).map(|()| extent)
    }

    fn grow(&mut self, bytes: usize) -> Result<(), ApplyProblem> {
        self.size += bytes;
        if self.size > MAX_BETWEEN_BYTES { Err(ApplyProblem::TooLarge) } else { Ok(()) }
    }

    /// Writes a value of so many bytes over another one.
    fn replace(&mut self, there: &mut Value, value: Value, bytes: usize) -> Result<(), ApplyProblem> {
        let old = self.measure(there)?;
        self.shrink(old.bytes);
        self.grow(bytes)?;
        *there = value;
        Ok(())
    }

    fn shrink(&mut self, bytes: usize) {
        self.size = self.size.saturating_sub(bytes);
    }
}

/// A document, or an element of a list within one.
pub(super) struct Document<'a> {
    pub(super) root: &'a mut Value,
    pub(super) budget: &'a mut Budget,
    /// How deep the root is within the whole.
    pub(super) depth: usize,
}

impl Document<'_> {
    /// Writes a value, over what is there.
    pub(super) fn put(&mut self, path: &Pointer, value: Value) -> Result<(), ApplyProblem> {
        let extent = self.budget.measure(&value)?;
        self.check_depth(path.names().len() + extent.depth)?;
        let budget = &mut *self.budget;
        let Some((parents, last)) = path.split_last() else {
            return budget.replace(self.root, value, extent.bytes);
        };
        match make_parents(self.root, parents, budget)? {
            Value::Object(members) => match members.get_mut(last) {
                Some(there) => budget.replace(there, value, extent.bytes),
                None => {
                    budget.grow(extent.bytes + member_bytes(last))?;
                    members.insert(last.to_owned(), value);
                    Ok(())
                }
            },
            Value::Array(elements) => {
                let length = elements.len();
                let at = if last == "-" { Some(length) } else { index(last) };
                match at {
                    Some(at) if at == length => {
                        budget.grow(extent.bytes + 1)?;
                        elements.push(value);
                        Ok(())
                    }
                    Some(at) if at < length => budget.replace(&mut elements[at], value, extent.bytes),
                    _ => Err(ApplyProblem::NoPlace),
                }
            }
            _ => Err(ApplyProblem::NoPlace),
        }
    }

    /// Takes a value out, if it is there.
    pub(super) fn take(&mut self, path: &Pointer) -> Result<Option<Value>, ApplyProblem> {
        let Some((parents, last)) = path.split_last() else {
            let old = self.budget.measure(self.root)?;
            self.budget.shrink(old.bytes);
            self.budget.grow("null".len())?;
            return Ok(Some(self.root.take()));
        };
        let taken = match find_mut(self.root, parents) {
            Some(Value::Object(members)) => members.remove(last).map(|value| (value, member_bytes(last))),
            Some(Value::Array(elements)) => match index(last).filter(|at| *at < elements.len()) {
                Some(at) => {
                    // The elements behind it move up.
                    self.budget.work(size_of::<Value>() * (elements.len() - at))?;
                    Some((elements.remove(at), 1))
                }
                None => None,
            },
            _ => None,
        };
        let Some((value, around)) = taken else { return Ok(None) };
        let extent = self.budget.measure(&value)?;
        self.budget.shrink(extent.bytes + around);
        Ok(Some(value))
    }

    /// A copy of a value, if it is there. It is measured before it is copied.
    pub(super) fn copy(&mut self, path: &Pointer) -> Result<Option<Value>, ApplyProblem> {
        let Some(value) = path.find(self.root) else { return Ok(None) };
        self.budget.measure(value)?;
        Ok(Some(value.clone()))
    }

    /// Puts an object with one member in the place of a value.
    pub(super) fn wrap(&mut self, path: &Pointer, key: &str) -> Result<(), ApplyProblem> {
        let Some(value) = find_mut(self.root, path.names()) else { return Ok(()) };
        let extent = self.budget.measure(value)?;
        let depth = path.names().len() + extent.depth + 1;
        let inner = value.take();
        *value = Value::Object(Map::from_iter([(key.to_owned(), inner)]));
        self.budget.grow(member_bytes(key) + 2)?;
        self.check_depth(depth)
    }

    fn check_depth(&self, depth: usize) -> Result<(), ApplyProblem> {
        if self.depth + depth > MAX_OUTPUT_DEPTH { Err(ApplyProblem::TooDeep) } else { Ok(()) }
    }
}

/// The value at some names. Objects that are missing on the way are made.
fn make_parents<'v>(
    root: &'v mut Value,
    names: &[String],
    budget: &mut Budget,
) -> Result<&'v mut Value, ApplyProblem> {
    names.iter().try_fold(root, |value, name| match value {
        Value::Object(members) => {
            if !members.contains_key(name) {
                budget.grow(member_bytes(name) + 2)?;
            }
            Ok(members.entry(name.as_str()).or_insert_with(|| Value::Object(Map::new())))
        }
        Value::Array(elements) => {
            index(name).and_then(|at| elements.get_mut(at)).ok_or(ApplyProblem::NoPlace)
        }
        _ => Err(ApplyProblem::NoPlace),
    })
}

/// The bytes of a member beside its value: its name, a colon and a comma.
fn member_bytes(name: &str) -> usize {
    text_bytes(name) + 2
}
