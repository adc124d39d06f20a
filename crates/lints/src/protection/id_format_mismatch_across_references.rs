//! # id-format-mismatch-across-references
//!
//! ## What it notices
//!
//! A reference has another format than the id it points to.
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

fn inspect(_entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
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
