//! # ttl-base-mismatch
//!
//! ## What it notices
//!
//! An expiry counts from another moment than the item's own time, freezes a duration that belongs to
//! something else without saying so, or deletes evidence.
//!
//! ## Why it matters
//!
//! Two bases differ by the processing time; a plan that changes leaves old items at the old retention; a
//! used invitation disappears with its unused sisters.
//!
//! ## Example
//!
//! ```sk
//! table Events { key (sourceId | eventId)  ttl expiresAt }
//! entity Event in Events {
//!   sourceId   uuid
//!   eventId    ulid = new
//!   receivedAt time(ms) = now
//!   expiresAt  time(s) = now + 7d
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Events { key (sourceId | eventId)  ttl expiresAt }
//! entity Event in Events {
//!   sourceId   uuid
//!   eventId    ulid = new
//!   receivedAt time(ms) = now
//!   expiresAt  time(s) = receivedAt + 7d
//! }
//! ```
//!
//! ## When to allow
//!
//! When the difference does not matter.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK5007",
    name: "ttl-base-mismatch",
    theme: Theme::Time,
    level: Severity::Hint,
    source: include_str!("ttl_base_mismatch.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    let is_ttl = cx
        .design
        .table_of(entity)
        .and_then(|table| table.ttl.as_ref())
        .is_some_and(|ttl| *ttl == attribute.name);
    if !is_ttl {
        return;
    }
    let used = entity
        .attributes
        .iter()
        .find(|each| matches!(each.name.text.as_str(), "usedAt" | "redeemedAt" | "acceptedAt"));
    if let Some(used) = used
        && attribute.when.is_none()
    {
        let title = format!("a used `{}` is deleted like an unused one", entity.name);
        cx.push(
            cx.at(attribute.name.span, title)
                .label("no `when`")
                .also(used.name.span, "who used it is lost")
                .note("Let it expire only while it is unused: `when usedAt absent`."),
        );
        return;
    }
    let Some(fill) = &attribute.value else { return };
    let own = entity.attributes.iter().find(|each| {
        each.name != attribute.name
            && each.value.as_ref().is_some_and(|fill| !fill.derived && fill.value.is_name("now"))
            && matches!(each.name.text.as_str(), "receivedAt" | "timestamp" | "occurredAt")
    });
    if let Some(own) = own
        && fill.value.mentions("now")
    {
        let title = format!("`{}` does not count from `{}`", attribute.name, own.name);
        cx.push(
            cx.at(fill.value.span, title).label("another moment").also(own.name.span, "the item's own time"),
        );
    }
    let mut frozen = false;
    fill.value.walk(&mut |expr| frozen |= matches!(expr.kind, ExprKind::Arrow { .. }));
    if frozen && !fill.derived && !attribute.has("immutable") {
        let title = format!("`{}` keeps the duration of the moment of writing", attribute.name);
        cx.push(
            cx.at(attribute.name.span, title)
                .label("what if it changes?")
                .note("`@immutable` says that it stays; an operation that stamps anew says that it follows."),
        );
    }
}
