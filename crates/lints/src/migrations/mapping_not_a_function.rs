//! # mapping-not-a-function
//!
//! ## What it notices
//!
//! A mapping makes a value by chance, with `new` or `random`, or leaves an attribute that the old items do not have to a default which
//! does.
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
use sortkey_diagnostics::{Severity, Span};

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
            let Some((word, span)) = chance(&field.value) else { continue };
            let name = field.path.first().map(ToString::to_string).unwrap_or_default();
            report(cx, &name, word, span, None);
        }
        let new = cx.design.entity(&mapping.new.text);
        let old = migration.old.as_ref().and_then(|old| old.entity(&mapping.old.text));
        let (Some(new), Some(old)) = (new, old) else { continue };
        for attribute in &new.attributes {
            let name = attribute.name.text.as_str();
            // An attribute of the same name is copied, and one that is not stored is not mapped.
            let is_given =
                mapping.fields.get(name).is_some() || old.attribute(name).is_some_and(Attribute::is_stored);
            let fill = attribute.value.as_ref().filter(|_| !is_given && attribute.is_stored());
            let Some((word, span)) = fill.and_then(|fill| chance(&fill.value)) else { continue };
            report(cx, name, word, mapping.new.span, Some(span));
        }
    }
}

/// The random part of an expression.
fn chance(value: &Expr) -> Option<(&'static str, Span)> {
    let mut found = None;
    value.walk(&mut |each| match each.as_name() {
        Some("new") => found = Some(("new", each.span)),
        Some("random") => found = Some(("random", each.span)),
        _ => {}
    });
    found
}

fn report(cx: &mut Context<'_>, name: &str, word: &str, span: Span, default: Option<Span>) {
    let title = format!("`{name}` would be another value in every run of the mapping");
    let problem = cx.at(span, title).label(format!("`{word}` is made by chance"));
    let problem = match default {
        Some(default) => problem.also(default, "its default, since the old item has none"),
        None => problem,
    };
    cx.push(
        problem.note("Take the value from the old item: a mapping gives the same whenever it is evaluated."),
    );
}
