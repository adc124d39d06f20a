//! # counter-without-atomic-operation
//!
//! ## What it notices
//!
//! A counter is moved by no operation with `+=`.
//!
//! ## Why it matters
//!
//! The only way left to change it is to read, add and write: two callers at once, one count lost.
//!
//! ## Example
//!
//! ```sk
//! table Sources { key (sourceId) }
//! entity Source in Sources {
//!   sourceId   uuid = new
//!   eventCount int(0..) = 0
//! }
//! operation createSource = create Source
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Sources { key (sourceId) }
//! entity Source in Sources {
//!   sourceId   uuid = new
//!   eventCount int(0..) = 0
//! }
//! operation createSource = create Source
//! operation counted(sourceId, n: int(1..)) { update Source(sourceId) { eventCount += n } }
//! ```
//!
//! ## When to allow
//!
//! When a stream or another system keeps the count.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::actions;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6006",
    name: "counter-without-atomic-operation",
    theme: Theme::Operations,
    level: Severity::Warning,
    source: include_str!("counter_without_atomic_operation.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    let counter = attribute.has("counter")
        || attribute.has("counts")
        || (attribute.name.text.ends_with("Count") && matches!(attribute.ty, Type::Int { .. }));
    if !counter || cx.design.operations.is_empty() || attribute.is_derived() {
        return;
    }
    let moved =
        cx.design.operations.iter().flat_map(actions).filter(|site| site.action.entity == entity.name).any(
            |site| {
                site.action.fields.fields.iter().any(|field| {
                    field.op != FieldOp::Set && field.path.first().is_some_and(|name| *name == attribute.name)
                })
            },
        );
    if !moved {
        let title = format!("no operation counts `{}`", attribute.name);
        cx.push(
            cx.at(attribute.name.span, title)
                .label("never moved by `+=`")
                .also(entity.name.span, "in this entity"),
        );
    }
}
