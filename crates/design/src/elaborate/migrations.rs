//! Migrations: values made from the attributes of an old item, against the attributes of the new one.

use std::sync::Arc;

use super::scope::{self, Scope};
use super::types::entity_id;
use super::{Elaboration, skeleton};
use crate::facts::can_be_given;
use crate::model::{Mapping, Migration};
use crate::problems::NOT_SETTABLE;
use crate::program::{self, EntityId, Id};

impl<'a> Elaboration<'a, '_> {
    /// The mappings of a migration, checked.
    pub(super) fn migration(&mut self, migration: &'a Migration) -> program::Migration {
        let Some(old) = migration.old.as_deref() else {
            return program::Migration::default();
        };
        let old = Arc::new(old.clone());
        let (before, types) = skeleton::program(&old);
        let mut words = scope::words(&old);
        words.extend(self.words.iter().copied());
        let mappings: Vec<Mapping> = migration.mappings.clone();
        let mut reading = Elaboration {
            design: &old,
            program: &before,
            declaring: self.declaring,
            types: &types,
            problems: self.problems,
            words,
            scope: Scope::default(),
            locals: 0,
            optional: Vec::new(),
            unsure: Vec::new(),
            asked: super::absence::Asked::default(),
            unsent: Vec::new(),
            lenient: false,
            errors: Vec::new(),
        };
        let mut found = program::Migration::default();
        for mapping in &mappings {
            let from = entity_id(&old, &mapping.old.text);
            let to = entity_id(&self.declaring.design, &mapping.new.text);
            if let (Some(from), Some(to)) = (from, to) {
                // A migration has no caller.
                let scope = Scope { system: true, ..Scope::of_entity(from) };
                found.mappings.push(reading.within(scope, |typing| typing.mapping(mapping, from, to)));
            }
        }
        found
    }

    fn mapping(&mut self, mapping: &'a Mapping, before: EntityId, after: EntityId) -> program::Mapping {
        let condition = mapping.condition.as_ref().map(|condition| self.condition(condition));
        let (new, old) =
            (&self.declaring.entities[after].attributes, &self.program.entities[before].attributes);
        let mut found = program::Mapping {
            new: after,
            old: before,
            condition,
            fields: Vec::new(),
            merge: mapping.merge.iter().filter_map(|name| new.find(&name.text)).collect(),
            dropped: mapping.dropped.iter().filter_map(|name| old.find(&name.text)).collect(),
        };
        let of = &self.declaring.entities[after];
        let source = &self.declaring.design.entities[after.at()];
        for field in &mapping.fields.fields {
            let Some(name) = field.path.first() else { continue };
            match source.attribute(&name.text) {
                Some(attribute) if can_be_given(attribute) => {
                    if let Some(wanted) = self.wanted_of(after, &name.text) {
                        let value = self.want(&field.value, &wanted);
                        found.fields.extend(new.find(&name.text).map(|id| (id, value)));
                    }
                }
                Some(attribute) => {
                    let title = format!("`{name}` cannot be given: it is computed");
                    self.push(NOT_SETTABLE.at(name.span, title).also(attribute.span, "computed here"));
                }
                None => {
                    let known = of.attributes.iter().map(|each| &*each.name);
                    self.unknown(&format!("attribute of `{}`", of.name), &name.text, name.span, known);
                }
            }
        }
        found
    }
}
