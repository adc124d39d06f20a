//! Changes to a value, and the writing of the changed value.
//!
//! Edits are collected by place before anything is written. The writing walks the old value once, so an index
//! always means the place in the list as it was, and elements behind the end follow in the order of their index.

use std::collections::BTreeMap;

use sortkey_value::{Item, ItemBuilder, Number, ValueRef};

use crate::path::{Path, Step};

/// An edit of a value.
#[derive(Debug)]
pub(super) enum Edit<'v> {
    Put(NewValue<'v>),
    Remove,
    Members(BTreeMap<&'v str, Edit<'v>>),
    Elements(BTreeMap<usize, Edit<'v>>),
}

/// A value that is put together from others without copying them.
#[derive(Debug)]
pub(super) enum NewValue<'v> {
    Copy(ValueRef<'v>),
    List(Vec<ValueRef<'v>>),
    Strings(Vec<&'v str>),
    Numbers(Vec<Number>),
    Binaries(Vec<&'v [u8]>),
}

/// The edits of an item, by attribute.
#[derive(Debug, Default)]
pub(super) struct Edits<'v> {
    attributes: BTreeMap<&'v str, Edit<'v>>,
}

impl<'v> Edits<'v> {
    /// Adds an edit. Paths must not lead into each other.
    pub(super) fn insert(&mut self, path: &'v Path, edit: Edit<'v>) {
        let attribute = path.attribute_name();
        let Some((last, steps)) = path.steps().split_last() else {
            self.attributes.insert(attribute, edit);
            return;
        };
        let mut place = self
            .attributes
            .entry(attribute)
            .or_insert_with(|| Edit::inside(path.steps().first().unwrap_or(last)));
        for (step, next) in steps.iter().zip(&path.steps()[1..]) {
            let Some(inner) = place.at(step, || Edit::inside(next)) else {
                return;
            };
            place = inner;
        }
        place.at(last, || edit);
    }

    /// The item after the edits.
    pub(super) fn apply(&self, item: &Item) -> Item {
        let mut changed = Item::builder();
        write_members(item.iter(), &self.attributes, &mut changed);
        changed.finish()
    }
}

impl<'v> Edit<'v> {
    /// An edit of what the step leads to, without changes yet.
    fn inside(step: &Step) -> Edit<'v> {
        match step {
            Step::Member(_) => Edit::Members(BTreeMap::new()),
            Step::Element(_) => Edit::Elements(BTreeMap::new()),
        }
    }

    /// The edit behind a step, made if there is none. Paths that disagree have been refused.
    fn at(&mut self, step: &'v Step, make: impl FnOnce() -> Edit<'v>) -> Option<&mut Edit<'v>> {
        match (self, step) {
            (Edit::Members(members), Step::Member(name)) => Some(members.entry(name).or_insert_with(make)),
            (Edit::Elements(elements), Step::Element(index)) => {
                Some(elements.entry(*index).or_insert_with(make))
            }
            _ => None,
        }
    }

    /// Writes what becomes of a value that is not removed.
    fn write(&self, old: ValueRef<'v>, changed: &mut ItemBuilder) {
        match (self, old) {
            (Edit::Put(value), _) => value.write(changed),
            (Edit::Members(edits), ValueRef::M(map)) => {
                changed.begin_map();
                write_members(map.iter(), edits, changed);
                changed.end_map();
            }
            (Edit::Elements(edits), ValueRef::L(list)) => {
                changed.begin_list();
                let mut behind_end = 0;
                for (index, value) in list.iter().enumerate() {
                    behind_end = index + 1;
                    match edits.get(&index) {
                        Some(Edit::Remove) => {}
                        Some(edit) => edit.write(value, changed),
                        None => changed.value(value),
                    }
                }
                for edit in edits.range(behind_end..).map(|(_, edit)| edit) {
                    edit.write_new(changed);
                }
                changed.end_list();
            }
            _ => changed.value(old),
        }
    }

    /// Writes a value that was not there, if the edit brings one.
    fn write_new(&self, changed: &mut ItemBuilder) {
        if let Edit::Put(value) = self {
            value.write(changed);
        }
    }
}

/// Writes old members and new ones in one walk, since both ascend.
fn write_members<'v>(
    old: impl Iterator<Item = (&'v str, ValueRef<'v>)>,
    edits: &BTreeMap<&'v str, Edit<'v>>,
    changed: &mut ItemBuilder,
) {
    let mut edits = edits.iter().peekable();
    let write_new = |name: &str, edit: &Edit<'v>, changed: &mut ItemBuilder| {
        if matches!(edit, Edit::Put(_)) {
            changed.name(name);
            edit.write_new(changed);
        }
    };
    for (name, value) in old {
        while let Some((new, edit)) = edits.next_if(|(next, _)| **next < name) {
            write_new(new, edit, changed);
        }
        match edits.next_if(|(next, _)| **next == name) {
            Some((_, Edit::Remove)) => {}
            Some((_, edit)) => {
                changed.name(name);
                edit.write(value, changed);
            }
            None => {
                changed.name(name);
                changed.value(value);
            }
        }
    }
    for (new, edit) in edits {
        write_new(new, edit, changed);
    }
}

impl NewValue<'_> {
    fn write(&self, changed: &mut ItemBuilder) {
        // The sets are put together without duplicates.
        let _ = match self {
            NewValue::Copy(value) => {
                changed.value(*value);
                Ok(())
            }
            NewValue::List(elements) => {
                changed.begin_list();
                elements.iter().for_each(|element| changed.value(*element));
                changed.end_list();
                Ok(())
            }
            NewValue::Strings(members) => changed.string_set(members.iter().copied()),
            NewValue::Numbers(members) => changed.number_set(members.iter().copied()),
            NewValue::Binaries(members) => changed.binary_set(members.iter().copied()),
        };
    }
}
