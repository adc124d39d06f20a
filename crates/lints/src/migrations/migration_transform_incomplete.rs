//! # migration-transform-incomplete
//!
//! ## What it notices
//!
//! A mapping does not set a new required attribute, drops an old attribute silently, or leaves open how a
//! format changes.
//!
//! ## Why it matters
//!
//! Gaps in a mapping are filled by a script at night: items without a key, prefixes kept in half of the
//! references.
//!
//! ## Example
//!
//! ```sk
//! table Profiles "profiles-v2" { key (ownerId | profileId) }
//! entity Profile in Profiles {
//!   ownerId   uuid
//!   profileId uuid = new
//! }
//! migrate "before.sk" { Profile from Profile { } }
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
//! migrate "before.sk" steps create, write_both, copy, verify, switch, remove { Profile from Profile { ownerId: owner } drop owner }
//! ```
//!
//! ## When to allow
//!
//! Never: name it or drop it.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK9004",
    name: "migration-transform-incomplete",
    theme: Theme::Migrations,
    level: Severity::Error,
    source: include_str!("migration_transform_incomplete.rs"),
    inspect: Inspect::Migration(inspect),
};

fn inspect(migration: &Migration, cx: &mut Context<'_>) {
    let Some(old) = &migration.old else { return };
    for mapping in &migration.mappings {
        let (Some(before), Some(after)) =
            (old.entity(&mapping.old.text), cx.design.entity(&mapping.new.text))
        else {
            continue;
        };
        let mut open = Vec::new();
        for attribute in after.attributes.iter().filter(|each| each.is_stored()) {
            let was = attribute
                .annotation("was")
                .and_then(|was| was.args.first())
                .and_then(|(_, value)| value.as_name());
            let source = before.attribute(was.unwrap_or(&attribute.name.text));
            let named = mapping.fields.get(&attribute.name.text).is_some();
            match source {
                _ if named => {}
                None if !attribute.may_be_absent() && attribute.value.is_none() => {
                    open.push(format!("`{}` gets no value", attribute.name));
                }
                Some(source) if reformatted(old.type_of(source), cx.design.type_of(attribute)) => {
                    open.push(format!("`{}` changes its format", attribute.name));
                }
                _ => {}
            }
        }
        let used = |name: &str| mapping.fields.fields.iter().any(|field| field.value.mentions(name));
        for attribute in before.attributes.iter().filter(|each| each.is_stored()) {
            let kept = after.attribute(&attribute.name.text).is_some()
                || after.attributes.iter().any(|each| {
                    each.annotation("was").is_some_and(|was| {
                        was.args.iter().any(|(_, value)| value.is_name(&attribute.name.text))
                    })
                });
            if !kept && !used(&attribute.name.text) && !mapping.dropped.contains(&attribute.name) {
                open.push(format!("`{}` is left behind silently", attribute.name));
            }
        }
        if !open.is_empty() {
            let title = format!(
                "the mapping of `{}` leaves {} open",
                mapping.new,
                if open.len() == 1 { "something" } else { "some things" }
            );
            cx.push(
                cx.at(mapping.new.span, title)
                    .label(open.join("; "))
                    .note("Name the value, or `drop` the attribute."),
            );
        }
    }
}

/// A prefix that comes or goes is no conversion that follows from the types; other pairs convert or are the same.
fn reformatted(before: &Type, after: &Type) -> bool {
    match (before, after) {
        (Type::Id { prefix: a, .. }, Type::Id { prefix: b, .. }) => a != b,
        // Times convert from one form to another, and what has no type may be anything.
        (a, b) if a.is_temporal() && b.is_temporal() => false,
        (a, b) => a.stored() != b.stored() && a.stored() != Stored::Any && b.stored() != Stored::Any,
    }
}
