//! # composite-range-upper-bound
//!
//! ## What it notices
//!
//! A range is asked of a composite `time#id` attribute that was joined by hand.
//!
//! ## Why it matters
//!
//! "2024-05-01#abc" is greater than "2024-05-01": items of the last instant fall out of BETWEEN. A range
//! over a slot of a template is padded by the compiler.
//!
//! ## Example
//!
//! ```sk
//! table Activities { key (accountId | `timestamp#eventId`) }
//! entity Activity in Activities {
//!   accountId           uuid
//!   `timestamp#eventId` string(..80)
//! }
//! pattern activities(from?: string, to?: string) = list Activity by accountId where `timestamp#eventId` in from..to page 50
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Activities { key (accountId | at) }
//! entity Activity in Activities {
//!   at = "{timestamp}#{eventId}"
//!   accountId uuid
//!   eventId   uuid = new
//!   timestamp time(iso) = now
//! }
//! pattern activities(from?: time, to?: time) = list Activity by accountId where timestamp in from..to page 50
//! ```
//!
//! ## When to allow
//!
//! When callers pad the upper bound themselves.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::{Condition, condition};
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK1012",
    name: "composite-range-upper-bound",
    theme: Theme::Keys,
    level: Severity::Hint,
    source: include_str!("composite_range_upper_bound.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    let Some(entity) = pattern.entities.first().and_then(|name| cx.design.entity(&name.text)) else {
        return;
    };
    for expr in pattern.conditions() {
        let Condition::Range(name) = condition(expr) else {
            continue;
        };
        if name.contains('#') && entity.attribute(name).is_some() {
            let title = format!("the last instant of a range of `{name}` is lost");
            cx.push(
                cx.at(expr.span, title)
                    .label("`t#id` is greater than `t`")
                    .note("Make it a template and ask for a range of the time."),
            );
        }
    }
}
