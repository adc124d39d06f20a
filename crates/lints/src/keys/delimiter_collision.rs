//! # delimiter-collision
//!
//! ## What it notices
//!
//! A template joins a free text and something after it by a delimiter that the text may contain.
//!
//! ## Why it matters
//!
//! `("a#b", "c")` and `("a", "b#c")` become one key, and the second item replaces the first; a prefix query
//! for `a#` also returns what belongs to `a#b`.
//!
//! ## Example
//!
//! ```sk
//! table Tags { key (owner | label) }
//! entity Tag in Tags {
//!   label = "{tagKey}#{tagValue}"
//!   owner    uuid
//!   tagKey   string(1..60)
//!   tagValue string(1..200)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Tags { key (owner | label) }
//! entity Tag in Tags {
//!   label = "{tagKey:escape}#{tagValue}"
//!   owner    uuid
//!   tagKey   string(1..60)
//!   tagValue string(1..200)
//! }
//! ```
//!
//! ## When to allow
//!
//! When the application guarantees that the delimiter cannot occur; a type such as `slug` is better, since it
//! is checked.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Fix;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK1004",
    name: "delimiter-collision",
    theme: Theme::Keys,
    level: Severity::Error,
    source: include_str!("delimiter_collision.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    for template in &entity.templates {
        let last = template.slots().last();
        for piece in &template.pieces {
            let Piece::Slot { attribute: name, format } = piece else {
                continue;
            };
            if last == Some(name) || format.is_some() {
                continue;
            }
            let Some(attribute) = entity.attribute(&name.text) else {
                continue;
            };
            if !cx.design.type_of(attribute).is_free_text() {
                continue;
            }
            let title = format!("`{name}` may contain the delimiter of this template");
            cx.push(
                cx.at(name.span, title)
                    .label("two different values can give one key")
                    .also(attribute.type_place(), "any text is allowed here")
                    .fix(Fix::new("escape it", name.span.after(), ":escape").automatic()),
            );
        }
    }
    hand_joined(entity, cx);
}

/// A key attribute named `tagKey#tagValue` whose parts are free text was joined by hand, with the same danger.
fn hand_joined(entity: &Entity, cx: &mut Context<'_>) {
    for attribute in entity.attributes.iter().filter(|attribute| attribute.name.text.contains('#')) {
        let parts: Vec<&str> = attribute.name.text.split('#').collect();
        let free = parts[..parts.len() - 1].iter().find(|part| {
            entity.attribute(part).is_some_and(|each| {
                matches!(each.ty, Type::String { format: StringFormat::Plain, .. })
                    && each.reference.is_none()
                    && !part.to_lowercase().contains("timestamp")
            })
        });
        if let Some(part) = free {
            let title = format!("`{part}` may contain the `#` that joins it to the rest");
            cx.push(cx.at(attribute.name.span, title).label("two different values can give one key").note(
                "Declare the attribute as a template and escape the slot: \"{tagKey:escape}#{tagValue}\".",
            ));
        }
    }
}
