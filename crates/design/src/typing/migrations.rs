//! Migrations: values made from the attributes of an old item, against the attributes of the new one.

use super::scope::{self, Scope};
use super::{Typing, Wanted};
use crate::facts::can_be_given;
use crate::model::*;
use crate::problems::NOT_SETTABLE;

impl<'a> Typing<'a, '_> {
    pub(super) fn migration(&mut self, migration: &'a Migration) {
        let Some(old) = migration.old.as_deref() else {
            return;
        };
        let (new, mut words) = (self.design, scope::words(old));
        words.extend(self.words.iter().copied());
        let scope = Scope::default();
        let mut reading = Typing { design: old, declaring: new, problems: self.problems, words, scope };
        for mapping in &migration.mappings {
            let (before, after) = (old.entity(&mapping.old.text), new.entity(&mapping.new.text));
            if let (Some(before), Some(after)) = (before, after) {
                // Nobody calls: a migration runs by itself.
                let scope = Scope { system: true, ..Scope::of_entity(before) };
                reading.within(scope, |typing| typing.mapping(mapping, after));
            }
        }
    }

    fn mapping(&mut self, mapping: &'a Mapping, after: &'a Entity) {
        mapping.condition.iter().for_each(|condition| self.condition(condition));
        for field in &mapping.fields.fields {
            let Some(name) = field.path.first() else { continue };
            match after.attribute(&name.text) {
                Some(attribute) if can_be_given(attribute) => {
                    self.want(&field.value, &Wanted::attribute(self.declaring, attribute));
                }
                Some(attribute) => {
                    let title = format!("`{name}` cannot be given: it is computed");
                    self.push(NOT_SETTABLE.at(name.span, title).also(attribute.span, "computed here"));
                }
                None => {
                    let known = after.attributes.iter().map(|each| each.name.text.as_str());
                    self.unknown(&format!("attribute of `{}`", after.name), &name.text, name.span, known);
                }
            }
        }
    }
}
