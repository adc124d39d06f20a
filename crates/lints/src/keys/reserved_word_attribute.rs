//! # reserved-word-attribute
//!
//! ## What it notices
//!
//! Attributes are named like reserved words of DynamoDB's expressions: `name`, `status`, `type`, `data` and
//! some 570 others.
//!
//! ## Why it matters
//!
//! An expression that names such an attribute directly is refused: "Attribute name is a reserved keyword".
//! It must be aliased. Reported once per design, with the words.
//!
//! ## Example
//!
//! ```sk
//! table Jobs { key (jobId) }
//! entity Job in Jobs {
//!   jobId  uuid = new
//!   status string(..20)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Jobs { key (jobId) }
//! entity Job in Jobs {
//!   jobId    uuid = new
//!   jobState string(..20)
//! }
//! ```
//!
//! ## When to allow
//!
//! When every expression is generated: generated code always aliases.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;
use sortkey_expression::is_reserved;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK1009",
    name: "reserved-word-attribute",
    theme: Theme::Keys,
    level: Severity::Hint,
    source: include_str!("reserved_word_attribute.rs"),
    inspect: Inspect::Design(inspect),
};

fn inspect(cx: &mut Context<'_>) {
    let attributes =
        cx.design.entities.iter().flat_map(|entity| &entity.attributes).filter(|each| each.is_stored());
    let reserved: Vec<&Name> =
        attributes.map(|each| &each.name).filter(|name| is_reserved(&name.text)).collect();
    let Some(first) = reserved.first() else { return };
    let mut words: Vec<&str> = reserved.iter().map(|name| name.text.as_str()).collect();
    words.sort_unstable();
    words.dedup();
    let title = match words.as_slice() {
        [word] => format!("the attribute name `{word}` is a reserved word"),
        words => format!("{} attribute names are reserved words", words.len()),
    };
    let list = words.join(", ");
    cx.push(
        cx.at(first.span, title)
            .label("must be aliased in every expression")
            .note(format!("The words: {list}.")),
    );
}
