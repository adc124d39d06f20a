//! # id-format-mismatch-across-references
//!
//! ## What it notices
//!
//! A reference has another format than the id it points to; or an id is bare in the key of one table and prefixed in
//! that of another, and no reference declares that both are the same.
//!
//! ## Why it matters
//!
//! "PROFILE#42" and "42" are different strings: every lookup by the reference misses, without an error.
//!
//! ## Example
//!
//! ```sk
//! table Profiles { key (profileId) }
//! table Seasons  { key (profileId | seasonId) }
//! entity Profile in Profiles { profileId id("PROFILE#", uuid) = new }
//! entity Season in Seasons {
//!   profileId uuid -> Profile
//!   seasonId  uuid = new
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Profiles { key (profileId) }
//! table Seasons  { key (profileId | seasonId) }
//! entity Profile in Profiles { profileId id("PROFILE#", uuid) = new }
//! entity Season in Seasons {
//!   profileId -> Profile
//!   seasonId  uuid = new
//! }
//! ```
//!
//! ## When to allow
//!
//! Never: leave the type out, and it is taken from what is referred to.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::key_attributes;
use sortkey_design::model::*;
use sortkey_diagnostics::Fix;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK7014",
    name: "id-format-mismatch-across-references",
    theme: Theme::Protection,
    level: Severity::Error,
    source: include_str!("id_format_mismatch_across_references.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    if attribute.reference.is_none() {
        spelt_twice(entity, attribute, cx);
    }
    let (Some(span), Some(target)) = (attribute.ty_span, cx.design.target(attribute)) else {
        return;
    };
    let (own, theirs) = (&attribute.ty, cx.design.type_of(target));
    let same = match (own, theirs) {
        (Type::Id { prefix: a, .. }, Type::Id { prefix: b, .. }) => a == b,
        (Type::String { .. }, Type::Id { prefix, .. }) => prefix.is_empty(),
        (Type::Id { prefix, .. }, Type::String { .. }) => prefix.is_empty(),
        (a, b) => a.stored() == b.stored() || b.is_undeclared(),
    };
    if !same {
        let title = format!("`{}` is written otherwise than what it refers to", attribute.name);
        cx.push(
            cx.at(span, title)
                .label(own.describe())
                .also(target.type_place(), theirs.describe())
                .note("Without a type of its own a reference takes the type of its target.")
                .fix(Fix::new("take the type of the target", span, "").automatic()),
        );
    }
}

/// An id that makes up the partition keys of two tables, written differently.
fn spelt_twice(entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    let Some(here) = alone_in_key(cx.design, entity, &attribute.name) else {
        return;
    };
    for owner in cx.design.entities.iter().filter(|other| other.table != entity.table) {
        let own_id = key_attributes(cx.design, owner) == [attribute.name.text.as_str()];
        let there = alone_in_key(cx.design, owner, &attribute.name).filter(|_| own_id);
        if let Some(there) = there.filter(|there| there.text() != here.text()) {
            let title =
                format!("`{}` is `{}` here and `{}` there", attribute.name, here.text(), there.text());
            cx.push(
                cx.at(here.text_span, title)
                    .label("this spelling")
                    .also(there.text_span, "that spelling")
                    .note(format!(
                        "Refer to it, `{} -> {}`: the keys are then made from one value.",
                        attribute.name, owner.name
                    )),
            );
            return;
        }
    }
}

/// The template of an entity's partition key, if it holds an attribute and no other.
fn alone_in_key<'a>(design: &'a Design, entity: &'a Entity, name: &Name) -> Option<&'a Template> {
    let [partition] = design.table_of(entity)?.key.partition.as_slice() else {
        return None;
    };
    let template = entity.template(&partition.text)?;
    let slots: Vec<&Name> = template.slots().collect();
    (slots == [name]).then_some(template)
}
