//! Projections: which parts of an item are returned.
//!
//! Parts stay where they are: a member keeps the maps around it, and the chosen elements of a list keep their
//! order and close ranks. A part that the item lacks leaves nothing behind, not even an empty map.

use std::collections::BTreeMap;

use sortkey_value::{Item, ItemBuilder, ValueRef};

use crate::error::{ExpressionError, ExpressionKind, Problem};
use crate::overlap::check_apart;
use crate::path::{Path, Step};
use crate::placeholders::Placeholders;
use crate::syntax::SyntaxProjection;
use crate::unbind::Unbinder;

/// The parts of an item that are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    paths: Vec<Path>,
    attributes: BTreeMap<String, Selection>,
}

/// The selected parts of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Selection {
    Whole,
    Members(BTreeMap<String, Selection>),
    Elements(BTreeMap<usize, Selection>),
}

impl SyntaxProjection {
    /// Replaces the placeholders.
    pub fn bind(&self, placeholders: &mut Placeholders<'_>) -> Result<Projection, ExpressionError> {
        let paths = self.paths.iter().map(|path| placeholders.path(path));
        paths
            .collect::<Result<Vec<_>, _>>()
            .and_then(Projection::new)
            .map_err(|problem| ExpressionKind::Projection.error(problem))
    }
}

impl Projection {
    /// The projection on these paths, none of which may lead into another.
    pub fn new(paths: Vec<Path>) -> Result<Projection, Problem> {
        check_apart(&paths)?;
        Ok(Projection::on_separate(paths))
    }

    /// The projection on paths that are known not to lead into each other.
    pub(crate) fn on_separate(paths: Vec<Path>) -> Projection {
        let mut attributes = BTreeMap::new();
        for path in &paths {
            let selection = attributes.entry(path.attribute_name().to_owned());
            let selection = selection.or_insert_with(|| Selection::first_step(path.steps()));
            selection.include(path.steps());
        }
        Projection { paths, attributes }
    }

    /// The paths, in the order they are written.
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// Builds an item from the selected parts of another.
    pub fn apply(&self, item: &Item) -> Item {
        let mut kept = Item::builder();
        let mut wanted = self.attributes.iter().peekable();
        // Both sides ascend, so that one walk finds all attributes.
        for (name, value) in item.iter() {
            while wanted.next_if(|(next, _)| next.as_str() < name).is_some() {}
            match wanted.peek() {
                Some((next, selection)) if next.as_str() == name && selection.selects_any(value) => {
                    kept.name(name);
                    selection.write(value, &mut kept);
                }
                Some(_) => {}
                None => break,
            }
        }
        kept.finish()
    }

    /// The projection as written with placeholders that `unbinder` hands out.
    pub fn unbind(&self, unbinder: &mut Unbinder) -> SyntaxProjection {
        SyntaxProjection { paths: self.paths.iter().map(|path| unbinder.path(path)).collect() }
    }
}

impl Selection {
    fn first_step(steps: &[Step]) -> Selection {
        match steps.first() {
            None => Selection::Whole,
            Some(Step::Member(_)) => Selection::Members(BTreeMap::new()),
            Some(Step::Element(_)) => Selection::Elements(BTreeMap::new()),
        }
    }

    /// Adds what lies behind these steps.
    fn include(&mut self, steps: &[Step]) {
        let Some((step, rest)) = steps.split_first() else {
            return;
        };
        let next = match (self, step) {
            (Selection::Members(members), Step::Member(name)) => {
                members.entry(name.clone()).or_insert_with(|| Selection::first_step(rest))
            }
            (Selection::Elements(elements), Step::Element(index)) => {
                elements.entry(*index).or_insert_with(|| Selection::first_step(rest))
            }
            // Paths that disagree have been refused.
            _ => return,
        };
        next.include(rest);
    }

    /// Whether the value has any of what is asked for.
    fn selects_any(&self, value: ValueRef<'_>) -> bool {
        match (self, value) {
            (Selection::Whole, _) => true,
            (Selection::Members(members), ValueRef::M(map)) => members
                .iter()
                .any(|(name, selection)| map.get(name).is_some_and(|value| selection.selects_any(value))),
            (Selection::Elements(elements), ValueRef::L(list)) => elements
                .iter()
                .any(|(index, selection)| list.get(*index).is_some_and(|value| selection.selects_any(value))),
            _ => false,
        }
    }

    fn write(&self, value: ValueRef<'_>, kept: &mut ItemBuilder) {
        match (self, value) {
            (Selection::Members(members), ValueRef::M(map)) => {
                kept.begin_map();
                for (name, selection) in members {
                    if let Some(value) = map.get(name)
                        && selection.selects_any(value)
                    {
                        kept.name(name);
                        selection.write(value, kept);
                    }
                }
                kept.end_map();
            }
            (Selection::Elements(elements), ValueRef::L(list)) => {
                kept.begin_list();
                for (index, selection) in elements {
                    if let Some(value) = list.get(*index)
                        && selection.selects_any(value)
                    {
                        selection.write(value, kept);
                    }
                }
                kept.end_list();
            }
            _ => kept.value(value),
        }
    }
}
