//! # derived-attribute-unchecked
//!
//! ## What it notices
//!
//! An attribute can be computed from its neighbours, and nothing computes it: a percentage beside a total, a
//! level beside a path.
//!
//! ## Why it matters
//!
//! It is written separately and one day disagrees with what it was computed from.
//!
//! ## Example
//!
//! ```sk
//! table Jobs { key (jobId) }
//! entity Job in Jobs {
//!   jobId    uuid = new
//!   progress { total int(0..), processed int(0..), percentage int(0..100) }
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Jobs { key (jobId) }
//! entity Job in Jobs {
//!   jobId    uuid = new
//!   progress { total int(0..), processed int(0..), percentage int(0..100) := processed * 100 / max(total, 1) @virtual }
//! }
//! ```
//!
//! ## When to allow
//!
//! When the value comes from elsewhere and only looks computed.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4013",
    name: "derived-attribute-unchecked",
    theme: Theme::Storage,
    level: Severity::Hint,
    source: include_str!("derived_attribute_unchecked.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    look(&entity.attributes, attribute, cx);
    if let Type::Object { attributes } = &attribute.ty {
        attributes.iter().for_each(|inner| look(attributes, inner, cx));
    }
}

/// Usual names for the end of something.
const ENDS: [&str; 3] = ["completedAt", "endedAt", "finishedAt"];

fn look(neighbours: &[Attribute], attribute: &Attribute, cx: &mut Context<'_>) {
    let has = |test: &dyn Fn(&str) -> bool| neighbours.iter().any(|each| test(&each.name.text));
    let source = match attribute.name.text.as_str() {
        "percentage" | "percent" if has(&|name| name == "total") => "the total",
        "level" | "depth" if has(&|name| name.ends_with("Path") || name == "path") => "the path",
        "duration" if has(&|name| name == "startedAt") && has(&|name| ENDS.contains(&name)) => {
            "the times of its start and its end"
        }
        _ => return,
    };
    if attribute.value.is_none() {
        let title = format!("`{}` follows from {source}, but nothing computes it", attribute.name);
        cx.push(
            cx.at(attribute.name.span, title)
                .label("may disagree")
                .note("Derive it with `:=`, or fill it at creation with `=`."),
        );
    }
}
