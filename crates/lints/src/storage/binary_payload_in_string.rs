//! # binary-payload-in-string
//!
//! ## What it notices
//!
//! A raw payload is stored as a string.
//!
//! ## Why it matters
//!
//! A DynamoDB string must be valid UTF-8. Bytes that are not are refused or damaged, and a signature over
//! the original no longer fits.
//!
//! ## Example
//!
//! ```sk
//! table Events { key (eventId) }
//! entity Hook in Events {
//!   eventId uuid = new
//!   body    string(..256 KB)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Events { key (eventId) }
//! entity Hook in Events {
//!   eventId uuid = new
//!   body    bytes(..256 KB)
//! }
//! ```
//!
//! ## When to allow
//!
//! When the content is text by contract.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Fix;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4005",
    name: "binary-payload-in-string",
    theme: Theme::Storage,
    level: Severity::Warning,
    source: include_str!("binary_payload_in_string.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(_entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    let Type::String { format: StringFormat::Plain, max, .. } = &attribute.ty else {
        return;
    };
    let raw = ["body", "rawbody", "payload", "file", "image", "blob", "attachment", "binary"]
        .contains(&attribute.name.text.to_lowercase().as_str());
    if raw && attribute.is_stored() && max.is_none_or(|max| max > 16 * 1024) {
        let title = format!("`{}` may hold bytes that are not text", attribute.name);
        let mut diagnostic = cx.at(attribute.type_place(), title).label("must be valid UTF-8");
        if let (Some(span), Some(max)) = (attribute.ty_span, max) {
            diagnostic = diagnostic.fix(Fix::new("store bytes", span, format!("bytes(..{} KB)", max / 1024)));
        }
        cx.push(diagnostic);
    }
}
