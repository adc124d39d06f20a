//! The entities of a table in both versions, and what becomes of one of their items.

use std::sync::Arc;

use sortkey_change::{Class, Difference, Task};
use sortkey_design::program::Type;
use sortkey_value::{Item, ValueRef};

use super::Old;
use sortkey_core::internals::{EntityInfo, Fields, Moved, Scope, Val, decrypted};
use sortkey_core::{Failure, Runtime};

/// The entities of a table.
pub(super) struct Entities<'a> {
    pub(super) runtime: &'a Runtime,
    pub(super) old_runtime: &'a Runtime,
    /// Any entity of the table: all have its keys.
    pub(super) first: &'a EntityInfo,
    pub(super) all: Vec<Entity<'a>>,
}

/// An entity in both versions.
pub(super) struct Entity<'a> {
    /// In the design that was deployed before; none if the entity is new.
    pub(super) old: Option<&'a EntityInfo>,
    /// In the design that is being deployed; none if the entity is gone, or lives in another table.
    pub(super) new: Option<&'a EntityInfo>,
    /// The differences that concern it.
    pub(super) differences: Vec<&'a Difference>,
}

impl<'a> Entities<'a> {
    /// The entities of a table, in the version before and in the one that is being deployed; none if the latter has none there.
    pub(super) fn of(runtime: &'a Runtime, old: &'a Old, table: &str) -> Option<Entities<'a>> {
        let here = |runtime: &'a Runtime| {
            runtime.shared().entities.iter().filter(|info| info.table.name() == table).collect::<Vec<_>>()
        };
        let infos = here(runtime);
        let first = *infos.first()?;
        let before = here(&old.runtime).into_iter();
        let mut all: Vec<Entity<'a>> =
            before.map(|info| Entity { old: Some(info), new: None, differences: Vec::new() }).collect();
        for info in infos {
            match all.iter_mut().find(|each| each.old.is_some_and(|old| old.name == info.name)) {
                Some(known) => known.new = Some(info),
                None => all.push(Entity { old: None, new: Some(info), differences: Vec::new() }),
            }
        }
        let design = runtime.design();
        let table_name = design.table_of(first.source(design)).map(|table| table.name.text.as_str());
        for entity in &mut all {
            let name = entity.new.or(entity.old).map(|info| &*info.name);
            let concerns = |each: &&Difference| match (&each.concern.entity, &each.concern.table) {
                (Some(entity), _) => Some(entity.as_str()) == name,
                (None, Some(table)) => each.task == Task::Name && Some(table.as_str()) == table_name,
                (None, None) => false,
            };
            entity.differences = old.differences.iter().filter(concerns).collect();
        }
        Some(Entities { runtime, old_runtime: &old.runtime, first, all })
    }

    /// The subjects of the differences that rewrite items, such as `Order.note`.
    pub(super) fn subjects(&self) -> Vec<String> {
        let differences =
            self.all.iter().filter(|each| each.old.is_some()).flat_map(|each| &each.differences);
        let mut subjects: Vec<String> = differences
            .filter(|each| each.class == Class::Rewrite && each.task.writes_items())
            .map(|each| each.subject.clone())
            .collect();
        subjects.dedup();
        subjects
    }

    /// Whether a difference demands something of the values that items have.
    pub(super) fn verifies(&self) -> bool {
        let mut old = self.all.iter().filter(|each| each.old.is_some());
        old.any(|entity| {
            entity.tasks().any(|(task, _)| matches!(task, Task::VerifyValue | Task::VerifyChecks))
        })
    }

    /// Whether an item of the new version is never taken for one that is still to be rewritten: what would be rewritten of it is
    /// what it has.
    pub(super) fn are_told_apart(&self) -> bool {
        self.all.iter().all(|entity| {
            let Some(info) = entity.new.filter(|_| entity.old.is_some()) else { return true };
            let program = &self.runtime.shared().program;
            let find = |name: &str| {
                let attributes = &info.of(program).attributes;
                attributes.find(name).map(|id| &attributes[id])
            };
            entity.tasks().all(|(task, name)| match task {
                // The new version may leave out what the rewriting fills in.
                Task::Freeze | Task::Fill => find(name).is_some_and(|attribute| !attribute.may_be_absent()),
                // Bytes that are no longer encrypted look like bytes that are.
                Task::Unseal => {
                    info.is_encrypted(name)
                        || find(name).is_none_or(|each| !matches!(*each.ty, Type::Bytes { .. }))
                }
                _ => true,
            })
        })
    }

    /// The entity that an item belongs to, by the version that it was written for.
    pub(super) fn owner(&self, item: &Item) -> Option<&Entity<'a>> {
        let (old, new) = (self.old_runtime.shared(), self.runtime.shared());
        let mut owners = self.all.iter().filter(|each| match (each.old, each.new) {
            (Some(info), _) => info.owns(&old.program, item),
            (None, Some(info)) => info.owns(&new.program, item),
            (None, None) => false,
        });
        let first = owners.next()?;
        let mut rest = owners.peekable();
        if rest.peek().is_none() {
            return Some(first);
        }
        // Several entities have such keys: the attributes decide.
        let scope = self.old_runtime.scope(None);
        let makes = |each: &&Entity<'a>| {
            each.old.is_some_and(|info| {
                let read = info.interpret_ours(&scope, item.clone()).ok().flatten();
                read.is_some_and(|read| info.makes(&old.program, &read))
            })
        };
        Some(std::iter::once(first).chain(rest).find(makes).unwrap_or(first))
    }
}

