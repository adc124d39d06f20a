//! # mapping-not-a-function
//!
//! ## What it notices
//!
//! A mapping makes a value by chance: with `new` or `random`.
//!
//! ## Why it matters
//!
//! The copy may carry an item over more than once, and every write of the old item maps it again. A value that is another one each
//! time makes two items of one, or changes an id that was given out.
//!
//! ## Example
//!
//! ```sk
//! table Profiles "profiles-v2" { key (owner | profileId) }
//! entity Profile in Profiles { owner uuid  profileId uuid = new  tag uuid = new }
//! pattern profile = get Profile by owner, profileId
//! migrate "before.sk" { Profile from Profile { tag: new } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Profiles "profiles-v2" { key (owner | profileId) }
//! entity Profile in Profiles { owner uuid  profileId uuid = new  tag uuid = new }
//! pattern profile = get Profile by owner, profileId
//! migrate "before.sk" { Profile from Profile { tag: profileId } }
//! ```
//!
//! ## When to allow
//!
//! Never: take the value from the old item. `now` is the time of the plan, and may be used.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK9009",
    name: "mapping-not-a-function",
    theme: Theme::Migrations,
    level: Severity::Error,
    source: include_str!("mapping_not_a_function.rs"),
    inspect: Inspect::Migration(inspect),
};

fn inspect(migration: &Migration, cx: &mut Context<'_>) {
    for mapping in &migration.mappings {
        for field in &mapping.fields.fields {
            let mut chance = None;
            field.value.walk(&mut |each| {
                if let Some(word @ ("new" | "random")) = each.as_name() {
                    chance = Some((word.to_owned(), each.span));
                }
            });
            let Some((word, span)) = chance else { continue };
            let name = field.path.first().map(ToString::to_string).unwrap_or_default();
            let title = format!("`{name}` would be another value in every run of the mapping");
            cx.push(cx.at(span, title).label(format!("`{word}` is made by chance")).note(
                "Take the value from the old item: a mapping gives the same whenever it is evaluated.",
            ));
        }
    }
}
