//! Document paths: the location of a value in an item.

use std::fmt;

use sortkey_value::{Item, ValueRef};

/// An attribute, or a value inside of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path {
    attribute: String,
    steps: Vec<Step>,
}

/// From a value to one inside of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// To the member of a map, by its name.
    Member(String),
    /// To the element of a list, by its position.
    Element(usize),
}

impl Path {
    /// The path of an attribute.
    pub fn attribute(name: impl Into<String>) -> Path {
        Path { attribute: name.into(), steps: Vec::new() }
    }

    /// The path of a value inside of an attribute.
    pub fn new(attribute: impl Into<String>, steps: Vec<Step>) -> Path {
        Path { attribute: attribute.into(), steps }
    }

    /// The name of the attribute that the path begins with.
    pub fn attribute_name(&self) -> &str {
        &self.attribute
    }

    /// The steps into the attribute.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether the path leads into an attribute.
    pub fn is_nested(&self) -> bool {
        !self.steps.is_empty()
    }

    /// The value at the path, if there is one.
    pub fn find<'i>(&self, item: &'i Item) -> Option<ValueRef<'i>> {
        let attribute = item.get(&self.attribute)?;
        self.steps.iter().try_fold(attribute, |value, step| step.take(value))
    }

    /// How the path relates to another one.
    pub(crate) fn relation(&self, other: &Path) -> Relation {
        if self.attribute != other.attribute {
            return Relation::Apart;
        }
        for (own, others) in self.steps.iter().zip(&other.steps) {
            match (own, others) {
                (Step::Member(_), Step::Element(_)) | (Step::Element(_), Step::Member(_)) => {
                    return Relation::Conflict;
                }
                _ if own != others => return Relation::Apart,
                _ => {}
            }
        }
        Relation::Overlap
    }
}

impl Step {
    /// The value that the step leads to.
    pub fn take<'i>(&self, value: ValueRef<'i>) -> Option<ValueRef<'i>> {
        match (self, value) {
            (Step::Member(name), ValueRef::M(map)) => map.get(name),
            (Step::Element(index), ValueRef::L(list)) => list.get(*index),
            _ => None,
        }
    }
}

/// How two paths relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// They lead to different values.
    Apart,
    /// They are the same, or one leads into the other.
    Overlap,
    /// One takes for a map what the other takes for a list.
    Conflict,
}

/// As DynamoDB's error texts write it: `[a, b, [0]]`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}", self.attribute)?;
        for step in &self.steps {
            match step {
                Step::Member(name) => write!(f, ", {name}")?,
                Step::Element(index) => write!(f, ", [{index}]")?,
            }
        }
        f.write_str("]")
    }
}
