//! Document paths, and what a projection on some of them leaves of an item.

use std::collections::BTreeMap;

use sortkey_value::{AttributeValue, Map};

use super::placeholders::Placeholders;

/// A value inside an item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Path {
    pub(crate) attribute: String,
    pub(crate) steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Member(String),
    Element(usize),
}

impl Path {
    pub(crate) fn attribute(name: &str) -> Path {
        Path { attribute: name.to_owned(), steps: Vec::new() }
    }

    pub(crate) fn find<'v>(&self, item: &'v Map) -> Option<&'v AttributeValue> {
        self.steps.iter().try_fold(item.get(&self.attribute)?, |value, step| take(value, step))
    }

    /// The path as an expression writes it.
    pub(crate) fn text(&self, placeholders: &mut Placeholders) -> String {
        let mut text = placeholders.name(&self.attribute);
        for step in &self.steps {
            match step {
                Step::Member(name) => {
                    text.push('.');
                    text.push_str(&placeholders.name(name));
                }
                Step::Element(index) => text.push_str(&format!("[{index}]")),
            }
        }
        text
    }

    /// Whether one update or projection may contain both: neither leads into the other, and neither takes for
    /// a map what the other takes for a list.
    pub(crate) fn is_apart_from(&self, other: &Path) -> bool {
        if self.attribute != other.attribute {
            return true;
        }
        match self.steps.iter().zip(&other.steps).find(|(one, two)| one != two) {
            Some((Step::Member(_), Step::Member(_)) | (Step::Element(_), Step::Element(_))) => true,
            Some(_) | None => false,
        }
    }
}

pub(crate) fn take<'v>(value: &'v AttributeValue, step: &Step) -> Option<&'v AttributeValue> {
    match (value, step) {
        (AttributeValue::M(map), Step::Member(name)) => map.get(name),
        (AttributeValue::L(list), Step::Element(index)) => list.get(*index),
        _ => None,
    }
}

/// The part of an item that a projection keeps.
pub(crate) fn project(item: &Map, paths: &[Path]) -> Map {
    let mut kept = Map::new();
    for (name, value) in item {
        let of_attribute = paths.iter().filter(|path| path.attribute == *name);
        let rests: Vec<&[Step]> = of_attribute.map(|path| &*path.steps).collect();
        if let Some(value) = keep(value, &rests) {
            kept.insert(name.clone(), value);
        }
    }
    kept
}

/// The part of a value that is left when only these paths into it are kept.
fn keep(value: &AttributeValue, paths: &[&[Step]]) -> Option<AttributeValue> {
    if paths.iter().any(|path| path.is_empty()) {
        return Some(value.clone());
    }
    let behind = |first: &Step| -> Vec<&[Step]> {
        paths.iter().filter(|path| path[0] == *first).map(|path| &path[1..]).collect()
    };
    match value {
        AttributeValue::M(map) => {
            let kept: BTreeMap<_, _> = map
                .iter()
                .filter_map(|(name, member)| {
                    Some((name.clone(), keep(member, &behind(&Step::Member(name.clone())))?))
                })
                .collect();
            (!kept.is_empty()).then_some(AttributeValue::M(kept))
        }
        AttributeValue::L(list) => {
            let kept: Vec<_> = list
                .iter()
                .enumerate()
                .filter_map(|(index, element)| keep(element, &behind(&Step::Element(index))))
                .collect();
            (!kept.is_empty()).then_some(AttributeValue::L(kept))
        }
        _ => None,
    }
}
