//! # condition-names-unknown-attribute
//!
//! ## What it notices
//!
//! `by` or `where` names something that is neither an attribute nor a key of the entity.
//!
//! ## Why it matters
//!
//! The request would be refused ("Query condition missed key schema element"), or find nothing.
//!
//! ## Example
//!
//! ```sk
//! table Sources { key (accountId | sourceId)  index byPlatform (accountId | platform) project all }
//! entity Source in Sources {
//!   accountId uuid
//!   sourceId  uuid = new
//!   platform  string(..40)
//!   volume 100 items, 1 KB each, 10 per accountId
//! }
//! pattern sourcesByPlatform = list Source by `accountId#platform` page 50
//! ```
//!
//! ## Better
//!
//! ```sk
//! table Sources { key (accountId | sourceId)  index byPlatform (accountId | platform) project all }
//! entity Source in Sources {
//!   accountId uuid
//!   sourceId  uuid = new
//!   platform  string(..40)
//!   volume 100 items, 1 KB each, 10 per accountId
//! }
//! pattern sourcesByPlatform = list Source by accountId, platform page 50
//! ```
//!
//! ## When to allow
//!
//! Never.

use crate::context::{Context, Inspect, Lint, Theme};
use sortkey_design::facts::condition;
use sortkey_design::model::*;
use sortkey_diagnostics::Severity;

/// The rule.
pub(super) const LINT: Lint = Lint {
    code: "SK3002",
    name: "condition-names-unknown-attribute",
    theme: Theme::Patterns,
    level: Severity::Error,
    source: include_str!("condition_names_unknown_attribute.rs"),
    inspect: Inspect::Pattern(inspect),
};

fn inspect(pattern: &Pattern, cx: &mut Context<'_>) {
    let Some(entity) = pattern.entities.first().and_then(|name| cx.design.entity(&name.text)) else {
        return;
    };
    let known = |name: &str| entity.attribute(name).is_some() || entity.template(name).is_some();
    let binds = pattern.binds.iter().map(|bind| (bind.name.text.as_str(), bind.name.span));
    let conditions =
        pattern.conditions().into_iter().filter_map(|expr| Some((condition(expr).attribute()?, expr.span)));
    for (name, span) in binds.chain(conditions).filter(|(name, _)| !known(name)) {
        let title = format!("`{}` has no attribute `{name}`", entity.name);
        let mut diagnostic =
            cx.at(span, title).label("not an attribute").also(entity.name.span, "the entity");
        if name.contains('#') && name.split('#').all(known) {
            diagnostic = diagnostic.note(format!(
                "Its parts are attributes: write `by {}`.",
                name.split('#').collect::<Vec<_>>().join(", ")
            ));
        }
        cx.push(diagnostic);
    }
}
