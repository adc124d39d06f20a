//! # unbounded-table-growth
//!
//! ## What it notices
//!
//! A log, history or feed has neither a TTL nor an end.
//!
//! ## Why it matters
//!
//! It grows for ever, and so does the bill for storage, backups and every scan.
//!
//! ## Example
//!
//! ```sk
//! table Jobs { key (accountId | jobId) }
//! entity Job in Jobs {
//!   accountId uuid
//!   jobId     ulid = new
//! }
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Jobs { key (accountId | jobId)  ttl expiresAt }
//! entity Job in Jobs {
//!   accountId uuid
//!   jobId     ulid = new
//!   expiresAt time(s) = now + 400d
//! }
//! ```
//!
//! ## When to allow
//!
//! When the history must be kept for ever.

use crate::context::{Context, Inspect, Lint, Theme};
use crate::vocabulary::is_log;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK5008",
    name: "unbounded-table-growth",
    theme: Theme::Time,
    level: Severity::Warning,
    source: include_str!("unbounded_table_growth.rs"),
    inspect: Inspect::Entity(inspect),
};

fn inspect(entity: &Entity, cx: &mut Context<'_>) {
    let Some(table) = cx.design.table_of(entity) else {
        return;
    };
    if table.ttl.is_none() && is_log(entity) {
        let title = format!("`{}` grows for ever", entity.name);
        cx.push(
            cx.at(entity.name.span, title)
                .label("nothing removes old items")
                .also(table.name.span, "has no `ttl`"),
        );
    }
}
