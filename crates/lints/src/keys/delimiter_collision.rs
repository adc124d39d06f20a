//! # delimiter-collision
//!
//! ## What it notices
//!
//! A template joins an attribute and something after it by a delimiter that the attribute's own text may contain: any text, the `-`,
//! `_` and `.` of a `slug`, almost everything in an `email`, what a regular expression admits. Texts of a fixed length are told
//! apart by it, and words of an enum by themselves.
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
//! When the application guarantees that the delimiter cannot occur; a type such as `slug` before a `#` is better, since it
//! is checked.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_design::texts::{Next, Texts};
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
        let delimiters = template.delimiters();
        let texts = |piece: &Piece| match piece {
            Piece::Slot { attribute, format } => {
                let attribute = entity.attribute(&attribute.text)?;
                Some(Texts::of_slot(cx.design.type_of(attribute).into(), format.as_ref(), &delimiters))
            }
            Piece::Literal(_) => None,
        };
        let all: Vec<Option<Texts>> = template.pieces.iter().map(texts).collect();
        for (at, (piece, texts)) in template.pieces.iter().zip(&all).enumerate() {
            let (Piece::Slot { attribute: name, format }, Some(texts)) = (piece, texts) else { continue };
            let next = match (template.pieces.get(at + 1), all.get(at + 1)) {
                (Some(Piece::Literal(text)), _) => Next::Literal(text),
                (Some(Piece::Slot { .. }), Some(Some(next))) => Next::Slot(next),
                _ => Next::End,
            };
            let is_last = !template.pieces[at + 1..].iter().any(|each| matches!(each, Piece::Slot { .. }));
            if is_last || texts.ends_before(next) {
                continue;
            }
            let Some(attribute) = entity.attribute(&name.text) else { continue };
            let said = match next {
                Next::Literal(literal) => format!("may contain the `{literal}` that follows it"),
                _ => "has no end that could be told from what follows it".to_owned(),
            };
            let ty = cx.design.type_of(attribute).describe();
            let problem = cx
                .at(name.span, format!("`{name}` {said}"))
                .label("two different values can give one key")
                .also(attribute.type_place(), format!("declared {ty}"));
            cx.push(match (next, format) {
                (Next::Literal(_), None) => {
                    problem.fix(Fix::new("escape it", name.span.after(), ":escape").automatic())
                }
                (Next::Literal(_), Some(_)) => {
                    problem.note("Write another delimiter, such as `#`, or escape the slot instead.")
                }
                _ => problem.note("Write a delimiter between the two, such as `#`."),
            });
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
