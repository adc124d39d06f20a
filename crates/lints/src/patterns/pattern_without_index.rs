//! # pattern-without-index
//!
//! ## What it notices
//!
//! No key, index or guard serves a pattern: only a Scan of the whole table could.
//!
//! ## Why it matters
//!
//! A Scan reads and bills every item of the table for each call.
//!
//! ## Example
//!
//! ```sk
//! table Users { key (userId) }
//! entity User in Users {
//!   userId uuid = new
//!   phone  string(..30) @personal
//! }
//! pattern userByPhone = get User by phone
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Users { key (userId)  index byPhone (phone) project keys }
//! entity User in Users {
//!   userId uuid = new
//!   phone  string(..30) @personal
//! }
//! pattern userByPhone = get User by phone
//! ```
//!
//! ## When to allow
//!
//! Write `scan` instead, and allow that: then the design shows what happens.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::model::*;
use sortkey_design::program::Bound;
use sortkey_diagnostics::Severity;
use sortkey_plan::{Obstacle, Rejected};

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK3001",
    name: "pattern-without-index",
    theme: Theme::Patterns,
    level: Severity::Error,
    source: include_str!("pattern_without_index.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    let Some(choice) = cx.unserved(pattern) else { return };
    // A more exact rule reports these obstacles.
    let explained = choice.rejected.iter().any(|rejected| {
        matches!(
            rejected.obstacle,
            Obstacle::RangeOnPartition(_)
                | Obstacle::Order(_)
                | Obstacle::OrderOf(..)
                | Obstacle::IncompleteKey(_)
                | Obstacle::StrongOnGlobal
        )
    });
    let Some(entity) = pattern.entities.first().and_then(|name| cx.design.entity(&name.text)) else {
        return;
    };
    let known = |name: &str| entity.attribute(name).is_some() || entity.template(name).is_some();
    if explained || !pattern.binds.iter().all(|bind| known(&bind.name.text)) {
        return;
    }
    let mut diagnostic = cx
        .at(pattern.name.span, format!("nothing but a scan can answer `{}`", pattern.name))
        .label("no key or index serves this")
        .also(entity.name.span, "the entity it reads");
    for rejected in &choice.rejected {
        let path = rejected.path.describe(cx.program);
        diagnostic = diagnostic.note(format!("{path}: {}.", reason(cx, rejected)));
    }
    cx.push(diagnostic);
}

fn reason(cx: &Context<'_>, rejected: &Rejected) -> String {
    let entity = &cx.program.entities[rejected.path.entity];
    let named = |id| &entity.attributes[id].name;
    let names = |ids| cx.names(rejected.path.entity, ids);
    match &rejected.obstacle {
        Obstacle::NotIn(name) => format!("no such item has `{name}`"),
        Obstacle::Sparse => "holds only some of the items asked for".to_owned(),
        Obstacle::Lacking(ids) => format!("holds only items that have `{}`", names(ids).join("` and `")),
        Obstacle::PartitionUnbound(slot) => format!("its partition key needs `{}`", named(*slot)),
        Obstacle::UnusedBind(Bound::Attribute(id)) => format!("does not answer `{}`", named(*id)),
        Obstacle::UnusedBind(Bound::Stored(id)) => {
            format!("does not answer `{}`", entity.templates[*id].name)
        }
        Obstacle::UnusedCondition(_) => "does not answer a condition of `where`".to_owned(),
        Obstacle::RangeOnPartition(_) => "a range cannot select partitions".to_owned(),
        Obstacle::Order(_) | Obstacle::OrderOf(..) => "gives another order".to_owned(),
        Obstacle::Unordered(slot) => format!(
            "`{slot}` does not sort in its key as its values do, so it gives no order and no range; a number needs a smallest \
             value of 0 or more, a largest, and `{{{slot}:pad(n)}}` with as many digits",
            slot = named(*slot)
        ),
        Obstacle::StrongOnGlobal => "cannot be read strongly".to_owned(),
        Obstacle::IncompleteKey(missing) => format!("needs {} too", names(missing).join(", ")),
    }
}
