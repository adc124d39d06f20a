//! # reference-missing
//!
//! ## What it notices
//!
//! An entity describes another one without referring to it.
//!
//! ## Why it matters
//!
//! A source with a `connectionType` and no `connectionId` has a connection that nobody can find.
//!
//! ## Example
//!
//! ```sk
//! table Sources     { key (sourceId) }
//! table Connections { key (connectionId) }
//! entity Source in Sources {
//!   sourceId       uuid = new
//!   connectionType oauth | apikey
//! }
//! entity Connection in Connections { connectionId uuid = new }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Sources     { key (sourceId) }
//! table Connections { key (connectionId) }
//! entity Source in Sources {
//!   sourceId       uuid = new
//!   connectionId   -> Connection
//!   connectionType oauth | apikey
//! }
//! entity Connection in Connections { connectionId uuid = new }
//! ```
//!
//! ## When to allow
//!
//! When the two only share a word.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4015",
    name: "reference-missing",
    theme: Theme::Storage,
    level: Severity::Warning,
    source: include_str!("reference_missing.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    for other in cx.design.entities.iter().filter(|other| other.name != entity.name) {
        let stem = lower_first(&other.name.text);
        let described = entity.attribute(&format!("{stem}Type"));
        let own = lower_first(&entity.name.text);
        let linked = entity.attribute(&format!("{stem}Id")).is_some()
            || other.attribute(&format!("{own}Id")).is_some();
        if let Some(attribute) = described
            && !linked
        {
            let title = format!("`{}` does not say which `{}` it has", entity.name, other.name);
            cx.push(
                cx.at(attribute.name.span, title)
                    .label("its type, but not which one")
                    .also(other.name.span, "the other entity")
                    .note(format!("Add `{stem}Id -> {}`.", other.name)),
            );
        }
    }
}

fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}
