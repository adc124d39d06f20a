//! # migration-key-collision
//!
//! ## What it notices
//!
//! Several old items can land on one new key.
//!
//! ## Why it matters
//!
//! The new key leaves out the attribute that distinguished them. The last one written wins.
//!
//! ## Example
//!
//! ```sk
//! table Profiles "profiles-v2" { key (ownerId) }
//! entity Profile in Profiles {
//!   ownerId uuid
//! }
//! migrate "before.sk" { Profile from Profile { ownerId: owner } drop profileId }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Profiles "profiles-v2" { key (ownerId | profileId) }
//! entity Profile in Profiles {
//!   ownerId   uuid
//!   profileId uuid = new
//! }
//! migrate "before.sk" steps create, write_both, copy, verify, switch, remove { Profile from Profile { ownerId: owner } }
//! ```
//!
//! ## When to allow
//!
//! Use `merge` instead, which defines how they combine.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::key_attributes;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK9003",
    name: "migration-key-collision",
    theme: Theme::Migrations,
    level: Severity::Warning,
    source: include_str!("migration_key_collision.rs"),
    inspect: Inspect::Migration(inspect),
};

fn inspect(migration: &Migration, cx: &mut Context<'_>) {
    let Some(old) = &migration.old else { return };
    for mapping in migration.mappings.iter().filter(|mapping| mapping.merge.is_empty()) {
        let (Some(before), Some(after)) =
            (old.entity(&mapping.old.text), cx.design.entity(&mapping.new.text))
        else {
            continue;
        };
        let kept: Vec<&str> = key_attributes(cx.design, after)
            .into_iter()
            .filter_map(|key| taken_from(mapping, after, key))
            .collect();
        let lost: Vec<&str> = key_attributes(old, before)
            .into_iter()
            .filter(|key| !kept.contains(key) && !before.template(key).is_some_and(Template::is_constant))
            .collect();
        let constant = |key: &&str| before.attribute(key).is_none();
        let lost: Vec<&str> = lost.into_iter().filter(|key| !constant(key)).collect();
        let unique = before.uniques.iter().any(|unique| {
            unique.when.is_none() && unique.names.iter().all(|name| kept.contains(&name.text.as_str()))
        });
        if !lost.is_empty() && !unique {
            let title = format!("several old `{}` can land on one new key", mapping.old);
            cx.push(
                cx.at(mapping.new.span, title)
                    .label(format!("`{}` told them apart", lost.join("`, `")))
                    .note("Say how they combine with `merge`, or keep the attribute in the key."),
            );
        }
    }
}

/// The old attribute that an attribute of a new key is taken from unchanged.
fn taken_from<'a>(mapping: &'a Mapping, after: &'a Entity, key: &'a str) -> Option<&'a str> {
    if let Some(field) = mapping.fields.get(key) {
        return field.value.as_name();
    }
    let was = after.attribute(key).and_then(|attribute| attribute.annotation("was"));
    was.and_then(|was| was.args.first()).and_then(|(_, value)| value.as_name()).or(Some(key))
}
