//! # fan-out-status
//!
//! ## What it notices
//!
//! An item has one status, while its outcome is decided once per child.
//!
//! ## Why it matters
//!
//! Delivered to A and failed to B: the one status shows only the last outcome.
//!
//! ## Example
//!
//! ```sk
//! table Events { key (eventId) }
//! table Attempts { key (eventId | attemptId) }
//! table Targets { key (targetId) }
//! entity Event in Events {
//!   eventId uuid = new
//!   status  received | delivered | failed = received
//! }
//! entity Target in Targets { targetId uuid = new }
//! entity Attempt in Attempts {
//!   eventId   -> Event
//!   attemptId ulid = new
//!   targetId  -> Target
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Events { key (eventId) }
//! table Deliveries { key (eventId | targetId) }
//! table Targets { key (targetId) }
//! entity Event in Events { eventId uuid = new }
//! entity Target in Targets { targetId uuid = new }
//! entity Delivery in Deliveries {
//!   eventId  -> Event
//!   targetId -> Target
//!   status   pending | delivered | failed = pending
//! }
//! ```
//!
//! ## When to allow
//!
//! When there is only ever one child.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK6011",
    name: "fan-out-status",
    theme: Theme::Operations,
    level: Severity::Warning,
    source: include_str!("fan_out_status.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    const OUTCOMES: [&str; 6] = ["delivered", "failed", "retrying", "sent", "succeeded", "rejected"];
    let Some(status) = entity.attribute("status") else {
        return;
    };
    let Type::Enum { members, .. } = cx.design.type_of(status) else {
        return;
    };
    if members.iter().filter(|member| OUTCOMES.contains(&member.as_str())).count() < 2 {
        return;
    }
    let refers = |other: &&Entity| {
        other
            .attributes
            .iter()
            .any(|each| each.reference.as_ref().is_some_and(|reference| reference.entity == entity.name))
    };
    let children: Vec<&Entity> =
        cx.design.entities.iter().filter(|other| other.name != entity.name).filter(refers).collect();
    let told_apart = children.iter().any(|child| child.attribute("status").is_some());
    let target = children.iter().find_map(|child| {
        let other = child.attributes.iter().find(|each| {
            each.name.text.ends_with("Id")
                && each.reference.as_ref().is_none_or(|reference| reference.entity != entity.name)
                && each.value.is_none()
                && each.name.text != "userId"
        });
        Some((*child, other?))
    });
    if let (false, Some((child, other))) = (told_apart, target) {
        let title = format!("one status for outcomes that differ per `{}`", other.name);
        cx.push(
            cx.at(status.name.span, title)
                .label("of all together")
                .also(child.name.span, "decided once per child")
                .note("Keep the status in an item per child."),
        );
    }
}
