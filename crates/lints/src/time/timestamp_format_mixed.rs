//! # timestamp-format-mixed
//!
//! ## What it notices
//!
//! Times are stored as plain strings in one place and as plain numbers in another.
//!
//! ## Why it matters
//!
//! ISO text, seconds and milliseconds look alike in code. One comparison without conversion, or a TTL in
//! milliseconds, goes unnoticed for months.
//!
//! ## Example
//!
//! ```sk
//! table Users { key (userId) }
//! entity User in Users {
//!   userId    uuid = new
//!   createdAt string(24)
//!   updatedAt int
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Users { key (userId) }
//! entity User in Users {
//!   userId    uuid = new
//!   createdAt time(iso)
//!   updatedAt time(iso)
//! }
//! ```
//!
//! ## When to allow
//!
//! When each form is documented where it is used; a type with a unit is that documentation.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::is_time_name;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK5011",
    name: "timestamp-format-mixed",
    theme: Theme::Time,
    level: Severity::Hint,
    source: include_str!("timestamp_format_mixed.rs"),
    inspect: Inspect::Design(inspect),
};

fn inspect(cx: &mut Context<'_>) {
    let attributes = cx.design.entities.iter().flat_map(|entity| &entity.attributes);
    let plain: Vec<&Attribute> = attributes
        .filter(|each| {
            is_time_name(&each.name.text)
                && !each.name.text.contains('#')
                && !each.name.text.ends_with("Date")
        })
        .collect();
    let text = plain.iter().find(|each| matches!(each.ty, Type::String { .. }));
    let number = plain.iter().find(|each| matches!(each.ty, Type::Int { .. }));
    if let (Some(text), Some(number)) = (text, number) {
        let title = "times are text in one place and numbers in another";
        cx.push(
            cx.at(number.type_place(), title)
                .label("a number: seconds or milliseconds?")
                .also(text.type_place(), "text here")
                .note("Give each a unit: time(iso), time(ms), time(s)."),
        );
    }
}
