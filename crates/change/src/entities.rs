//! Entities: where their items live, what is unique among them, and what holds for each.

use std::collections::HashMap;

use sortkey_design::Program;
use sortkey_design::program::{Entity, EntityId, Id};
use sortkey_diagnostics::Span;

use crate::show::{Renames, Show, names};
use crate::{Class, Concern, Difference, Task, attributes, keys};

/// Compares the entities of two versions.
pub(crate) fn compare(old: &Program, new: &Program, found: &mut Vec<Difference>) {
    for (id, entity) in new.entities.entries() {
        match named(old, &entity.name) {
            Some(before) => Pair::new(old, before, new, id).compare(found),
            None => found.push(
                Difference::new(Class::Nothing, &*entity.name, "is new", "there are no items of it yet")
                    .at(span(new, id)),
            ),
        }
    }
    for (id, entity) in old.entities.entries() {
        if named(new, &entity.name).is_none() {
            let effect = "its items stay in the table, and nothing reads or deletes them any more";
            let concern = Concern { entity: Some(entity.name.to_string()), ..Concern::default() };
            found.push(
                Difference::new(Class::Remove, &*entity.name, "is gone", effect)
                    .of(concern)
                    .at(span(old, id)),
            );
        }
    }
}

/// The entity of that name.
pub(crate) fn named(program: &Program, name: &str) -> Option<EntityId> {
    program.entities.entries().find(|(_, entity)| *entity.name == *name).map(|(id, _)| id)
}

/// The span of an entity's name.
fn span(program: &Program, id: EntityId) -> Span {
    program.design.entities.get(id.at()).map(|entity| entity.name.span).unwrap_or_default()
}

/// An entity in both versions.
pub(crate) struct Pair<'a> {
    pub(crate) old_program: &'a Program,
    pub(crate) new_program: &'a Program,
    pub(crate) old: &'a Entity,
    pub(crate) new: &'a Entity,
    pub(crate) old_id: EntityId,
    pub(crate) new_id: EntityId,
    /// New names by old names, for attributes with `@was`.
    pub(crate) renames: Renames,
}

