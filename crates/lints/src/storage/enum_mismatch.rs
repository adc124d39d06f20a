//! # enum-mismatch
//!
//! ## What it notices
//!
//! Attributes of one name have different lists of words in different entities.
//!
//! ## Why it matters
//!
//! Code written for one list meets values of the other: a role that is never checked, a plan without a price.
//!
//! ## Example
//!
//! ```sk
//! table Users   { key (userId) }
//! table Members { key (teamId | userId) }
//! entity User in Users {
//!   userId uuid = new
//!   role   admin | user | readonly
//! }
//! entity Member in Members {
//!   teamId uuid
//!   userId uuid
//!   role   owner | admin | member | readonly
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! enum Role { owner admin member readonly }
//! table Users   { key (userId) }
//! table Members { key (teamId | userId) }
//! entity User in Users {
//!   userId uuid = new
//! }
//! entity Member in Members {
//!   teamId uuid
//!   userId uuid
//!   role   Role
//! }
//! ```
//!
//! ## When to allow
//!
//! When the two really are different things; then give them different names.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4009",
    name: "enum-mismatch",
    theme: Theme::Storage,
    level: Severity::Warning,
    source: include_str!("enum_mismatch.rs"),
    inspect: Inspect::Design(inspect),
};

/// Names that mean something else in each entity.
const GENERIC: [&str; 8] = ["status", "state", "type", "kind", "action", "category", "method", "format"];

fn inspect(cx: &mut Context<'_>) {
    let design = cx.design;
    let enums: Vec<(&Entity, &Attribute, &Vec<String>)> = design
        .entities
        .iter()
        .flat_map(|entity| {
            entity.attributes.iter().filter_map(move |attribute| match design.type_of(attribute) {
                Type::Enum { members, .. } if !GENERIC.contains(&attribute.name.text.as_str()) => {
                    Some((entity, attribute, members))
                }
                _ => None,
            })
        })
        .collect();
    for (at, (entity, attribute, members)) in enums.iter().enumerate() {
        let earlier = enums[..at].iter().find(|(_, other, theirs)| {
            other.name == attribute.name
                && theirs != members
                && theirs.iter().any(|word| members.contains(word))
        });
        if let Some((other, first, _)) = earlier {
            let title =
                format!("`{}` has other words in `{}` than in `{}`", attribute.name, entity.name, other.name);
            cx.push(
                cx.at(attribute.type_place(), title)
                    .label("this list")
                    .also(first.type_place(), "that list")
                    .note("Declare one enum and use it in both."),
            );
        }
        if let Some((other, status)) = summarised(design, entity, attribute, members) {
            let title = format!("`{}` has other words than the `{}` it is about", attribute.name, other.name);
            cx.push(
                cx.at(attribute.type_place(), title)
                    .label("this list")
                    .also(status.type_place(), "that list")
                    .note("Declare one enum and use it in both, or say how one follows from the other."),
            );
        }
    }
}

/// `syncStatus` is the status of a `SyncRun`: what it is a copy of, if the words differ.
fn summarised<'a>(
    design: &'a Design,
    entity: &Entity,
    attribute: &Attribute,
    members: &[String],
) -> Option<(&'a Entity, &'a Attribute)> {
    let stem = attribute.name.text.strip_suffix("Status")?.to_lowercase();
    let of_stem = |other: &&Entity| {
        !stem.is_empty() && other.name != entity.name && other.name.text.to_lowercase().starts_with(&stem)
    };
    design.entities.iter().filter(of_stem).find_map(|other| {
        let status = other.attribute("status")?;
        match design.type_of(status) {
            Type::Enum { members: theirs, .. } if theirs != members => Some((other, status)),
            _ => None,
        }
    })
}
