//! # sort-order-lost
//!
//! ## What it notices
//!
//! A pattern asks for an order that the key it is served by does not have. `collect` needs an order that holds for all
//! its entities together.
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
use sortkey_diagnostics::Severity;
use sortkey_plan::Obstacle;

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
    let Some(choice) = cx.unserved(pattern) else { return };
    let lost = choice.rejected.iter().find_map(|rejected| {
        let given = match rejected.obstacle {
            Obstacle::Order(Some(next)) => format!("it is ordered by `{}`", cx.name(choice.entity, next)),
            Obstacle::Order(None) => "it has no further order".to_owned(),
            Obstacle::OrderOf(entity, next) => {
                let (name, next) = (&cx.program.entities[entity].name, cx.name(entity, next));
                format!("`{name}` has a place of its own in the sort key, ordered by `{next}`")
            }
            _ => return None,
        };
        Some((rejected.path, given))
    });
    let Some((path, given)) = lost else { return };
    let title = format!("`{}` does not come in this order", path.describe(cx.program));
    let note = match pattern.verb {
        ReadVerb::Collect => {
            "A collection comes in the order of its sort keys: begin those of all entities alike, with the time, or drop \
             the order."
        }
        _ => {
            "Put the time into the sort key, or add an index sorted by it; a ULID as id sorts by time as well."
        }
    };
    cx.push(cx.at(order.span, title).label(given).also(cx.table_of(path).name.span, "the table").note(note));
}
