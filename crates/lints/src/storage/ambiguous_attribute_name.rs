//! # ambiguous-attribute-name
//!
//! ## What it notices
//!
//! An id inside an object has the name of an id of the item itself.
//!
//! ## Why it matters
//!
//! `metadata.accountId` beside `accountId`: a check on the wrong one lets the wrong tenant in.
//!
//! ## Example
//!
//! ```sk
//! table Connections { key (accountId | connectionId) }
//! entity Connection in Connections {
//!   accountId    uuid
//!   connectionId uuid = new
//!   metadata     { accountId string(..60) }
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Connections { key (accountId | connectionId) }
//! entity Connection in Connections {
//!   accountId    uuid
//!   connectionId uuid = new
//!   metadata     { platformAccountId string(..60) }
//! }
//! ```
//!
//! ## When to allow
//!
//! When both hold the same value.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4011",
    name: "ambiguous-attribute-name",
    theme: Theme::Storage,
    level: Severity::Hint,
    source: include_str!("ambiguous_attribute_name.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    let Type::Object { attributes } = &attribute.ty else {
        return;
    };
    for inner in attributes.iter().filter(|inner| inner.name.text.ends_with("Id")) {
        if let Some(outer) = entity.attribute(&inner.name.text) {
            let title = format!("`{}.{}` has the name of another id", attribute.name, inner.name);
            cx.push(
                cx.at(inner.name.span, title)
                    .label("which one is meant?")
                    .also(outer.name.span, "the item's own"),
            );
        }
    }
}