impl<'a> Pair<'a> {
    fn new(
        old_program: &'a Program,
        old_id: EntityId,
        new_program: &'a Program,
        new_id: EntityId,
    ) -> Pair<'a> {
        let mut pair = Pair {
            old_program,
            new_program,
            old: &old_program.entities[old_id],
            new: &new_program.entities[new_id],
            old_id,
            new_id,
            renames: HashMap::new(),
        };
        pair.renames = attributes::renames(&pair);
        pair
    }

    fn compare(&self, found: &mut Vec<Difference>) {
        self.place(found);
        keys::compare(self, found);
        attributes::compare(self, found);
        self.uniques(found);
        self.rules(found);
    }

    /// Writes expressions of the old version, renamed attributes under their new names.
    pub(crate) fn show_old(&self) -> Show<'_> {
        Show { program: self.old_program, entity: Some(self.old_id), renames: Some(&self.renames) }
    }

    /// Writes expressions of the new version.
    pub(crate) fn show_new(&self) -> Show<'_> {
        Show { program: self.new_program, entity: Some(self.new_id), renames: None }
    }

    /// A difference of this entity.
    pub(crate) fn difference(
        &self,
        class: Class,
        change: impl Into<String>,
        effect: impl Into<String>,
    ) -> Difference {
        let concern = Concern { entity: Some(self.new.name.to_string()), ..Concern::default() };
        let difference = Difference::new(class, &*self.new.name, change, effect).of(concern);
        self.priced(difference.at(span(self.new_program, self.new_id)))
    }

    /// Adds the price of rewriting where a class rewrites or copies items.
    pub(crate) fn priced(&self, difference: Difference) -> Difference {
        match difference.class {
            Class::Rewrite | Class::Rekey | Class::Move => {
                difference.rewriting(self.new_program, self.new_id)
            }
            _ => difference,
        }
    }

    fn place(&self, found: &mut Vec<Difference>) {
        let table = |program: &Program, entity: &Entity| {
            entity.table.map(|id| program.tables[id].name.to_string()).unwrap_or_default()
        };
        let (before, after) = (table(self.old_program, self.old), table(self.new_program, self.new));
        if before != after {
            let change = format!("is in {after} instead of {before}");
            found.push(self.difference(
                Class::Move,
                change,
                "its items have to be copied to the other table",
            ));
        }
    }

    fn uniques(&self, found: &mut Vec<Difference>) {
        let (old, new) =
            (self.unique_texts(self.old, &self.show_old()), self.unique_texts(self.new, &self.show_new()));
        for unique in new.iter().filter(|unique| !old.contains(unique)) {
            let effect =
                "every existing item gets a guard, and items that share a value have to be changed first";
            let change = format!("`unique {unique}` is new");
            found.push(self.difference(Class::Rewrite, change, effect).doing(Task::Guard));
        }
        for unique in old.iter().filter(|unique| !new.contains(unique)) {
            found.push(self.difference(
                Class::Remove,
                format!("`unique {unique}` is gone"),
                "the guards stay in the table and guard nothing",
            ));
        }
    }

    fn unique_texts(&self, entity: &Entity, show: &Show<'_>) -> Vec<String> {
        let text = |unique: &sortkey_design::program::Unique| {
            let attributes =
                unique.attributes.iter().map(|id| show.attribute(*id)).collect::<Vec<_>>().join(", ");
            match show.optional(unique.when.as_ref()) {
                Some(when) => format!("{attributes} when {when}"),
                None => attributes,
            }
        };
        entity.uniques.iter().map(text).collect()
    }

    /// Compares the conditions on every item, its owner, and when it counts as deleted.
    fn rules(&self, found: &mut Vec<Difference>) {
        let (show_old, show_new) = (self.show_old(), self.show_new());
        let checks = |entity: &Entity, show: &Show<'_>| {
            entity.checks.iter().map(|check| show.expr(&check.condition)).collect::<Vec<_>>()
        };
        let (old, new) = (checks(self.old, &show_old), checks(self.new, &show_new));
        for check in new.iter().filter(|check| !old.contains(check)) {
            let effect = "existing items that break it have to be changed first";
            let change = format!("`check {check}` is new");
            found.push(self.difference(Class::Rewrite, change, effect).doing(Task::VerifyChecks));
        }
        for check in old.iter().filter(|check| !new.contains(check)) {
            let change = format!("`check {check}` is gone");
            found.push(self.difference(Class::Nothing, change, "items stay as they are"));
        }
        let deleted = |entity: &'a Entity, show: &Show<'_>| show.optional(entity.deleted.as_ref());
        let (before, after) = (deleted(self.old, &show_old), deleted(self.new, &show_new));
        if before != after {
            let change = format!("deleted when {} instead of {}", or_never(after), or_never(before));
            let breaks = "items appear in answers, or leave them, by the new condition";
            let effect = "items stay as they are, and are judged anew when they are read";
            found.push(self.difference(Class::ReadAsBefore, change, effect).breaking(breaks));
        }
        let tenant = |entity: &Entity, show: &Show<'_>| {
            entity.tenant.map_or_else(|| "none".to_owned(), |tenant| show.attribute(tenant.attribute))
        };
        let (before, after) = (tenant(self.old, &show_old), tenant(self.new, &show_new));
        if before != after {
            let breaks = "other callers see and change an item than before";
            let change = format!("tenant {after} instead of {before}");
            let effect = "items stay as they are";
            found.push(self.difference(Class::ReadAsBefore, change, effect).breaking(breaks));
        }
        self.states(found);
    }

    fn states(&self, found: &mut Vec<Difference>) {
        let (old, new) = (moves(self.old), moves(self.new));
        let added: Vec<&String> = new.iter().filter(|each| !old.contains(each)).collect();
        let gone: Vec<&String> = old.iter().filter(|each| !new.contains(each)).collect();
        if !added.is_empty() {
            let change = format!("allows {}", joined(&added));
            found.push(self.difference(Class::ReadAsBefore, change, "items stay in their states"));
        }
        if !gone.is_empty() {
            let change = format!("no longer allows {}", joined(&gone));
            let breaks = "calls that make this move get InvalidTransition";
            found
                .push(self.difference(Class::Nothing, change, "items stay in their states").breaking(breaks));
        }
    }
}

/// Every allowed move, one by one.
fn moves(entity: &Entity) -> Vec<String> {
    let mut found = Vec::new();
    for states in &entity.states {
        let name = names(&entity.attributes, &[states.path.attribute]);
        for transition in &states.transitions {
            for from in &transition.from {
                found.extend(transition.to.iter().map(|to| format!("{name}: {from} -> {to}")));
            }
        }
    }
    found
}

fn joined(texts: &[&String]) -> String {
    texts.iter().map(|text| text.as_str()).collect::<Vec<_>>().join(", ")
}

fn or_never(text: Option<String>) -> String {
    text.unwrap_or_else(|| "never".to_owned())
}
