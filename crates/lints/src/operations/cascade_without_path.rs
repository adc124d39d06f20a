//! # cascade-without-path
//!
//! ## What it notices
//!
//! Children are declared to go with their parent (`on delete cascade`), but no key or index finds them by it.
//!
//! ## Why it matters
//!
//! DynamoDB deletes one item at a time, by its key. The children of one parent must first be found: without a key
//! that begins with the reference, that means reading the whole table.
//!
//! ## Example
//!
//! ```sk
//! table Hooks         { key (hookId) }
//! table Subscriptions { key (event | hookId) }
//! entity Hook in Hooks {
//!   hookId uuid = new
//! }
//! entity Subscription in Subscriptions {
//!   event  slug(1..60)
//!   hookId -> Hook on delete cascade
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Hooks         { key (hookId) }
//! table Subscriptions { key (hookId | event) }
//! entity Hook in Hooks {
//!   hookId uuid = new
//! }
//! entity Subscription in Subscriptions {
//!   event  slug(1..60)
//!   hookId -> Hook on delete cascade
//! }
//! ```
//!
//! ## When to allow
//!
//! Never: there is no such request.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_design::program::{EntityId, Id};
use sortkey_diagnostics::Severity;
use sortkey_plan::sweeps;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6020",
    name: "cascade-without-path",
    theme: Theme::Operations,
    level: Severity::Error,
    source: include_str!("cascade_without_path.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(parent: &Entity, cx: &mut Context<'_>) {
    let Some(at) = cx.design.entities.iter().position(|each| std::ptr::eq(each, parent)) else { return };
    let found = sweeps(cx.program, EntityId::new(at));
    for sweep in found.into_iter().filter(|sweep| sweep.finding.is_none()) {
        let child = &cx.design.entities[sweep.child.at()];
        let attribute = &child.attributes[sweep.attribute.at()];
        let place = attribute.reference.as_ref().map_or(attribute.span, |reference| reference.span);
        let title = format!("no key finds the `{}` of one `{}`", child.name, parent.name);
        let mut diagnostic = cx.at(place, title).label("they cannot be deleted with it");
        if let Some(table) = cx.design.table_of(child) {
            diagnostic = diagnostic.also(table.key.span, "the key");
        }
        cx.push(diagnostic.note(format!("An index that begins with `{}` would find them.", attribute.name)));
    }
}
