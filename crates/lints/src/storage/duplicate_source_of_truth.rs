//! # duplicate-source-of-truth
//!
//! ## What it notices
//!
//! Several entities store the same secret, or a role is stored both on a person and on the membership.
//!
//! ## Why it matters
//!
//! One copy is changed and the others are not. A refreshed token fails in the place that still holds the old
//! one; a removed admin stays admin.
//!
//! ## Example
//!
//! ```sk
//! table Users   { key (userId) }
//! table Members { key (teamId | userId) }
//! entity User in Users {
//!   userId uuid = new
//!   role   admin | member
//! }
//! entity Member in Members {
//!   teamId uuid
//!   userId -> User
//!   role   admin | member
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Users   { key (userId) }
//! table Members { key (teamId | userId) }
//! entity User in Users { userId uuid = new }
//! entity Member in Members {
//!   teamId uuid
//!   userId -> User
//!   role   admin | member
//! }
//! ```
//!
//! ## When to allow
//!
//! When one is a copy by intent and an operation keeps it equal.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::is_secret;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4012",
    name: "duplicate-source-of-truth",
    theme: Theme::Storage,
    level: Severity::Warning,
    source: include_str!("duplicate_source_of_truth.rs"),
    inspect: Inspect::Design(inspect),
};

fn inspect(cx: &mut Context<'_>) {
    let design = cx.design;
    for (at, entity) in design.entities.iter().enumerate() {
        for attribute in entity.attributes.iter().filter(|attribute| attribute.is_stored()) {
            let name = attribute.name.text.as_str();
            let earlier = design.entities[..at].iter().find_map(|other| Some((other, stored(other, name)?)));
            let Some((other, first)) = earlier else { continue };
            let secret =
                is_secret(attribute) && matches!(attribute.ty, Type::Object { .. } | Type::Any { .. });
            let granted = matches!(name, "role" | "permissions") && refers(entity, other);
            if secret || granted {
                let title = format!("`{name}` is stored in `{}` and in `{}`", other.name, entity.name);
                cx.push(
                    cx.at(attribute.name.span, title)
                        .label("which of the two is right?")
                        .also(first.name.span, "also here")
                        .note("Keep it in one entity and refer to that."),
                );
            }
        }
    }
}

fn stored<'a>(entity: &'a Entity, name: &str) -> Option<&'a Attribute> {
    entity.attribute(name).filter(|attribute| attribute.is_stored())
}

fn refers(entity: &Entity, other: &Entity) -> bool {
    entity
        .attributes
        .iter()
        .any(|attribute| attribute.reference.as_ref().is_some_and(|reference| reference.entity == other.name))
}
