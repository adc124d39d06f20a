//! # enum-open
//!
//! ## What it notices
//!
//! An enum ends with `...`: other words are accepted too.
//!
//! ## Why it matters
//!
//! Words that are not listed cannot be checked, and every reader must handle unknown ones.
//!
//! ## Example
//!
//! ```sk
//! table Sources { key (sourceId) }
//! entity Source in Sources {
//!   sourceId uuid = new
//!   platform keap | stripe | ...
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Sources { key (sourceId) }
//! entity Source in Sources {
//!   sourceId uuid = new
//!   platform keap | stripe | gohighlevel
//! }
//! ```
//!
//! ## When to allow
//!
//! When new words come faster than releases.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4008",
    name: "enum-open",
    theme: Theme::Storage,
    level: Severity::Hint,
    source: include_str!("enum_open.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    let Type::Enum { open: true, name, .. } = &attribute.ty else {
        return;
    };
    let title = format!("`{}` accepts words that are not listed", attribute.name);
    let mut diagnostic = cx
        .at(attribute.type_place(), title)
        .label("ends with `...`")
        .also(entity.name.span, "in this entity");
    if let Some(open) =
        name.as_ref().and_then(|name| cx.design.enumeration(name)).and_then(|each| each.open_span)
    {
        diagnostic = diagnostic.also(open, "left open here");
    }
    cx.push(diagnostic);
}
