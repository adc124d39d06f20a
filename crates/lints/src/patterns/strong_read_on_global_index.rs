//! # strong-read-on-global-index
//!
//! ## What it notices
//!
//! A pattern asks for a strongly consistent read that only a global index could serve.
//!
//! ## Why it matters
//!
//! "Consistent reads are not supported on global secondary indexes": the request is refused.
//!
//! ## Example
//!
//! ```sk
//! table Users { key (userId)  index byPhone (phone) project keys }
//! entity User in Users {
//!   userId uuid = new
//!   phone  string(..30) @personal
//! }
//! pattern userByPhone = get User by phone strong
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Users { key (userId) }
//! entity User in Users {
//!   userId uuid = new
//!   phone  string(..30) @personal
//!   unique phone
//! }
//! pattern userByPhone = get User by phone strong
//! ```
//!
//! ## When to allow
//!
//! Never.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;
use sortkey_plan::Obstacle;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK3013",
    name: "strong-read-on-global-index",
    theme: Theme::Patterns,
    level: Severity::Error,
    source: include_str!("strong_read_on_global_index.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    let Some(strong) = pattern.strong_span else { return };
    let Some(choice) = cx.unserved(pattern) else { return };
    let index = choice.rejected.iter().find(|rejected| matches!(rejected.obstacle, Obstacle::StrongOnGlobal));
    if let Some(rejected) = index {
        let title =
            format!("`{}` is a global index and cannot be read strongly", rejected.path.describe(cx.program));
        cx.push(cx.at(strong, title).label("not possible here").note("A `unique` clause gives a strongly consistent path through its guard; the table's key and local indexes are the others."));
    }
}
