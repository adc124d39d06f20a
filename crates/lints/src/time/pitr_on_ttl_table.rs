//! # pitr-on-ttl-table
//!
//! ## What it notices
//!
//! A table can be restored to a time at which expired items were still there.
//!
//! ## Why it matters
//!
//! Data that was promised to be gone after a day can be brought back for 35 days.
//!
//! ## Example
//!
//! ```sk
//! table Events { key (eventId)  ttl expiresAt  recovery 35d }
//! entity Payload in Events {
//!   eventId   uuid = new
//!   createdAt time(s) = now
//!   expiresAt time(s) = createdAt + 1d
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Events { key (eventId)  ttl expiresAt  recovery 1d }
//! entity Payload in Events {
//!   eventId   uuid = new
//!   createdAt time(s) = now
//!   expiresAt time(s) = createdAt + 1d
//! }
//! ```
//!
//! ## When to allow
//!
//! When the promise to customers includes backups.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK5009",
    name: "pitr-on-ttl-table",
    theme: Theme::Time,
    level: Severity::Hint,
    source: include_str!("pitr_on_ttl_table.rs"),
    inspect: Inspect::Table(inspect),
};

fn inspect(table: &Table, cx: &mut Context<'_>) {
    let Some(ttl) = &table.ttl else { return };
    let Some(days) = table.recovery_days.filter(|days| *days > 0) else {
        return;
    };
    let short =
        cx.design.entities_in(table).filter_map(|entity| entity.attribute(&ttl.text)).any(|attribute| {
            let mut lifetime = None;
            if let Some(fill) = &attribute.value {
                fill.value.walk(&mut |expr| lifetime = lifetime.max(expr.as_duration_ms()));
            }
            lifetime.is_none_or(|lifetime| lifetime < days * 86_400_000)
        });
    if short {
        let title = format!("expired items of `{}` can be restored for {days} days", table.name);
        cx.push(
            cx.at(ttl.span, title)
                .label("gone, but not from the backups")
                .also(table.name.span, "recovery is on")
                .note("Shorten the recovery period, or tell the customers."),
        );
    }
}
