//! # filter-discards-read-items
//!
//! ## What it notices
//!
//! A filter selects by an attribute that distinguishes the kinds of items of a table, or searches a list for
//! the value of a parameter.
//!
//! ## Why it matters
//!
//! Every item of every kind is read and billed, then thrown away; a page may come back empty although there
//! is more.
//!
//! ## Example
//!
//! ```sk
//! table Profiles { key (profileId | recordType)  index byOwner (ownerId) project all }
//! entity Profile in Profiles {
//!   profileId  uuid = new
//!   recordType string(..40)
//!   ownerId    uuid
//! }
//! pattern profiles = list Profile by ownerId filter recordType = "METADATA" page 50
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Profiles { key (profileId | recordType)  index byOwner (ownerId | recordType) project all }
//! entity Profile in Profiles {
//!   profileId  uuid = new
//!   recordType string(..40)
//!   ownerId    uuid
//! }
//! pattern profiles = list Profile by ownerId, recordType page 50
//! ```
//!
//! ## When to allow
//!
//! When nearly everything passes.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::condition;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK3009",
    name: "filter-discards-read-items",
    theme: Theme::Patterns,
    level: Severity::Warning,
    source: include_str!("filter_discards_read_items.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    let Some(entity) = pattern.entities.first().and_then(|name| cx.design.entity(&name.text)) else {
        return;
    };
    let Some(table) = cx.design.table_of(entity) else {
        return;
    };
    for expr in pattern.filters() {
        let Some(name) = condition(expr).attribute() else {
            continue;
        };
        let kind = table.kind.as_ref().is_some_and(|kind| kind.is(name));
        let looked_up =
            pattern.is_list() && pattern.params.iter().any(|param| equals(expr, &param.name.text));
        if looked_up
            || table.key.contains(name)
            || kind
            || matches!(name, "recordType" | "entityType" | "itemType")
        {
            let title = format!("`{}` reads items only to throw them away", pattern.name);
            cx.push(
                cx.at(expr.span, title)
                    .label("after the read, and billed")
                    .also(table.key.span, "the key that could select"),
            );
        }
    }
}

/// `attribute = parameter`: a search by value, which a key should answer.
fn equals(expr: &Expr, param: &str) -> bool {
    matches!(&expr.kind, ExprKind::Binary { op: Op::Eq, right, .. } if right.is_name(param))
}