impl Entity<'_> {
    /// The tasks, each with the attribute that it concerns.
    pub(super) fn tasks(&self) -> impl Iterator<Item = (&Task, &str)> {
        self.differences
            .iter()
            .map(|each| (&each.task, each.concern.attribute.as_deref().unwrap_or_default()))
    }

    /// Whether items are written.
    pub(super) fn is_rewritten(&self) -> bool {
        self.tasks().any(|(task, _)| task.writes_items())
    }

    /// An item with its attributes under their new names, and with the defaults of the old version.
    pub(super) fn moved(
        &self,
        (old_scope, new_scope): (&Scope<'_>, &Scope<'_>),
        item: &Item,
    ) -> Result<Moved, Failure> {
        let (Some(old), Some(new)) = (self.old, self.new) else {
            return Ok(Moved { item: item.clone(), ..Moved::default() });
        };
        let (mut map, mut plain, mut filled) = (item.to_map(), Fields::new(), Vec::new());
        for (task, name) in self.tasks() {
            match task {
                Task::Freeze => {
                    let before = self.name_before(name);
                    if !map.contains_key(before) && !map.contains_key(name) {
                        let read = old.interpret_ours(old_scope, item.clone())?;
                        let value = read.and_then(|read| read.get(before).map(|value| value.to_owned()));
                        map.extend(value.map(|value| (before.to_owned(), value)));
                    }
                }
                Task::Fill if !map.contains_key(name) => filled.push(Arc::from(name)),
                // Bytes may be a value that is not encrypted yet, or one that is.
                Task::Seal if is_bytes(item, name) && decrypted(new_scope, new, item, name).is_err() => {
                    plain.insert(name, decrypted(old_scope, old, item, self.name_before(name))?);
                }
                Task::Unseal if is_bytes(item, name) => {
                    let is_done = new.is_encrypted(name) && decrypted(new_scope, new, item, name).is_ok();
                    if !is_done {
                        plain.insert(name, decrypted(old_scope, old, item, name)?);
                    }
                }
                _ => {}
            }
        }
        // Names come last, since the old version is asked by its own.
        for (task, name) in self.tasks() {
            let Task::Rename { from } = task else { continue };
            let Some(value) = map.remove(from) else { continue };
            if map.contains_key(name) {
                continue;
            }
            match decrypted(old_scope, old, item, from)? {
                // The name is a part of what a value is encrypted with.
                opened if old.is_encrypted(from) && !matches!(opened, Val::Absent) => {
                    plain.insert(name, opened);
                }
                _ => drop(map.insert(name.to_owned(), value)),
            }
        }
        Ok(Moved { item: Item::from(map), plain, filled })
    }

    /// The name of an attribute in the old version.
    pub(super) fn name_before<'n>(&'n self, name: &'n str) -> &'n str {
        let renamed = self.tasks().find_map(|(task, to)| match task {
            Task::Rename { from } if to == name => Some(from.as_str()),
            _ => None,
        });
        renamed.unwrap_or(name)
    }
}

fn is_bytes(item: &Item, name: &str) -> bool {
    matches!(item.get(name), Some(ValueRef::B(_)))
}
