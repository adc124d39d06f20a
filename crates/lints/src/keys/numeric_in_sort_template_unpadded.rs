//! # numeric-in-sort-template-unpadded
//!
//! ## What it notices
//!
//! A number without a fixed width is part of a template that is a sort key, or of a sort key that is named after its
//! parts (`isRead#createdAt`).
//!
//! ## Why it matters
//!
//! Strings are compared character by character: "10" sorts before "9". Order and ranges are right only while
//! all numbers have as many digits.
//!
//! ## Example
//!
//! ```sk
//! table Events { key (PK | SK) }
//! entity Attempt in Events {
//!   PK = "EVT#{eventId}"  SK = "ATT#{attemptNumber}"
//!   eventId       uuid
//!   attemptNumber int(1..)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Events { key (PK | SK) }
//! entity Attempt in Events {
//!   PK = "EVT#{eventId}"  SK = "ATT#{attemptNumber:pad(4)}"
//!   eventId       uuid
//!   attemptNumber int(1..)
//! }
//! ```
//!
//! ## When to allow
//!
//! When nobody reads the items in order or by range.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Fix;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK1005",
    name: "numeric-in-sort-template-unpadded",
    theme: Theme::Keys,
    level: Severity::Hint,
    source: include_str!("numeric_in_sort_template_unpadded.rs"),
    inspect: Inspect::Table(inspect),
};

fn inspect(table: &Table, cx: &mut Context<'_>) {
    let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    let sort: Vec<&Name> = keys.flat_map(|key| &key.sort).collect();
    for entity in cx.design.entities_in(table) {
        sort.iter().for_each(|name| joined(entity, name, cx));
        for template in entity.templates.iter().filter(|template| sort.contains(&&template.name)) {
            for piece in &template.pieces {
                let Piece::Slot { attribute: name, format: None } = piece else {
                    continue;
                };
                let Some(attribute) = entity.attribute(&name.text) else {
                    continue;
                };
                if cx.design.type_of(attribute).text_keeps_order() {
                    continue;
                }
                let title = format!("`{name}` has no fixed width, so the keys do not sort as the numbers do");
                cx.push(
                    cx.at(name.span, title)
                        .label("\"10\" sorts before \"9\"")
                        .also(attribute.type_place(), "a number of any length")
                        .fix(Fix::new("pad it", name.span.after(), ":pad(10)")),
                );
            }
        }
    }
}

/// A sort key that somebody joins by hand from attributes, one of which is a number.
fn joined(entity: &Entity, name: &Name, cx: &mut Context<'_>) {
    let parts: Vec<&Attribute> = name.text.split('#').filter_map(|part| entity.attribute(part)).collect();
    if parts.len() < 2 || entity.template(&name.text).is_some() {
        return;
    }
    for part in parts.into_iter().filter(|part| !cx.design.type_of(part).text_keeps_order()) {
        let title = format!("`{}` has no fixed width, so the keys do not sort as the numbers do", part.name);
        cx.push(
            cx.at(name.span, title)
                .label("\"10\" sorts before \"9\"")
                .also(part.type_place(), "a number of any length")
                .note("Make it a template with a fixed width: `{n:pad(10)}`."),
        );
    }
}
