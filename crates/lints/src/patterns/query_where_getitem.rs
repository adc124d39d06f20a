//! # query-where-getitem
//!
//! ## What it notices
//!
//! `list` is asked for something that the full primary key identifies.
//!
//! ## Why it matters
//!
//! GetItem costs one item's read and answers faster; a Query of one item is a detour.
//!
//! ## Example
//!
//! ```sk
//! table Users { key (userId) }
//! entity User in Users {
//!   userId uuid = new
//! }
//! pattern userById = list User by userId limit 1
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Users { key (userId) }
//! entity User in Users {
//!   userId uuid = new
//! }
//! pattern userById = get User by userId
//! ```
//!
//! ## When to allow
//!
//! When the answer must be a list for the caller's sake.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::known_key;
use sortkey_design::model::*;
use sortkey_diagnostics::Fix;
use sortkey_diagnostics::Severity;
use sortkey_plan::Way;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK3004",
    name: "query-where-getitem",
    theme: Theme::Patterns,
    level: Severity::Hint,
    source: include_str!("query_where_getitem.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    let design = cx.design;
    let Some(entity) = pattern.entities.first().and_then(|name| design.entity(&name.text)) else {
        return;
    };
    let bound: Vec<&str> = pattern
        .binds
        .iter()
        .filter(|bind| {
            matches!(bind.value, BindValue::Parameter | BindValue::Expr(_))
                && pattern.param(&bind.name.text).is_none_or(|param| !param.optional)
        })
        .map(|bind| bind.name.text.as_str())
        .collect();
    let by_table = cx.plan(pattern).is_some_and(|plan| plan.path.way == Way::Key);
    if pattern.verb == ReadVerb::List && by_table && known_key(design, entity, &bound).is_empty() {
        let title = format!("`{}` knows the whole key: this is a GetItem", pattern.name);
        cx.push(cx.at(pattern.verb_span, title).label("at most one item").fix(Fix::new(
            "get it",
            pattern.verb_span,
            "get",
        )));
    }
}
