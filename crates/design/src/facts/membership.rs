//! The items of an entity that are in an index.

use super::{Source, source};
use crate::model::*;

/// Whether the items of an entity are in an index.
#[derive(Clone, Debug, PartialEq)]
pub enum Membership<'a> {
    /// None: this key attribute is filled by nothing.
    Never(&'a Name),
    /// Every one.
    Always,
    /// Those for which these hold, and which have these attributes.
    Sometimes {
        /// Conditions of templates and attributes.
        when: Vec<&'a Expr>,
        /// Optional attributes that must be there.
        present: Vec<&'a str>,
    },
}

/// Whether the items of an entity are in an index with this key.
pub fn membership<'a>(entity: &'a Entity, key: &'a Key) -> Membership<'a> {
    let (mut when, mut present) = (Vec::new(), Vec::new());
    for name in key.attributes() {
        let Some(source) = source(entity, &name.text) else {
            return Membership::Never(name);
        };
        when.extend(source.when());
        match source {
            Source::Natural(attribute) if attribute.optional => present.push(attribute.name.text.as_str()),
            Source::Natural(_) => {}
            Source::Template(template) => present.extend(template.slots().filter_map(|slot| {
                let attribute = entity.attribute(&slot.text)?;
                attribute.may_be_absent().then_some(attribute.name.text.as_str())
            })),
        }
    }
    if when.is_empty() && present.is_empty() {
        return Membership::Always;
    }
    Membership::Sometimes { when, present }
}
