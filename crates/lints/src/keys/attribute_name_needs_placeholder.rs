//! # attribute-name-needs-placeholder
//!
//! ## What it notices
//!
//! A stored attribute's name contains a character that expressions do not accept, such as `#`, `.` or `-`.
//!
//! ## Why it matters
//!
//! In an expression `#` begins a placeholder and `.` a path: every expression must name such an attribute
//! through ExpressionAttributeNames, and one that does not fails or means something else.
//!
//! ## Example
//!
//! ```sk
//! table Activities { key (accountId | `timestamp#eventId`) }
//! entity Activity in Activities {
//!   `timestamp#eventId` = "{timestamp}#{eventId}"
//!   accountId uuid
//!   eventId   uuid = new
//!   timestamp time(iso) = now
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Activities { key (accountId | sk) }
//! entity Activity in Activities {
//!   sk = "{timestamp}#{eventId}"
//!   accountId uuid
//!   eventId   uuid = new
//!   timestamp time(iso) = now
//! }
//! ```
//!
//! ## When to allow
//!
//! When the table exists already under these names. Generated code always uses placeholders.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK1008",
    name: "attribute-name-needs-placeholder",
    theme: Theme::Keys,
    level: Severity::Warning,
    source: include_str!("attribute_name_needs_placeholder.rs"),
    inspect: Inspect::Design(inspect),
};

fn inspect(cx: &mut Context<'_>) {
    let design = cx.design;
    for entity in &design.entities {
        let stored = entity.attributes.iter().filter(|each| each.is_stored()).map(|each| &each.name);
        entity.templates.iter().map(|template| &template.name).chain(stored).for_each(|name| look(name, cx));
    }
    // Key attributes that no entity declares occur in expressions as well.
    for table in &design.tables {
        let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
        let named = keys.flat_map(Key::attributes);
        let unfilled = |name: &&Name| !design.entities_in(table).any(|entity| entity.stores(&name.text));
        named.filter(unfilled).for_each(|name| look(name, cx));
    }
}

fn look(name: &Name, cx: &mut Context<'_>) {
    if name.text.chars().all(|c| c.is_alphanumeric() || c == '_') || name.text.is_empty() {
        return;
    }
    let title = format!("`{name}` cannot be written in an expression as it is");
    cx.push(cx.at(name.span, title).label("needs a placeholder in every expression"));
}
