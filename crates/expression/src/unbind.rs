//! Hands out placeholders when trees are written as text again.

use std::collections::BTreeMap;

use sortkey_value::{AttributeValue, Item, order};

use crate::path::{Path, Step};
use crate::reserved::is_plain_name;
use crate::syntax::{PathElement, SyntaxPath};

/// Collects the names and values of the expressions of one request. Every name gets a placeholder, reserved or
/// not: a reader then never has to ask which names are.
#[derive(Clone, Debug, Default)]
pub struct Unbinder {
    names: BTreeMap<String, String>,
    values: Vec<AttributeValue>,
    /// Whether names that need no placeholder get none.
    spares_names: bool,
}

impl Unbinder {
    /// Nothing collected yet.
    pub fn new() -> Unbinder {
        Unbinder::default()
    }

    /// Nothing collected yet; names that can be written as they are get no placeholder.
    pub fn sparing_names() -> Unbinder {
        Unbinder { spares_names: true, ..Unbinder::default() }
    }

    /// `ExpressionAttributeNames`, if any name has a placeholder.
    pub fn names(&self) -> Option<BTreeMap<String, String>> {
        let names =
            order::map(self.names.iter().map(|(name, placeholder)| (placeholder.clone(), name.clone())));
        (!names.is_empty()).then_some(names)
    }

    /// `ExpressionAttributeValues`, if any value was used.
    pub fn values(&self) -> Option<Item> {
        let values = self.values.iter().enumerate();
        let values = order::map(values.map(|(position, value)| (value_placeholder(position), value.clone())));
        (!values.is_empty()).then(|| Item::from(values))
    }

    pub(crate) fn path(&mut self, path: &Path) -> SyntaxPath {
        let mut elements = vec![self.name(path.attribute_name())];
        for step in path.steps() {
            elements.push(match step {
                Step::Member(name) => self.name(name),
                Step::Element(index) => PathElement::Index(*index),
            });
        }
        SyntaxPath { elements }
    }

    pub(crate) fn value(&mut self, value: &AttributeValue) -> String {
        let known = self.values.iter().position(|known| known == value);
        let position = known.unwrap_or_else(|| {
            self.values.push(value.clone());
            self.values.len() - 1
        });
        value_placeholder(position)
    }

    fn name(&mut self, name: &str) -> PathElement {
        if self.spares_names && is_plain_name(name) {
            return PathElement::Name(name.to_owned());
        }
        let next = self.names.len();
        let placeholder = self.names.entry(name.to_owned()).or_insert_with(|| format!("#n{next}"));
        PathElement::Placeholder(placeholder.clone())
    }
}

fn value_placeholder(position: usize) -> String {
    format!(":v{position}")
}
