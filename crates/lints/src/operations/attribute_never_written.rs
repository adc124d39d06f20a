//! # attribute-never-written
//!
//! ## What it notices
//!
//! A time that is only known at a later step is set by no operation and no state.
//!
//! ## Why it matters
//!
//! It stays absent for ever; whoever shows or compares it waits in vain.
//!
//! ## Example
//!
//! ```sk
//! table Events { key (eventId) }
//! entity Event in Events {
//!   eventId      uuid = new
//!   phase        received | done = received
//!   processedAt? time(iso)
//! }
//! operation receive = create Event
//! operation finish(eventId) { update Event(eventId) { phase: done } }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Events { key (eventId) }
//! entity Event in Events {
//!   eventId      uuid = new
//!   phase        received | done = received
//!   processedAt? time(iso)
//! }
//! operation receive = create Event
//! operation finish(eventId) { update Event(eventId) { phase: done, processedAt: now } }
//! ```
//!
//! ## When to allow
//!
//! When another system sets it.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::{actions, settable};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6010",
    name: "attribute-never-written",
    theme: Theme::Operations,
    level: Severity::Warning,
    source: include_str!("attribute_never_written.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    const GIVEN: [&str; 5] = ["expires", "next", "scheduled", "start", "end"];
    let name = attribute.name.text.as_str();
    let given = GIVEN.iter().any(|word| name.to_lowercase().starts_with(word));
    if !attribute.optional
        || !name.ends_with("At")
        || given
        || attribute.value.is_some()
        || cx.design.operations.is_empty()
    {
        return;
    }
    let entered =
        entity.states.iter().flat_map(|states| &states.enters).any(|enter| enter.fields.get(name).is_some());
    let written = cx.design.operations.iter().any(|operation| {
        actions(operation).iter().any(|site| {
            let later = !matches!(site.action.verb, WriteVerb::Create | WriteVerb::Put);
            later
                && site.action.entity == entity.name
                && settable(cx.design, operation, site.action).contains(&name)
        })
    });
    if !entered && !written {
        let title = format!("nothing ever sets `{name}`");
        cx.push(
            cx.at(attribute.name.span, title)
                .label("stays absent")
                .also(entity.name.span, "in this entity")
                .note("Set it in the operation that reaches that point, or in `states` with `enter`."),
        );
    }
}
