//! # required-contradicts-state
//!
//! ## What it notices
//!
//! An attribute that only a later state can fill is required from the beginning.
//!
//! ## Why it matters
//!
//! `completedAt` of a job that has just been created does not exist. The first write fails, or a false value
//! is stored.
//!
//! ## Example
//!
//! ```sk
//! table Jobs { key (jobId) }
//! entity Job in Jobs {
//!   jobId       uuid = new
//!   completedAt time(iso)
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Jobs { key (jobId) }
//! entity Job in Jobs {
//!   jobId        uuid = new
//!   completedAt? time(iso)
//! }
//! ```
//!
//! ## When to allow
//!
//! When items are written only once, at the end.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Fix;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK4017",
    name: "required-contradicts-state",
    theme: Theme::Storage,
    level: Severity::Warning,
    source: include_str!("required_contradicts_state.rs"),
    inspect: Inspect::Attribute(inspect),
};

fn inspect(_entity: &Entity, attribute: &Attribute, cx: &mut Context<'_>) {
    const LATER: [&str; 14] = [
        "completedAt",
        "finishedAt",
        "startedAt",
        "processedAt",
        "deliveredAt",
        "deletedAt",
        "revokedAt",
        "usedAt",
        "readAt",
        "sentAt",
        "cancelledAt",
        "acceptedAt",
        "failedAt",
        "lastUsedAt",
    ];
    let late = LATER.contains(&attribute.name.text.as_str());
    if late && !attribute.may_be_absent() && attribute.value.is_none() {
        let title = format!("`{}` is required before it can exist", attribute.name);
        cx.push(
            cx.at(attribute.name.span, title)
                .label("known only later")
                .fix(Fix::new("make it optional", attribute.name.span.after(), "?").automatic()),
        );
    }
}
