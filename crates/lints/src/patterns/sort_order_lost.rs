//! # sort-order-lost
//!
//! ## What it notices
//!
//! A pattern asks for an order that the key it is served by does not have.
//!
//! ## Why it matters
//!
//! Query returns items in the order of the sort key and in no other. Sorting a page in the client sorts that
//! page only.
//!
//! ## Example
//!
//! ```sk
//! table Seasons { key (profileId | seasonId) }
//! entity Season in Seasons {
//!   profileId uuid
//!   seasonId  uuid = new
//!   createdAt time(iso) = now
//! }
//! pattern seasons = list Season by profileId order by createdAt desc page 50
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Seasons { key (profileId | seasonId)  local index byCreation (profileId | createdAt) project all }
//! entity Season in Seasons {
//!   profileId uuid
//!   seasonId  uuid = new
//!   createdAt time(iso) = now
//! }
//! pattern seasons = list Season by profileId order by createdAt desc page 50
//! ```
//!
//! ## When to allow
//!
//! Never: drop the order from the pattern if it does not matter.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_design::plan::{Obstacle, read};
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK3006",
    name: "sort-order-lost",
    theme: Theme::Patterns,
    level: Severity::Error,
    source: include_str!("sort_order_lost.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    let Some(order) = &pattern.order else { return };
    let Some(choice) = read(cx.design, pattern).filter(|choice| choice.plan.is_none()) else {
        return;
    };
    let lost = choice.rejected.iter().find_map(|rejected| match rejected.obstacle {
        Obstacle::Order(next) => Some((rejected.path, next)),
        _ => None,
    });
    let Some((path, next)) = lost else { return };
    let title = format!("`{}` does not come in this order", path.describe());
    let given =
        next.map_or("it has no further order".to_owned(), |next| format!("it is ordered by `{next}`"));
    cx.push(cx.at(order.span, title).label(given).also(path.table().name.span, "the table").note(
        "Put the time into the sort key, or add an index sorted by it; a ULID as id sorts by time as well.",
    ));
}
