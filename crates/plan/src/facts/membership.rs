//! The items of an entity that are in an index.

use std::sync::Arc;

use sortkey_design::program::{AttributeId, Entity, Expr, FilledKey, Source};

use super::slots;

/// Whether the items of an entity are in an index.
#[derive(Clone, Debug, PartialEq)]
pub enum Membership<'a> {
    /// None: this stored key attribute is filled by nothing.
    Never(&'a Arc<str>),
    /// Every one.
    Always,
    /// Those for which these hold, and which have these attributes.
    Sometimes {
        /// Conditions of templates and attributes.
        when: Vec<&'a Expr>,
        /// Optional attributes that must be there.
        present: Vec<AttributeId>,
    },
}

/// Whether the items of an entity are in an index with this key.
pub fn membership<'a>(entity: &'a Entity, key: &'a FilledKey) -> Membership<'a> {
    let (mut when, mut present) = (Vec::new(), Vec::new());
    for part in key.parts() {
        match part.source {
            None => return Membership::Never(&part.stored),
            Some(Source::Attribute(id)) => {
                when.extend(&entity.attributes[id].when);
                present.extend(entity.attributes[id].optional.then_some(id));
            }
            Some(source @ Source::Template(id)) => {
                when.extend(&entity.templates[id].when);
                present.extend(
                    slots(entity, source).into_iter().filter(|slot| entity.attributes[*slot].may_be_absent()),
                );
            }
        }
    }
    if when.is_empty() && present.is_empty() {
        return Membership::Always;
    }
    Membership::Sometimes { when, present }
}
