//! # migration-one-way
//!
//! ## What it notices
//!
//! An operation changes an attribute of a migrated entity that the old design has no place for.
//!
//! ## Why it matters
//!
//! Until `finish`, the old design can take over again. Once a value was changed that it cannot show, `sortkey migrate back` refuses,
//! and names the items.
//!
//! ## Example
//!
//! ```sk
//! table Profiles "profiles-v2" { key (owner | profileId) }
//! entity Profile in Profiles { owner uuid  profileId uuid = new  stars int(0..5) }
//! pattern profile = get Profile by owner, profileId
//! operation rate = update Profile [stars]
//! migrate "before.sk" { Profile from Profile { stars: 3 } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Profiles "profiles-v2" { key (owner | profileId) }
//! entity Profile in Profiles { owner uuid  profileId uuid = new  stars int(0..5) @immutable }
//! pattern profile = get Profile by owner, profileId
//! migrate "before.sk" { Profile from Profile { stars: 3 } }
//! ```
//!
//! ## When to allow
//!
//! When the new design is meant to have more than the old one: then check it before the switch, there is no way back afterwards.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::{actions, settable};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK9011",
    name: "migration-one-way",
    theme: Theme::Migrations,
    level: Severity::Hint,
    source: include_str!("migration_one_way.rs"),
    inspect: Inspect::Migration(inspect),
};

fn inspect(migration: &Migration, cx: &mut Context<'_>) {
    let Some(old) = migration.old.as_deref() else { return };
    for mapping in &migration.mappings {
        let (Some(before), Some(after)) =
            (old.entity(&mapping.old.text), cx.design.entity(&mapping.new.text))
        else {
            continue;
        };
        let changed: Vec<&str> = changed(cx.design, after);
        let has_no_way_back = |name: &&str| match mapping.fields.get(name) {
            Some(field) => field.value.as_name().and_then(|own| before.attribute(own)).is_none(),
            None => {
                before.attribute(name).is_none() && after.attribute(name).is_some_and(|own| !own.has("was"))
            }
        };
        let one_way: Vec<&str> = changed.into_iter().filter(has_no_way_back).collect();
        if !one_way.is_empty() {
            let title = format!("there is no way back once `{}` is changed", one_way.join("`, `"));
            cx.push(
                cx.at(mapping.new.span, title)
                    .label(format!("the old `{}` has no place for it", mapping.old))
                    .note("`sortkey migrate back` refuses while such values exist."),
            );
        }
    }
}

/// The attributes that an update of the entity may change.
fn changed<'a>(design: &'a Design, entity: &Entity) -> Vec<&'a str> {
    let mut names = Vec::new();
    for operation in &design.operations {
        for site in actions(operation) {
            // An `upsert` gives what makes the item, most of all.
            if site.action.verb == WriteVerb::Update && site.action.entity.text == entity.name.text {
                names.extend(settable(design, operation, site.action));
            }
        }
    }
    names.retain(|name| entity.attribute(name).is_some_and(|each| !each.has("immutable")));
    names.sort_unstable();
    names.dedup();
    names
}
