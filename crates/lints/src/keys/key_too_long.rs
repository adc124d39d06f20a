//! # key-too-long
//!
//! ## What it notices
//!
//! The type of what a key is made of allows longer texts than DynamoDB allows a key: 2,048 bytes for a partition key, 1,024
//! for a sort key.
//!
//! ## Why it matters
//!
//! A value that the type allows is refused when it is written (`TooLarge`), and nobody has seen it coming. A letter may have
//! up to four bytes; the rule counts one.
//!
//! ## Example
//!
//! ```sk
//! table Pages { key (site | SK) }
//! entity Page in Pages {
//!   SK   = "PAGE#{path}"
//!   site slug(1..40)
//!   path string(1..5_000)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Pages { key (site | SK) }
//! entity Page in Pages {
//!   SK   = "PAGE#{path}"
//!   site slug(1..40)
//!   path string(1..200)
//! }
//! ```
//!
//! ## When to allow
//!
//! When longer texts are refused on purpose where they are written. Otherwise shorten the type, or put a hash of the text
//! into the key: `pathHash string(64) := sha256(path)`.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::{Source, source};
use sortkey_design::model::*;
use sortkey_diagnostics::{Severity, Span};

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK1014",
    name: "key-too-long",
    theme: Theme::Keys,
    level: Severity::Warning,
    source: include_str!("key_too_long.rs"),
    inspect: Inspect::Table(inspect),
};

const PARTITION_BYTES: u64 = 2_048;
const SORT_BYTES: u64 = 1_024;

fn inspect(table: &Table, cx: &mut Context<'_>) {
    let design = cx.design;
    let keys = || std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    let parts = keys()
        .flat_map(|key| &key.sort)
        .map(|name| (name, SORT_BYTES, "sort"))
        .chain(keys().flat_map(|key| &key.partition).map(|name| (name, PARTITION_BYTES, "partition")));
    let mut seen: Vec<&str> = Vec::new();
    for (name, most, kind) in parts {
        if seen.contains(&name.text.as_str()) {
            continue;
        }
        seen.push(&name.text);
        for entity in design.entities_in(table) {
            let Some((length, place)) =
                longest(design, entity, &name.text).filter(|(length, _)| *length > most)
            else {
                continue;
            };
            let title =
                format!("the key attribute `{name}` of a `{}` may have {length} characters", entity.name);
            let label = format!("a {kind} key has at most {most} bytes");
            cx.push(cx.at(place, title).label(label).also(name.span, "part of this key").note(
                "Shorten the type, or put a hash of it into the key (`sha256(x)`), and keep the text beside it.",
            ));
        }
    }
}

/// The length of the longest text of a key attribute as far as types bound it, and the place of its longest part.
fn longest(design: &Design, entity: &Entity, stored: &str) -> Option<(u64, Span)> {
    let bound = |attribute: &Attribute| match design.type_of(attribute) {
        Type::String { max, .. } => max.unwrap_or_default(),
        _ => 0,
    };
    match source(entity, stored)? {
        Source::Natural(attribute) => Some((bound(attribute), attribute.type_place())),
        Source::Template(template) => {
            let (mut length, mut widest) = (0, (0, template.text_span));
            for piece in &template.pieces {
                match piece {
                    Piece::Literal(text) => length += text.len() as u64,
                    Piece::Slot { attribute, .. } => {
                        let Some(attribute) = entity.attribute(&attribute.text) else { continue };
                        let part = bound(attribute);
                        length += part;
                        widest = widest.max((part, attribute.type_place()));
                    }
                }
            }
            Some((length, widest.1))
        }
    }
}
