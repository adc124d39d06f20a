//! # scan-in-pattern
//!
//! ## What it notices
//!
//! A pattern scans a table.
//!
//! ## Why it matters
//!
//! A Scan reads and bills every item of the table, whatever it returns.
//!
//! ## Example
//!
//! ```sk
//! table Users { key (userId) }
//! entity User in Users {
//!   userId uuid = new
//! }
//! pattern everybody = scan User page 100
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Users { key (userId)  index byShard (shard | userId) project keys }
//! entity User in Users {
//!   userId uuid = new
//!   shard  int(0..3) := hash(userId) % 4
//! }
//! pattern everybody = list User by shard in all page 100
//! ```
//!
//! ## When to allow
//!
//! For exports, migrations and reports that really need everything.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK3012",
    name: "scan-in-pattern",
    theme: Theme::Patterns,
    level: Severity::Warning,
    source: include_str!("scan_in_pattern.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    if pattern.verb == ReadVerb::Scan {
        let title = format!("`{}` reads the whole table", pattern.name);
        cx.push(
            cx.at(pattern.verb_span, title)
                .label("every item is read and billed")
                .note("Say why with `allow scan-in-pattern because \"...\"`."),
        );
    }
}
